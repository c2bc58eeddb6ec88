// The official conformance suite against this server, over a bridge from HTTP to stdio. npm installs the suite.
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { HttpBridge } from "../support/http_bridge.ts";
import { World } from "../support/world.ts";

const LAUNCHER = join(fromFileUrl(new URL("../../", import.meta.url)), "scripts/tmux-mcp");
const SUITE = ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22"];
const CHECK = /\[([\w-]+) *\]\S* \S*(SUCCESS|FAILURE|SKIPPED)/g;

const TOOL = "calls a tool of the suite";
const HTTP = "is about HTTP, which the server doesn't speak";

/** Scenarios that need no tools, prompts or resources of the suite, and those of their checks that can't hold here. */
const SCENARIOS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "server-initialize": {},
  "server-session-lifecycle": {},
  "server-stateless": {
    "sep-2575-http-server-header-mismatch-400": HTTP,
    "sep-2575-server-rejects-undeclared-capability": TOOL,
    "sep-2575-missing-capability-http-400": TOOL,
    "sep-2575-http-server-no-independent-requests-on-stream": TOOL,
    "sep-2575-server-no-log-without-loglevel": TOOL,
  },
  "ping": {},
  "logging-set-level": {},
  "tools-list": {},
  "resources-list": {},
  "prompts-list": {},
  "caching": {},
  "sep-2164-resource-not-found": {},
  "input-required-result-unsupported-methods": {},
};

async function installSuite(folder: string): Promise<string[]> {
  const { success, stderr } = await new Deno.Command("npm", {
    args: ["install", "--silent", "--prefix", folder, ...SUITE],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const modules = join(folder, "node_modules");
  return [join(modules, "node/bin/node"), join(modules, ".bin/conformance"), "server"];
}

Deno.test("the scenarios of the official suite that apply", async (t) => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "work", "cat");
  const [node, ...suite] = await installSuite(world.folder);
  const command = [LAUNCHER, "--socket", world.socket, "--scope", "all"];
  await using bridge = new HttpBridge(command, world.env);
  for (const [scenario, inapplicable] of Object.entries(SCENARIOS)) {
    await t.step(scenario, async () => {
      const args = [...suite, "--url", bridge.url, "--scenario", scenario];
      const { stdout } = await new Deno.Command(node!, { args }).output();
      const text = new TextDecoder().decode(stdout);
      const checks = [...text.matchAll(CHECK)].map(([, id, verdict]) => [id!, verdict!] as const);
      assertEquals(checks.some(([, verdict]) => verdict === "SUCCESS"), true, text);
      const failed = checks.filter(([id, verdict]) => verdict === "FAILURE" && !(id in inapplicable));
      assertEquals(failed, [], text);
    });
  }
});
