// A service in whose pane a person reads or answers: calls that type nothing there find it.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("services and people");

const ways = {
  "a person has scrolled back in its pane": [["copy-mode"], ["copy-mode", "-q"]],
  "the input of its pane is off": [["select-pane", "-d"], ["select-pane", "-e"]],
  "a person answers in its pane": [
    ["set-option", "-p", "@tmux_mcp_handover", `${Math.ceil(Date.now() / 1000) + 600}`],
    ["set-option", "-p", "-u", "@tmux_mcp_handover"],
  ],
} as const;

for (const [how, [begin, end]] of Object.entries(ways)) {
  test(`a service runs although ${how}, and is not restarted meanwhile`, async ({ world, client, other }) => {
    const web = { name: "web", command: "sleep 600", timeout: 0 };
    const { paneId } = await client.ok("ensure-service", web);
    const on = ([command, ...options]: readonly string[]): Promise<string> =>
      world.tmux(command!, "-t", paneId, ...options);
    const scoped = await other("--allowed-sessions", "tmux-mcp-services");
    await on(begin);
    for (const each of [client, scoped]) {
      const { status, paneId: found } = await each.ok("ensure-service", web);
      assertEquals([status, found], ["already-running", paneId]);
      for (const refused of [{ ...web, restart: true }, { ...web, command: "sleep 500" }]) {
        assertEquals((await each.fails("ensure-service", refused)).code, "busy");
      }
    }
    const { services: [{ status, command }] } = await client.ok("list-services");
    assertEquals([status, command], ["running", "sleep 600"]);
    await on(end);
    // Without attaching, as with tmux 3.2a, only the server that has read the pane can.
    assertEquals((await client.ok("ensure-service", { ...web, restart: true })).status, "restarted");
  });
}

test("a service that asks for a password runs, though calls type none", async ({ world, client }) => {
  const web = { name: "web", command: "read -s -p 'Password: ' x; sleep 600", timeout: 0 };
  const { paneId } = await client.ok("ensure-service", web);
  await until(async () => (await client.ok("pane-state", { paneId })).inputKind === "password");
  const strict = await world.serve({ args: ["--type-passwords=false"] });
  assertEquals((await strict.ok("ensure-service", web)).status, "already-running");
  assertEquals((await strict.fails("ensure-service", { ...web, restart: true })).code, "denied");
  await strict.client.close();
});
