// After a server has ended in the middle of apply-workspace, a later one ends its half-built sessions, and no others, and
// types the lines that are missing.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

/** Declares a step with the later server, in a tmux that nobody has used, and with a file for what shells are typed. */
const test = Deno.build.os === "linux" ? declareWithLog() : () => {};

function declareWithLog() {
  const inTurn = inTurnOnOneServer(
    "the lines of a workspace whose server has ended are typed by a later one",
  );
  return (name: string, run: (served: Served & { log: string }) => Promise<void>) =>
    inTurn(name, async (served) => {
      const log = `${served.world.folder}/log`;
      // Lines of a step that failed would fail the next one too.
      await run({ ...served, log }).finally(() => Deno.remove(log).catch(() => {}));
    });
}

async function sessionsOf(world: World): Promise<string[]> {
  return (await world.tmux("list-sessions", "-F", "#{session_name}")).trim().split("\n").sort();
}

/** Ends a server with SIGKILL while it applies a workspace, once `isDue` says so. */
async function killDuring(world: World, workspace: object, isDue: () => Promise<boolean>): Promise<void> {
  const server = await world.serve();
  void server.call("apply-workspace", { workspace }).catch(() => {});
  await until(isDue);
  await server.kill();
  await untilGone(server.transport.pid!);
}

/** Begins a session on a world's tmux that is never finished; returns its temporary name. */
async function build(world: World, builder: TestClient, name: string): Promise<string> {
  const begun = `${world.folder}/${name}`;
  const before = await sessionsOf(world);
  const workspace = {
    session_name: name,
    before_script: `echo >> ${begun}; sleep 600`,
    windows: [{ panes: ["blank"] }],
  };
  void builder.call("apply-workspace", { workspace, socket: world.socket }).catch(() => {});
  await until(() => Deno.readTextFile(begun).then((text) => text === "\n", () => false));
  const [made] = (await sessionsOf(world)).filter((each) => !before.includes(each));
  return made!;
}

Deno.test({
  name: "a later server ends the temporary session of a killed one, and no other",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    const client = await world.serve();
    await client.ok("apply-workspace", { workspace: { session_name: "finished", windows: [{}] } });
    await world.tmux("new-session", "-d", "-s", "tmux-mcp-workspace-mine");
    await world.tmux("rename-session", "-t", await build(world, client, "kept"), "kept");
    const left = await build(world, client, "left");
    const current = await build(world, await world.serve(), "current");
    await client.kill();
    const next = await world.serve();
    await next.ok("list-sessions");
    await until(async () => !(await sessionsOf(world)).includes(left));
    assertEquals(await sessionsOf(world), ["finished", "kept", current, "tmux-mcp-workspace-mine"].sort());
    const options = await world.tmux("show-options", "-t", "finished:");
    assertEquals(options.match(/@tmux_mcp_builder/), null);
  },
});

Deno.test({
  name: "a call to a socket that is not allowed ends no session there",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    await using listed = await World.create();
    await using other = await World.create();
    for (const each of [listed, other]) await each.tmux("new-session", "-d", "-s", "person");
    const client = await world.serve();
    const [left, there] = [await build(listed, client, "left"), await build(other, client, "there")];
    await client.kill();
    const next = await world.serve({ args: ["--allowed-sockets", listed.socket] });
    assertEquals((await next.fails("list-sessions", { socket: other.socket })).code, "denied");
    // Its cleanup begins later than one of the first call would.
    await next.ok("list-sessions", { socket: listed.socket });
    await until(async () => !(await sessionsOf(listed)).includes(left));
    assertEquals(await sessionsOf(other), ["person", there]);
  },
});

Deno.test({
  name: "a limited server leaves a pane out of its reach that a killed one has held and handed over",
  ignore: Deno.build.os !== "linux",
  async fn(t) {
    await using world = await World.create();
    await world.tmux("new-session", "-d", "-s", "person");
    const client = await world.serve();
    const left = await build(world, client, "left");
    const mark = (await world.tmux("show-options", "-v", "-t", `=${left}:`, "@tmux_mcp_builder")).trim();
    await world.tmux("set-option", "-p", "-t", "=person:", "@tmux_mcp_holder", `${mark} off`);
    await world.tmux("set-option", "-p", "-t", "=person:", "@tmux_mcp_handover", `0 ${mark}`);
    await client.kill();
    // Control clients are looked at last.
    await world.tmux("set-hook", "-g", "after-list-clients", "set-option -g @swept yes");
    const option = async (name: string) =>
      (await world.tmux("show-options", "-pv", "-t", "=person:", name)).trim();
    for (const limit of ["--safety=readonly", "--allowed-sessions=work", "--allowed-panes=%99"]) {
      await t.step(limit, async () => {
        await world.tmux("set-option", "-gu", "@swept");
        const limited = await world.serve({ args: [limit] });
        await limited.ok("show-environment");
        await until(async () => (await world.tmux("show-options", "-gqv", "@swept")) !== "");
        assertEquals(await option("@tmux_mcp_holder"), `${mark} off`);
        assertEquals(await option("@tmux_mcp_handover"), `0 ${mark}`);
        await limited.client.close();
      });
    }
  },
});

