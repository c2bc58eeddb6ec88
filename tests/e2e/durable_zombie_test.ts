// A command's pipe whose server is dead, and still there as a zombie.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { LAUNCHER } from "../support/launched.ts";
import { RawClient } from "../support/raw_client.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

Deno.test("a pipe goes on though its server is a zombie, which its client has not collected", async () => {
  await using world = await World.create();
  // No pipe outlives its server there.
  if (!await world.attaches()) return;
  const paneId = (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "bash --norc")).trim();
  // The shell in between becomes a program that collects no child.
  const parent = new Deno.Command("bash", {
    args: [
      "-c",
      'exec 3<&0; "$@" <&3 & exec sleep 600',
      "bash",
      LAUNCHER,
      "--socket",
      world.socket,
      "--scope",
      "all",
    ],
    env: world.env,
    clearEnv: true,
    cwd: world.folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await using raw = new RawClient(world, [], parent);
  using _ended = { [Symbol.dispose]: () => parent.kill("SIGKILL") };
  await raw.initialize("s");
  const end = join(world.folder, "end");
  const command = `seq 1 3000; until [ -e ${end} ]; do sleep 0.1; done; seq 3001 6000`;
  const call = { name: "execute-command", arguments: { paneId, command, background: true } };
  await raw.send({ id: "run", method: "tools/call", params: call });
  const { commandId, status } = (await raw.answer("run")).result.structuredContent;
  assertEquals(status, "running");
  const server = await childOf(parent.pid);
  let copier: number | undefined;
  await until(async () => (copier = await copierOf(world)) !== undefined);
  Deno.kill(server, "SIGKILL");
  await until(async () => !await isLive(server));
  // Its watchdog looks within 15 s for who reads it, and then ends itself, not the pipe.
  const [watchdog] = await childrenOf(copier!);
  assert(watchdog !== undefined && await isLive(watchdog), "no watchdog");
  await until(async () => !await isLive(watchdog));
  await Deno.writeTextFile(end, "");
  await using later = new RawClient(world);
  await later.initialize("s");
  const read = { commandId, waitSeconds: 20, view: "tail", maxLines: 1 };
  await later.send({
    id: "read",
    method: "tools/call",
    params: { name: "get-command-result", arguments: read },
  });
  const { result } = await later.answer("read");
  const { status: ended, exitCode, totalLines } = result.structuredContent;
  assertEquals([ended, exitCode, totalLines], ["completed", 0, 6000]);
});

async function childrenOf(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  return text.split(" ").filter((each) => each !== "").map(Number);
}

/** False for a zombie too. */
async function isLive(pid: number): Promise<boolean> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "State: Z");
  return !/^State:\s+Z/m.test(status);
}

async function childOf(pid: number): Promise<number> {
  const [child] = await childrenOf(pid);
  return child!;
}

/** The program that copies what a pane of the world prints. */
async function copierOf(world: World): Promise<number | undefined> {
  const server = Number(await world.tmux("display-message", "-p", "#{pid}"));
  for (const pid of await childrenOf(server)) {
    const name = await Deno.readTextFile(`/proc/${pid}/comm`).catch(() => "");
    if (name.trim() === "tee") return pid;
  }
  return undefined;
}
