// Text that a person types is nowhere in what the server says, writes or keeps.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { PersonAtTerminal } from "../support/person.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { World } from "../support/world.ts";

/** Never in a command, so that only what was typed can be found. */
const SECRET = ["zebra", "quartz", "41870"].join("-");
const DIGEST = "sha256sum | cut -c1-16";

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return bytes.toHex().slice(0, 16);
}

/** Paths of files under a folder in which the secret stands. */
async function filesWith(folder: string, secret: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await filesWith(path, secret));
    // A file can go while it is read.
    else if (isFile && (await Deno.readTextFile(path).catch(() => "")).includes(secret)) found.push(path);
  }
  return found;
}

/** True if the secret stands anywhere in the memory of a process. */
async function holds(pid: number, secret: string): Promise<boolean> {
  const wanted = new TextEncoder().encode(secret);
  const maps = (await Deno.readTextFile(`/proc/${pid}/maps`)).split("\n").filter((row) => / rw/.test(row));
  using memory = await Deno.open(`/proc/${pid}/mem`);
  for (const row of maps) {
    const [start, end] = row.split(" ")[0]!.split("-").map((hex) => Number(`0x${hex}`));
    if (await rangeHolds(memory, { at: start!, end: end! }, wanted)) return true;
  }
  return false;
}

async function rangeHolds(
  memory: Deno.FsFile,
  { at, end }: { at: number; end: number },
  wanted: Uint8Array,
): Promise<boolean> {
  const buffer = new Uint8Array(1024 * 1024);
  while (at < end) {
    await memory.seek(at, Deno.SeekMode.Start);
    // A mapping that can't be read, or is gone.
    const length = await memory.read(buffer.subarray(0, Math.min(buffer.length, end - at))).catch(() => null);
    if (length === null || length === 0) return false;
    if (find(buffer.subarray(0, length), wanted)) return true;
    at += length === end - at ? length : Math.max(length - wanted.length, 1);
  }
  return false;
}

function find(bytes: Uint8Array, wanted: Uint8Array): boolean {
  for (let at = bytes.indexOf(wanted[0]!); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}

Deno.test("a typed secret is in no answer, notification, log, file or memory of the server", async () => {
  await using world = await World.create();
  const audit = `${world.folder}/audit.jsonl`;
  const said: unknown[] = [];
  const client = await world.serve({
    args: ["--channel", "--log", "debug", "--audit-path", audit, "--allowed-output-paths", world.folder],
    env: { XDG_STATE_HOME: `${world.folder}/state`, TMPDIR: world.folder },
  }, {
    prepare: (mcp) =>
      mcp.fallbackNotificationHandler = (message) => {
        said.push(message);
        return Promise.resolve();
      },
  });
  const { paneId, sessionId } = await client.ok("create-session", { command: "bash --norc", name: "work" });
  await using person = await PersonAtTerminal.attach(world, { session: "work" });
  await client.ok("record-pane", { paneId, action: "start", outputPath: `${world.folder}/pane.cast` });
  const { watchId } = await client.ok("watch-pane", { paneId, background: true, triggers: "pattern:never" });

  const command = `read -s -p 'Key: ' word; echo; sleep 5.5; printf %s "$word" | ${DIGEST}`;
  const onprogress = (update: unknown): void => void said.push(update);
  const call = client.ok("execute-command", { paneId, command, onInput: "person", timeout: 40 }, {
    onprogress,
  });
  await person.untilAsked(/waits for a password: Key:/);
  await person.type(SECRET);
  const done = await call;
  assertEquals(done.output, `Key: \n${await digest(SECRET)}`);
  await client.ok("stop-watch", { watchId });
  await client.ok("record-pane", { paneId, action: "stop" });
  said.push(done, await client.ok("watch-events"), await client.ok("capture-pane", { paneId }));
  said.push(await client.ok("get-command-result", { commandId: done.commandId }), client.stderr);

  assert(!JSON.stringify(said).includes(SECRET));
  assertEquals(await filesWith(world.folder, SECRET), []);
  assert((await Deno.readTextFile(audit)).includes("execute-command"));
  assert(!await holds(client.transport.pid!, SECRET));
  // The same search finds what is there.
  await client.ok("set-buffer", { name: "known", content: `${SECRET}-known` });
  assert(await holds(client.transport.pid!, `${SECRET}-known`));
  await client.ok("kill-session", { sessionId });
});

Deno.test("keys that are on their way as a question is handed over do not answer it", async () => {
  await using pane = await ShellPane.open();
  const { world, paneId, client } = pane;
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_name}")).trim();
  await using person = await PersonAtTerminal.attach(world, { session });
  const asked = `${world.folder}/asked`;
  const command = `until [ -e ${asked} ]; do sleep 0.02; done; read -p "Sure? " word; echo "got $word"`;
  const answer = pane.run(command, { onInput: "person", timeout: 40 });
  await pane.untilRunning("sleep");
  const typing = client.fails("send-keys", { paneId, keys: "x".repeat(300), delayMs: 20 });
  await pane.untilScreen(/^xx/m);
  await Deno.writeTextFile(asked, "");
  const { code, text } = await typing;
  assertEquals(code, "busy");
  assertMatch(text, /a person is answering there; \d+ of 300 keys were typed/);
  await person.type("yes");
  assertMatch((await answer).output, /got x+yes$/);
});