const ENDS: [name: string, end: (server: TestClient) => Promise<void>][] = [
  ["is killed", (server) => server.kill()],
  ["ends with its client", (server) => server.client.close()],
];

for (const [name, end] of ENDS) {
  test(
    `the lines of a workspace whose server ${name} while it types are typed by a later call, once`,
    (served) => typesRest(served, end),
  );
}

async function typesRest(
  { world, client: second, log }: Served & { log: string },
  end: (server: TestClient) => Promise<void>,
): Promise<void> {
  const append = (word: string): string => `echo ${word} >> ${log}`;
  const workspace = (sleep_before: number) => ({
    session_name: "w",
    windows: [
      {
        window_name: "first",
        panes: [{ shell_command: append("one"), ready: { pattern: "never", timeout: sleep_before } }],
      },
      {
        window_name: "second",
        options_after: { "synchronize-panes": true },
        panes: [{ shell_command: [append("two"), { cmd: append("three"), sleep_before }] }, "blank"],
      },
    ],
  });
  const untilTyped = (...words: string[]): Promise<void> =>
    until(async () => JSON.stringify(await linesOf(log)) === JSON.stringify(words.sort()));
  const places = async (): Promise<string[]> =>
    (await world.tmux("list-panes", "-s", "-t", "=w:", "-F", "#{@tmux_mcp_workspace}")).trim().split("\n");

  const first = await world.serve();
  void first.call("apply-workspace", { workspace: workspace(600) }).catch(() => {});
  await untilTyped("one", "two");
  await until(async () => /^[^/]+\/\d+\/\d+$/.test((await places())[0]!));
  // Its lines are still that server's to type.
  const found = await second.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals(statusesOf(found), [["found"], ["found", "found"]]);
  await end(first);
  await untilGone(first.transport.pid!);
  const resumed = await second.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals([resumed.created, resumed.windows[0].panes[0].status], [false, "found"]);
  assertEquals(resumed.windows[1].panes[0].status, "made");
  await untilTyped("one", "two", "three");
  const synchronized = await world.tmux("show-options", "-wv", "-t", "=w:second", "synchronize-panes");
  assertEquals(synchronized.trim(), "on");
  assertEquals(
    statusesOf(await second.ok("apply-workspace", { workspace: workspace(0) })),
    statusesOf(found),
  );
  assertEquals(await linesOf(log), ["one", "three", "two"]);
}

test("the first lines of panes whose server is killed before it types are typed by a later call, once", async ({ world, client: second, log }) => {
  const [profile, go] = [`${world.folder}/.bash_profile`, `${world.folder}/go`];
  // No shell reaches its prompt before the server is killed.
  await Deno.writeTextFile(profile, `until [ -e ${go} ]; do sleep 0.05; done\n`);
  const workspace = (sleep_before: number) => ({
    session_name: "w",
    windows: [{
      panes: [
        { shell_command: { cmd: `echo one >> ${log}`, sleep_before } },
        { shell_command: `echo two >> ${log}; printf 'up%s\\n' 2`, ready: { pattern: "up2" } },
      ],
    }],
  });
  await killDuring(
    world,
    workspace(600),
    async () => (await sessionsOf(world).catch((): string[] => [])).includes("w"),
  );
  await Deno.writeTextFile(go, "");
  await Deno.remove(profile);
  const resumed = await second.ok("apply-workspace", { workspace: workspace(0) });
  const again = await second.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals([statusesOf(resumed), resumed.ready], [[["made", "made"]], true]);
  assertEquals([statusesOf(again), again.ready], [[["found", "found"]], true]);
  await until(async () => (await linesOf(log)).length > 1);
  assertEquals(await linesOf(log), ["one", "two"]);
});

test("the lines of a killed server are not typed into what a person runs there by now, but after that", async ({ world, client: second, log }) => {
  const workspace = (sleep_before: number) => ({
    session_name: "w",
    windows: [{
      panes: [{ shell_command: [`echo one >> ${log}`, { cmd: `echo two >> ${log}`, sleep_before }] }],
    }],
  });
  await killDuring(world, workspace(600), async () => (await linesOf(log)).includes("one"));
  const front = () => world.tmux("display-message", "-p", "-t", "=w:", "#{pane_current_command}");
  await world.tmux("send-keys", "-t", "=w:", "cat", "Enter");
  await until(async () => await front() === "cat\n");
  const held = await second.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals([statusesOf(held), held.ready, held.windows[0].panes[0].detail], [
    [["found"]],
    false,
    "Lines are left to type, but its shell is not at its prompt: call apply-workspace again once it is",
  ]);
  await world.tmux("send-keys", "-t", "=w:", "C-d");
  const resumed = await second.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals([statusesOf(resumed), resumed.ready], [[["made"]], true]);
  await until(async () => (await linesOf(log)).length > 1);
  assertEquals(await linesOf(log), ["one", "two"]);
});

