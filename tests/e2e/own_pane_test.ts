// A server that runs inside a pane of the tmux it drives, as under an agent that a person started in tmux.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { type TestClient, World } from "../support/world.ts";

const LAUNCHER = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));

interface Inside {
  client: TestClient;
  paneId: string;
}

/** Starts a server as the program of a pane, or under its shell, and a client that reaches it through two pipes. */
async function serveInside(world: World, run: (command: string) => string): Promise<Inside> {
  const [input, output] = [join(world.folder, "in"), join(world.folder, "out")];
  await new Deno.Command("mkfifo", { args: [input, output] }).output();
  const command =
    `'${LAUNCHER}' --socket '${world.socket}' --scope all --safety destructive < ${input} > ${output}`;
  const id = await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "home", run(command));
  const client = await world.serve({
    command: "/bin/sh",
    args: ["-c", `cat ${output} & exec cat > ${input}`],
  });
  return { client, paneId: id.trim() };
}

const WAYS: Readonly<Record<string, (command: string) => string>> = {
  "as its program": (command) => `exec ${command}`,
  "under its shell, without TMUX and TMUX_PANE": (command) => `env -u TMUX -u TMUX_PANE ${command}; cat`,
};

for (const [how, run] of Object.entries(WAYS)) {
  Deno.test(`own pane: a server ${how} is never killed, respawned, cleared or typed into, under any tier`, async () => {
    await using world = await World.create();
    const { client, paneId } = await serveInside(world, run);
    const other = (await world.tmux("split-window", "-d", "-t", paneId, "-P", "-F", "#{pane_id}", "cat"))
      .trim();
    await world.tmux("new-session", "-d", "-s", "away", "cat");
    const { panes } = await client.ok("list-panes");
    assertEquals(
      panes.filter(({ isCaller }: { isCaller?: boolean }) => isCaller).map(({ id }: { id: string }) => id),
      [paneId],
    );
    const windowId = (await world.tmux("display-message", "-p", "-t", paneId, "#{window_id}")).trim();
    const calls: [string, Record<string, unknown>][] = [
      ["kill-pane", { paneId }],
      ["kill-window", { windowId }],
      ["kill-session", { sessionId: "home" }],
      ["kill-server", {}],
      ["respawn-pane", { paneId, kill: true, command: "cat" }],
      ["clear-pane", { paneId }],
      ["send-keys", { paneId, keys: "x" }],
      ["send-hex", { paneId, hex: "78" }],
      ["paste-text", { paneId, text: "x" }],
      ["execute-command", { paneId, command: "true" }],
      ["send-enter", { paneId }],
    ];
    for (const [name, args] of calls) {
      const { code, text } = await client.fails(name, args);
      assertEquals(code, "denied", `${name}: ${text}`);
      assertMatch(text, /this server|own pane/, name);
    }
    assert((await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).includes(paneId));
    assertEquals(await client.ok("kill-pane", { paneId: other }), { killed: other });
    await client.ok("kill-session", { sessionId: "away" });
  });
}
