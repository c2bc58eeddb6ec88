// Sessions that a killed server has left half built are ended by a later one, and no others.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assertEquals } from "@std/assert";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

Deno.test({
  name: "a later server ends the temporary session of a killed one, and no other",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    const client = await world.serve();
    const sessions = async (): Promise<string[]> =>
      (await world.tmux("list-sessions", "-F", "#{session_name}")).trim().split("\n").sort();
    await client.ok("apply-workspace", { workspace: { session_name: "finished", windows: [{}] } });
    await world.tmux("new-session", "-d", "-s", "tmux-mcp-workspace-mine");
    const build = async (builder: TestClient, name: string): Promise<string> => {
      const begun = `${world.folder}/${name}`;
      const before = await sessions();
      const workspace = {
        session_name: name,
        before_script: `echo >> ${begun}; sleep 600`,
        windows: [{ panes: ["blank"] }],
      };
      void builder.call("apply-workspace", { workspace }).catch(() => {});
      await until(() => Deno.readTextFile(begun).then((text) => text === "\n", () => false));
      const [made] = (await sessions()).filter((each) => !before.includes(each));
      return made!;
    };
    await world.tmux("rename-session", "-t", await build(client, "kept"), "kept");
    const left = await build(client, "left");
    const current = await build(await world.serve(), "current");
    await client.kill();
    const next = await world.serve();
    await next.ok("list-sessions");
    await until(async () => !(await sessions()).includes(left));
    assertEquals(await sessions(), ["finished", "kept", current, "tmux-mcp-workspace-mine"].sort());
    const options = await world.tmux("show-options", "-t", "finished:");
    assertEquals(options.match(/@tmux_mcp_builder/), null);
  },
});
