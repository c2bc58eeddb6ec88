// Commands whose server ended before their shell had them: they did not run, and the shell is free again.
import { assertEquals, assertMatch } from "@std/assert";
import { DIALECTS } from "../../src/shell/dialects.ts";
import { KillableServer } from "../support/killable_server.ts";
import { filesOf } from "../support/record_files.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

/** Shells, and the dialects of their loaders. */
const SHELLS = { "dash -i": "sh", "bash --norc": "bash", "zsh -f": "zsh", "fish --no-config": "fish" };

/** Opens a pane with a shell that waits at its prompt. */
async function openPane(client: TestClient, command: string): Promise<string> {
  const { paneId } = await client.ok("create-session", { command });
  await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  return paneId;
}

/** Types a loader that nothing gives its command. */
async function typeLoader(world: World, paneId: string, dialect: string): Promise<void> {
  const { loader } = DIALECTS.find(({ name }) => name === dialect)!;
  await world.tmux("send-keys", "-l", "-t", paneId, "--", loader);
  await world.tmux("send-keys", "-t", paneId, "Enter");
}

/** Makes the record of a command one of another pane, as it is before the shell has the command. */
async function moveRecord(world: World, commandId: string, paneId: string): Promise<void> {
  const [record] = await filesOf(world, commandId, /\.json$/);
  for (const piece of await filesOf(world, commandId, /\.\d$/)) await Deno.remove(piece);
  const stored = JSON.parse((await Deno.readTextFile(record!)).trim().split("\n").at(-1)!);
  const pid = Number(await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pid}"));
  const { piped: _piped, isCut: _isCut, ...rest } = stored;
  const moved = { ...rest, paneId, panePid: pid, shellPid: pid, piece: 0 };
  await Deno.writeTextFile(record!, `${JSON.stringify(moved)}\n`);
}

Deno.test("a command whose loader still waits for it did not run, and its shell is freed", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const commands = await Promise.all(
    Object.entries(SHELLS).map(async ([shell, dialect]) => {
      const paneId = await openPane(first, shell);
      const { commandId } = await first.ok("execute-command", {
        paneId: await openPane(first, shell),
        command: "cat",
        background: true,
      });
      return { shell, dialect, paneId, commandId };
    }),
  );
  await first.kill();
  for (const { commandId, dialect, paneId } of commands) {
    await typeLoader(world, paneId, dialect);
    await moveRecord(world, commandId, paneId);
  }
  const second = await world.serve();
  for (const { shell, commandId, paneId } of commands) {
    const { status, reason } = await second.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([shell, status], [shell, "lost"]);
    assertMatch(reason, /did not run/, shell);
    const { output } = await second.ok("execute-command", { paneId, command: "echo free" });
    assertEquals([shell, output], [shell, "free"]);
  }
});

Deno.test("a loader below the output of a command is another command's", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const [paneId, other] = [await openPane(first, "dash -i"), await openPane(first, "dash -i")];
  const { commandId } = await first.ok("execute-command", {
    paneId: other,
    command: "echo before; cat",
    timeout: 20,
  });
  await first.kill();
  await typeLoader(world, paneId, "sh");
  await moveRecord(world, commandId, paneId);
  const [record] = await filesOf(world, commandId, /\.json$/);
  await Deno.writeTextFile(record!.replace(/json$/, "0"), "before\r\n");
  const second = await world.serve();
  const { status } = await second.ok("get-command-result", { commandId, waitSeconds: 4, onInput: "wait" });
  assertEquals(status, "running");
});

Deno.test("a server whose client leaves while a loader waits takes the loader back", async () => {
  await using world = await World.create();
  const bin = `${world.folder}/bin`;
  const [begun, go] = [`${world.folder}/begun`, `${world.folder}/go`];
  await Deno.mkdir(bin);
  await Deno.writeTextFile(
    `${bin}/stty`,
    `#!/bin/sh\n: >${begun}\nwhile [ ! -e ${go} ]; do sleep 0.1; done\nPATH='${
      Deno.env.get("PATH")
    }' exec stty "$@"\n`,
    { mode: 0o755 },
  );
  const server = await KillableServer.start(world);
  const { paneId } = await server.ok("create-session", {
    command: `env PATH=${bin}:$PATH ENV=/dev/null dash -i`,
  });
  await until(async () => (await server.ok("pane-state", { paneId })).waitingForInput);
  const call = server.ok("execute-command", { paneId, command: "echo no" }).catch(() => {});
  await until(() => Deno.stat(begun).then(() => true, () => false));
  await server.kill("client");
  await call;
  await Deno.writeTextFile(go, "");
  await world.tmux("send-keys", "-l", "-t", paneId, "echo fr''ee");
  await world.tmux("send-keys", "-t", paneId, "Enter");
  const screen = () => world.tmux("capture-pane", "-p", "-t", paneId);
  await until(async () => /^(?:# )?free$/m.test(await screen()));
});
