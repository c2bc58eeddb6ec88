// Tries to get around each policy through the wire, and proves that nothing forbidden happened.
import { assert, assertEquals } from "@std/assert";
import { creating, moving, raw, renaming, splitting } from "./change_attempts.ts";
import { allowlist, denylist, strict } from "./filter_attempts.ts";
import { ownership, panes, paths, sessions, sockets } from "./scope_attempts.ts";
import {
  killing,
  listedTyping,
  listing,
  looking,
  reading,
  running,
  switchedTyping,
  unlistedTyping,
} from "./switch_attempts.ts";
import { until } from "../support/until.ts";
import { exists, Stage, type Table } from "./stage.ts";
import { tracked } from "./typing_attempts.ts";

const TABLES: readonly Table[] = [
  denylist,
  allowlist,
  strict,
  tracked,
  sessions,
  panes,
  sockets,
  paths,
  ownership,
  running,
  killing,
  switchedTyping,
  listedTyping,
  unlistedTyping,
  looking,
  reading,
  listing,
  creating,
  splitting,
  renaming,
  moving,
  raw,
];

for (const table of TABLES) {
  Deno.test(`no way around ${table.policy}`, async (t) => {
    await using stage = await Stage.open(table);
    await table.furnish?.(stage);
    for (const attempt of table.attempts) {
      await t.step(attempt.name, () => stage.attempt(attempt, table));
    }
    await t.step("nothing forbidden happened", async () => {
      await stage.checkCanary();
      await table.proof?.(stage);
    });
  });
}

Deno.test("no call types into the line that another is typing", async () => {
  await using stage = await Stage.open(tracked);
  const { client, world, inside: paneId, canary } = stage;
  const slow = client.call("send-keys", { paneId, keys: "echo hello there", enter: true, delayMs: 100 });
  await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("echo he"));
  const { code } = await client.fails("send-keys", { paneId, keys: `;touch ${canary} #` });
  assertEquals(code, "busy");
  assertEquals((await slow).isError, undefined);
  await client.ok("send-keys", { paneId, keys: "true", enter: true });
  await stage.checkCanary();
});

Deno.test("a shell in another's place gets nothing of its line", async () => {
  await using stage = await Stage.open(tracked);
  const { client, canary } = stage;
  const { paneId } = await client.ok("create-session", { name: "own" });
  const untilPrompt = () => until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  await untilPrompt();
  await client.ok("send-keys", { paneId, keys: "echo " });
  await client.ok("respawn-pane", { paneId });
  await untilPrompt();
  const { code } = await client.fails("send-keys", { paneId, keys: `touch ${canary}`, enter: true });
  assertEquals(code, "denied");
  const slow = client.fails("send-keys", { paneId, keys: "echo hello there", enter: true, delayMs: 100 });
  await until(async () => (await client.ok("capture-pane", { paneId })).includes("echo he"));
  await client.ok("respawn-pane", { paneId });
  assertEquals((await slow).code, "busy");
  await untilPrompt();
  await client.ok("send-keys", { paneId, keys: "exit", enter: true });
  await stage.checkCanary();
});

Deno.test("what is denied would have made the canary", async () => {
  await using stage = await Stage.open({ settings: "" });
  const { client, inside, canary } = stage;
  await client.ok("execute-command", { paneId: inside, command: `touch ${canary}` });
  assert(await exists(canary));
});
