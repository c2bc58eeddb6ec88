// Sessions that a killed server has left half built are ended by a later one, and no others.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assertEquals } from "@std/assert";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

async function sessionsOf(world: World): Promise<string[]> {
  return (await world.tmux("list-sessions", "-F", "#{session_name}")).trim().split("\n").sort();
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

for (const limit of ["--safety=readonly", "--allowed-sessions=work", "--allowed-panes=%99"]) {
  Deno.test({
    name: `a server with ${limit} leaves a pane out of its reach that a killed one has held and handed over`,
    ignore: Deno.build.os !== "linux",
    fn: () => leftHeld(limit),
  });
}

async function leftHeld(limit: string): Promise<void> {
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
  const limited = await world.serve({ args: [limit] });
  await limited.ok("show-environment");
  await until(async () => (await world.tmux("show-options", "-gqv", "@swept")) !== "");
  const option = async (name: string) =>
    (await world.tmux("show-options", "-pv", "-t", "=person:", name)).trim();
  assertEquals(await option("@tmux_mcp_holder"), `${mark} off`);
  assertEquals(await option("@tmux_mcp_handover"), `0 ${mark}`);
}
