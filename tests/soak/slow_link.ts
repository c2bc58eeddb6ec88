// A host behind a slow link: what its programs print is whole, or said not to be, and does not pile up here.
import { assert, assertEquals } from "@std/assert";
import { Far, remoteTest } from "../support/remote.ts";
import { SlowLink } from "../support/slow_link.ts";
import { residentMegabytes } from "../support/memory.ts";

const BYTES_PER_SECOND = 500_000;
const LINES = 400_000;
/** More of this server's memory than it takes anyway. */
const MAX_MORE_MB = 150;

remoteTest("a watch and a command on a host behind a link of 500 kB/s miss nothing", async () => {
  await using remote = await Far.create();
  const { sshd, world } = remote;
  await using link = SlowLink.to(sshd.port, { bytesPerSecond: BYTES_PER_SECOND });
  const words = remote.words.replace(`-p ${sshd.port} `, `-p ${link.port} `);
  const client = await world.serve({ args: ["--hosts", `far=${words}`] });
  const host = "far";
  const { paneId } = await client.ok("create-session", { host, command: "bash --norc" });
  await client.ok("execute-command", { host, paneId, command: "true", timeout: 30 });
  const before = await residentMegabytes(client.transport.pid!);
  const watched = client.ok("watch-pane", { host, paneId, triggers: "pattern:^over$", timeout: 110 });
  const command = `seq 1 ${LINES}; echo over`;
  const { commandId } = await client.ok("execute-command", { host, paneId, command, background: true });
  let most = 0;
  let done: { status: string; totalLines: number; outputTruncated?: boolean };
  do {
    done = await client.ok("get-command-result", { host, commandId, waitSeconds: 2 });
    most = Math.max(most, await residentMegabytes(client.transport.pid!) - before);
  } while (done.status === "running");
  const { event, totalLines, outputTruncated } = await watched;
  assertEquals([done.status, done.totalLines], ["completed", LINES + 1]);
  for (const offset of [0, LINES / 2, LINES - 3]) {
    const { output } = await client.ok("get-command-result", { host, commandId, offset, maxLines: 3 });
    assertEquals(output.split("\n").slice(0, 3), [1, 2, 3].map((line) => `${offset + line}`));
  }
  assertEquals(event, "pattern:^over$");
  // The line that was typed may be among what the watch saw.
  assert(totalLines > LINES || outputTruncated, `${totalLines} lines, and not said to be cut`);
  assert(most < MAX_MORE_MB, `${most} MB`);
});
