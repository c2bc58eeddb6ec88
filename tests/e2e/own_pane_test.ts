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

/** Fails unless the pane of a server is left alone by its calls, and another is not. */
async function assertIsLeftAlone(world: World, { client, paneId }: Inside): Promise<void> {
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
}

/** Waits, with a deadline, until a pane shows a text. */
async function untilShown(world: World, paneId: string, text: string): Promise<void> {
  for (let left = 200; left > 0; left--) {
    if ((await world.tmux("capture-pane", "-p", "-t", paneId)).includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${paneId} never showed ${text}`);
}

Deno.test("own pane: a server under its shell, without TMUX and TMUX_PANE, is never killed, respawned, cleared or typed into, under any tier", async () => {
  await using world = await World.create();
  const run = (command: string) => `env -u TMUX -u TMUX_PANE ${command}; cat`;
  await assertIsLeftAlone(world, await serveInside(world, run));
});

Deno.test("own pane: a server as its program", async (t) => {
  await using world = await World.create();
  const inside = await serveInside(world, (command) => `exec ${command}`);
  const { client, paneId } = inside;

  await t.step(
    "a pane in which a client shows it is not typed into, whichever tmux has that pane",
    async () => {
      const socket = `${world.folder}/outer.sock`;
      const attach = `env -u TMUX tmux -S ${world.socket} attach -t home`;
      const outer = async (...args: string[]): Promise<string> => {
        const { stdout, success } = await new Deno.Command("tmux", {
          args: ["-u", "-f", "/dev/null", "-S", socket, ...args],
          env: world.env,
          clearEnv: true,
        }).output();
        assert(success, args.join(" "));
        return new TextDecoder().decode(stdout).trim();
      };
      try {
        const shown = await outer("new-session", "-d", "-P", "-F", "#{pane_id}", attach);
        const plain = await outer("new-window", "-d", "-P", "-F", "#{pane_id}", "cat");
        const nested = (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", attach)).trim();
        for (let left = 200; (await world.tmux("list-clients")).trim().split("\n").length < 2; left--) {
          assert(left > 0, "the clients never attached");
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        for (const args of [{ socket, paneId: shown }, { paneId: nested }]) {
          for (
            const [name, text] of [["send-keys", { keys: "x" }], ["paste-text", { text: "x" }], [
              "send-enter",
              {},
            ]]
          ) {
            const failed = await client.fails(name as string, { ...args, ...text as object });
            assertEquals(failed.code, "denied", failed.text);
            assertMatch(failed.text, /shows the tmux that this server runs in/);
          }
        }
        await client.ok("send-keys", { socket, paneId: plain, keys: "x" });
        assertEquals((await world.tmux("capture-pane", "-p", "-t", paneId)).trim(), "");
        await world.tmux("kill-pane", "-t", nested);
      } finally {
        await outer("kill-server");
      }
    },
  );

  await t.step(
    "it is never killed, respawned, cleared or typed into, under any tier",
    () => assertIsLeftAlone(world, inside),
  );

  await t.step("what is typed beside it never reaches it, synchronized before or meanwhile", async () => {
    const made = await world.tmux(
      "split-window",
      "-d",
      "-t",
      paneId,
      "-P",
      "-F",
      "#{pane_id} #{window_id}",
      "cat",
    );
    const [other = "", windowId = ""] = made.trim().split(" ");
    const option = { option: "synchronize-panes", value: "on" };
    const refused: [string, Record<string, unknown>][] = [
      ["set-synchronize-panes", { windowId, enabled: true }],
      ["apply-workspace", {
        workspace: {
          "session_name": "w",
          "global_options": { "synchronize-panes": "on" },
          windows: [{ panes: [""] }],
        },
      }],
      ["set-option", { ...option, target: windowId }],
      ["set-option", { ...option, global: true, scope: "window" }],
      ["set-option", { ...option, target: paneId }],
      // The global value, which may be on, then counts.
      ["set-option", { ...option, value: null, target: windowId }],
    ];
    for (const [name, args] of refused) {
      const { code, text } = await client.fails(name, args);
      assertEquals(code, "denied", `${name}: ${text}`);
      assertMatch(text, /this server/);
    }
    await client.ok("set-synchronize-panes", { windowId, enabled: false });
    for (const value of ["off", "no", "0", "false"]) {
      await client.ok("set-option", { ...option, value, target: windowId });
    }
    await client.ok("set-option", { ...option, value: null, global: true, scope: "window" });
    const { windowId: away } = await client.ok("create-session", { name: "away", command: "cat" });
    await client.ok("set-synchronize-panes", { windowId: away, enabled: true });

    const slow = client.call("send-keys", { paneId: other, keys: "qwertyuiopqwertyuiop", delayMs: 200 });
    await untilShown(world, other, "qw");
    await world.tmux("set-option", "-w", "-t", windowId, "synchronize-panes", "on");
    const { isError, _meta } = await slow;
    assertEquals([isError, _meta?.["tmux-mcp/error"]?.code], [true, "busy"]);
    assertEquals((await world.tmux("capture-pane", "-p", "-t", paneId)).trim(), "");
  });
});
