// Commands of an earlier server as resources: they are read, listed, completed and followed as by get-command-result.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Notices } from "../support/notices.ts";
import { code, read } from "../support/read_resources.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const resultOf = (commandId: string): string => `tmux://command/${commandId}/result`;

/** Command ids in the list of resources, and as completions of a template and what is typed. */
async function known({ client }: TestClient, value = ""): Promise<{ listed: string[]; completed: string[] }> {
  const { resources } = await client.listResources();
  const ref = { type: "ref/resource", uri: "tmux://command/{commandId}/result" } as const;
  const { completion } = await client.complete({ ref, argument: { name: "commandId", value } });
  const listed = resources.flatMap(({ uri }) => /^tmux:\/\/command\/(.+)\/result$/.exec(uri)?.[1] ?? []);
  return { listed, completed: completion.values };
}

Deno.test("an earlier server's commands are resources of a later one, newest first", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", {});
  const before = await first.ok("execute-command", { paneId, command: "echo one; (exit 3)" });
  const later = await first.ok("execute-command", { paneId, command: "echo two" });
  await first.kill();
  const second = await world.serve();
  const own = await second.ok("execute-command", { paneId, command: "echo three" });
  const ids = [own, later, before].map(({ commandId }) => commandId);
  assertEquals(await known(second), { listed: ids, completed: ids });
  assertEquals((await known(second, before.commandId)).completed, [before.commandId]);
  const { status, exitCode, output } = (await read(second, resultOf(before.commandId))).json;
  assertEquals({ status, exitCode, output }, { status: "completed", exitCode: 3, output: "one" });
});

Deno.test("output and end of an earlier server's command are updates of its resource", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", {});
  // Only the pane's output can tell: a window's name would change with each program.
  await world.tmux("set-option", "-g", "automatic-rename", "off");
  const gate = (name: string): string => join(world.folder, name);
  const wait = (name: string): string => `while [ ! -e ${gate(name)} ]; do sleep 0.05; done`;
  const command = `echo begun; ${wait("one")}; echo more; ${wait("two")}; (exit 4)`;
  const { commandId } = await first.ok("execute-command", { paneId, command, background: true });
  await first.kill();
  const second = await world.serve();
  const uri = resultOf(commandId);
  const notices = new Notices(second);
  await second.client.subscribeResource({ uri });
  const updated = (isTold: (result: { output: string; status: string }) => boolean): Promise<void> =>
    until(async () => {
      await notices.until(() => notices.updated.includes(uri));
      notices.updated.length = 0;
      return isTold((await read(second, uri)).json);
    });
  await Deno.writeTextFile(gate("one"), "");
  await updated(({ output }) => output.includes("more"));
  await Deno.writeTextFile(gate("two"), "");
  await updated(({ status }) => status === "completed");
  assertEquals((await read(second, uri)).json.exitCode, 4);
});

Deno.test("an earlier server's command in a pane out of scope is no resource", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { name: "private" });
  const { paneId: shared } = await first.ok("create-session", { name: "public" });
  const hidden = await first.ok("execute-command", { paneId, command: "echo secret" });
  const shown = await first.ok("execute-command", { paneId: shared, command: "echo known" });
  await first.kill();
  const limited = await world.serve({ args: ["--allowed-sessions", "public"] });
  const ids = [shown.commandId];
  assertEquals(await known(limited), { listed: ids, completed: ids });
  assertEquals(await code(read(limited, resultOf(hidden.commandId))), -32002);
  assertEquals(await code(limited.client.subscribeResource({ uri: resultOf(hidden.commandId) })), -32002);
  assert((await read(limited, resultOf(shown.commandId))).text.includes("known"));
});
