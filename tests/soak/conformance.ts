// The official conformance suite against this server, over a bridge from HTTP to stdio. npm installs the suite.
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { findDenoDir } from "../support/proof.ts";
import { HttpBridge } from "../support/http_bridge.ts";
import { World } from "../support/world.ts";

const SERVER = fromFileUrl(new URL("../support/conformance_server.ts", import.meta.url));
const SUITE = ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node@22"];
const CHECK = /\[([\w-]+) *\]\S* \S*(SUCCESS|FAILURE|SKIPPED)/g;

const TOOL = "calls a tool that can't be declared here";
const HTTP = "is about HTTP, which the server doesn't speak";
const FAILED = "wants a call to fail as a protocol error, but a failed call is always a result";

/** Scenarios that the server or its fixtures can play, and those of their checks that can't hold here. */
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
  "tools-call-simple-text": {},
  "tools-call-image": {},
  "tools-call-error": {},
  "tools-call-with-progress": {},
  "prompts-get-simple": {},
  "prompts-get-with-args": {},
  "completion-complete": {},
  "dns-rebinding-protection": {},
  "server-sse-multiple-streams": {},
  "tasks-lifecycle": { "sep-2663-tasks-get-status-failed": FAILED },
  "tasks-capability-negotiation": {},
  "tasks-wire-fields": {},
  "tasks-request-state-removal": {},
  "tasks-mrtr-input": {},
  "tasks-request-headers": {
    "tasks-headers-reject-mismatched-method": HTTP,
    "sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get": HTTP,
  },
  "tasks-dispatch-and-envelope": {},
  "sep-2640-skills-enumeration": {},
  "sep-2640-skills-manifest": {},
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
  const command = [Deno.execPath(), "run", "-A", SERVER, world.socket];
  await using bridge = new HttpBridge(command, { ...world.env, DENO_DIR: await findDenoDir() });
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
