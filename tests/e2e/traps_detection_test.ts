// Traps of input detection: each test is named after what breaks in other servers.
import { assertEquals, assertMatch } from "@std/assert";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

const WAITING: Record<string, string> = {
  readline: "exec bash --norc --noprofile",
  python: "exec python3 -q",
  node: "exec node",
  vim: "exec vim -u NONE",
};

/** Programs that only seem to wait, and the system call they are blocked in. */
const BLOCKED_ELSEWHERE: Record<string, [command: string, blocked: RegExp]> = {
  "sleep | cat": ["sleep 500 | cat", /wait4/],
  "sleep | tee": ["sleep 500 | tee log", /wait4/],
  "TCP recv": [
    `exec python3 -c "
import socket
server = socket.create_server(('127.0.0.1', 0))
socket.create_connection(server.getsockname()).recv(1)
"`,
    /recvfrom/,
  ],
};

Deno.test("traps of input detection", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  /** The pane's state once it is this kind, or once it is blocked like this. */
  // deno-lint-ignore no-explicit-any -- a PaneState
  const settled = async (paneId: string, wanted: string | RegExp): Promise<any> => {
    for (let state;;) {
      await watching.until(async () => {
        state = await client.ok("pane-state", { paneId });
        return typeof wanted === "string" ? state.inputKind === wanted : wanted.test(state.evidence);
      });
      return state;
    }
  };

  for (const [name, command] of Object.entries(WAITING)) {
    await t.step(`readline, python, node, vim report "not waiting": ${name}`, async () => {
      const state = await settled(await watching.pane(command), "raw");
      assertEquals(state.waitingForInput, true, state.evidence);
    });
  }

  for (const [name, [command, blocked]] of Object.entries(BLOCKED_ELSEWHERE)) {
    await t.step(`\`sleep | cat\`, tee and TCP recv report "waiting": ${name}`, async () => {
      const state = await settled(await watching.pane(command), blocked);
      assertEquals([state.waitingForInput, state.inputKind], [false, "none"], state.evidence);
    });
  }

  await t.step("only fd 0 checked", async () => {
    const state = await settled(await watching.pane("exec cat /dev/tty"), "line");
    assertMatch(state.evidence, /^read\(3\) on/);
  });

  await t.step("highest pid taken for the foreground process (prompt hooks win)", async () => {
    const hook = "PROMPT_COMMAND='set +m; sleep 500 & echo hook=$!='";
    const paneId = await watching.pane(`exec env ${hook} bash --norc --noprofile`);
    await watching.until(async () => /hook=\d+=/.test(await watching.screen(paneId)));
    const state = await settled(paneId, "raw");
    const { panePid, foregroundPid, foregroundCmd, shell } = state;
    assertEquals([foregroundPid, foregroundCmd, shell], [panePid, "bash", "bash"]);
    const ran = await client.ok("execute-command", { paneId, command: "echo ran", timeout: 20 });
    assertEquals([ran.output, ran.exitCode], ["ran", 0]);
  });
});
