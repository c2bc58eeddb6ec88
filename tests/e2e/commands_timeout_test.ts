// A call's timeout holds however the shell behaves, and nothing of its command runs after its answer.
import { assert, assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";

/** Seconds; a loaded machine is slow, and without the limit these calls took 5 s and more. */
const SLACK = 3.5;

async function timed<T>(call: Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await call, (performance.now() - began) / 1000];
}

const test = inTurnOnOneServer("a call's timeout");

test("a shell that does not come to its prompt is busy when the timeout is over", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  const { paneId } = pane;
  const started = await client.ok("create-session", { command: "bash --rcfile <(echo 'sleep 30')" });
  await client.ok("send-keys", { paneId, keys: "PROMPT_COMMAND='sleep 30'", enter: true });
  await pane.untilRunning("sleep");
  for (const id of [paneId, started.paneId]) {
    const [{ code }, seconds] = await timed(
      client.fails("execute-command", { paneId: id, command: `touch ${world.folder}/ran`, timeout: 0.5 }),
    );
    assertEquals([id, code], [id, "busy"]);
    assert(seconds < SLACK, `${seconds} s`);
  }
});

test("a shell that takes the typed line after the timeout runs nothing of it", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  const { paneId } = pane;
  await client.ok("send-keys", { paneId, keys: "builtin() { sleep 3; unset -f builtin; }", enter: true });
  await pane.untilScreen(/unset -f builtin; \}\n.*[#$] ?$/);
  const [{ code }, seconds] = await timed(
    client.fails("execute-command", { paneId, command: `touch ${world.folder}/ran`, timeout: 0.5 }),
  );
  assertEquals(code, "timeout");
  assert(seconds < SLACK, `${seconds} s`);
  await client.ok("send-keys", { paneId, keys: "unset -f builtin", enter: true });
  assertEquals((await pane.run(`ls ${world.folder}`)).output.includes("ran"), false);
});

test("once a call has timed out, its command runs in the pane no more", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  const { paneId } = pane;
  await client.ok("send-keys", { paneId, keys: "builtin() { sleep 8; unset -f builtin; }", enter: true });
  await pane.untilScreen(/unset -f builtin; \}\n.*[#$] ?$/);
  await world.tmux("set-hook", "-g", "after-set-option", "run-shell 'sleep 0.1'");
  const command = "true";
  assertEquals((await client.fails("execute-command", { paneId, command, timeout: 3 })).code, "timeout");
  const { text } = await client.fails("execute-command", { paneId, command, timeout: 0.1 });
  await world.tmux("set-hook", "-gu", "after-set-option");
  assertEquals(/command ".*" runs there/.test(text), false, text);
});

test("a shell that was named and is another kind answers within the timeout", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "python3 -q");
  const { paneId } = pane;
  await pane.untilScreen(/>>>/);
  const args = { paneId, command: "print('ran')", timeout: 1, shell: "bash" };
  const [{ code }, seconds] = await timed(client.fails("execute-command", args));
  assertEquals(code, "timeout");
  assert(seconds < 1 + SLACK, `${seconds} s`);
});
