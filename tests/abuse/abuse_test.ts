// Tries to get around each policy through the wire, and proves that nothing forbidden happened.
import { assert, assertEquals } from "@std/assert";
import { creating, moving, raw, renaming, splitting } from "./change_attempts.ts";
import { allowlist, denylist, strict } from "./filter_attempts.ts";
import { ownership, panes, paths, sessions, sockets } from "./scope_attempts.ts";
import {
  killing,
  listed,
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

/** Tables that share a server close one switch each, and their attempts are single calls; each denial names its switch. */
const TABLES: readonly (readonly Table[])[] = [
  [denylist],
  [allowlist],
  [strict],
  [tracked],
  [sessions],
  [panes],
  [sockets],
  [paths],
  [ownership],
  [running],
  [killing],
  [switchedTyping, moving],
  [listed],
  [unlistedTyping],
  [looking],
  [reading],
  [listing],
  [creating],
  [renaming, raw, splitting],
];

/** The settings of all, under one header. */
function settingsOf([first, ...others]: readonly Table[]): Pick<Table, "settings" | "args"> {
  const more = others.map(({ settings }) => settings.replace(/^\[security\]\n/, ""));
  return { ...first!, settings: [first!.settings, ...more].join("\n") };
}

/** Attempts of several calls at a time, on the stage of a table before its own. */
const AT_ONCE: ReadonlyMap<Table, Readonly<Record<string, (stage: Stage) => Promise<void>>>> = new Map([
  [tracked, {
    "no call types into the line that another is typing": async (stage) => {
      const { client, world, inside: paneId, canary } = stage;
      const slow = client.call("send-keys", { paneId, keys: "echo hello there", enter: true, delayMs: 100 });
      await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("echo he"));
      const { code } = await client.fails("send-keys", { paneId, keys: `;touch ${canary} #` });
      assertEquals(code, "busy");
      assertEquals((await slow).isError, undefined);
      await client.ok("send-keys", { paneId, keys: "true", enter: true });
      await stage.checkCanary();
    },
    "a shell in another's place gets nothing of its line": async (stage) => {
      const { client, canary } = stage;
      const { paneId } = await client.ok("create-session", { name: "own" });
      const untilPrompt = () =>
        until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
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
    },
  }],
]);

for (const tables of TABLES) {
  Deno.test(`no way around ${tables.map(({ policy }) => policy).join(", or ")}`, async (t) => {
    await using stage = await Stage.open(settingsOf(tables));
    for (const table of tables) await tryTable(t, stage, table);
  });
}

async function tryTable(t: Deno.TestContext, stage: Stage, table: Table): Promise<void> {
  await table.furnish?.(stage);
  for (const [name, run] of Object.entries(AT_ONCE.get(table) ?? {})) await t.step(name, () => run(stage));
  for (const attempt of table.attempts) {
    await t.step(attempt.name, () => stage.attempt(attempt, table));
  }
  await t.step("nothing forbidden happened", async () => {
    await stage.checkCanary();
    await table.proof?.(stage);
  });
  if (table !== ownership) return;
  await t.step("what is denied would have made the canary", async () => {
    await stage.client.ok("execute-command", { paneId: stage.inside, command: `touch ${stage.canary}` });
    assert(await exists(stage.canary));
  });
}