test("a window gets its last options though the server is killed once all lines are typed", async ({ world, client: second, log }) => {
  const workspace = {
    session_name: "w",
    windows: [{
      options_after: { "main-pane-height": 7 },
      panes: [{ shell_command: `echo one >> ${log}` }],
    }],
  };
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const first = await world.serve();
  const pid = first.transport.pid!;
  // As soon as the pane's place says that nothing is left to do, and before tmux answers.
  const isFinished = "#{m/r:^[^/]+/[0-9]+/[0-9]+$,#{@tmux_mcp_workspace}}";
  const kill = `if-shell -F '${isFinished}' 'run-shell "kill -9 ${pid}"'`;
  await world.tmux("set-hook", "-g", "after-set-option", kill);
  await first.call("apply-workspace", { workspace }).catch(() => {});
  await untilGone(pid);
  await world.tmux("set-hook", "-gu", "after-set-option");
  await second.ok("apply-workspace", { workspace });
  const height = await world.tmux("show-options", "-wv", "-t", "=w:", "main-pane-height");
  assertEquals(height.trim(), "7");
  assertEquals(await linesOf(log), ["one"]);
});

Deno.test({
  name: "a window of a killed server is not synchronized with the pane of its client, which has come into it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    const log = `${world.folder}/log`;
    const workspace = (sleep_before: number) => ({
      session_name: "w",
      windows: [{
        options_after: { "synchronize-panes": true },
        panes: [{ shell_command: [`echo one >> ${log}`, { cmd: `echo two >> ${log}`, sleep_before }] }],
      }],
    });
    await killDuring(world, workspace(600), async () => (await linesOf(log)).includes("one"));
    const here = await world.tmux("split-window", "-d", "-t", "=w:", "-P", "-F", "#{pid} #{pane_id}", "cat");
    const [pid, TMUX_PANE = ""] = here.trim().split(" ");
    const second = await world.serve({ env: { TMUX: `${world.socket},${pid},0`, TMUX_PANE } });
    const { code, text } = await second.fails("apply-workspace", { workspace: workspace(0) });
    assertEquals([code, text.includes(TMUX_PANE)], ["denied", true], text);
    assertEquals(await world.tmux("show-options", "-wv", "-t", "=w:", "synchronize-panes"), "");
    await until(async () => (await linesOf(log)).includes("two"));
  },
});

test("a command with a readiness that kills the server as it begins is not typed again", async ({ world, client: second, log }) => {
  const first = await world.serve();
  const pid = first.transport.pid!;
  const shell_command = `kill -9 ${pid}; echo one >> ${log}; printf 'up%s\\n' 2`;
  const panes = [{ shell_command, ready: { pattern: "up2" } }];
  const workspace = { session_name: "w", windows: [{ panes }] };
  await first.call("apply-workspace", { workspace }).catch(() => {});
  await untilGone(pid);
  await until(async () => (await linesOf(log)).length > 0);
  assertEquals((await second.ok("apply-workspace", { workspace })).ready, true);
  assertEquals((await second.ok("apply-workspace", { workspace })).ready, true);
  assertEquals(await linesOf(log), ["one"]);
});

test("lines that tmux's copy mode held up, of a server that is killed while it types others, are typed later", async ({ world, client: second, log }) => {
  const workspace = (sleep_before: number) => ({
    session_name: "w",
    windows: [
      { window_name: "first", panes: [{ shell_command: `echo one >> ${log}` }] },
      { window_name: "second", panes: [{ shell_command: { cmd: `echo two >> ${log}`, sleep_before } }] },
    ],
  });
  // Each pane is in copy mode from the step on that gives it its place and its window the name.
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await world.tmux("set-hook", "-g", "window-renamed", "copy-mode");
  const first = await world.serve();
  void first.call("apply-workspace", { workspace: workspace(600) }).catch(() => {});
  const place = () =>
    world.tmux("list-panes", "-t", "=w:first", "-F", "#{@tmux_mcp_workspace}").catch(() => "");
  // The process that types the lines comes last.
  await until(async () => /^[^/]+(\/\d+){2,3}\n$/.test(await place()));
  await first.kill();
  await untilGone(first.transport.pid!);
  for (const window of ["first", "second"]) await world.tmux("copy-mode", "-q", "-t", `=w:${window}`);
  const resumed = await second.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals(statusesOf(resumed), [["made"], ["made"]]);
  await until(async () => (await linesOf(log)).length > 1);
  assertEquals(await linesOf(log), ["one", "two"]);
});

async function untilGone(pid: number): Promise<void> {
  await until(() => Deno.stat(`/proc/${pid}`).then(() => false, () => true));
}

async function linesOf(path: string): Promise<string[]> {
  return await Deno.readTextFile(path).then((text) => text.trim().split("\n").sort(), () => []);
}

function statusesOf({ windows }: { windows: { panes: { status: string }[] }[] }): string[][] {
  return windows.map(({ panes }) => panes.map(({ status }) => status));
}
