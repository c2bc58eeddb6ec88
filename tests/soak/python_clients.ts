// FastMCP's client, which is built on the official Python SDK and drives tasks. PyPI installs it.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const CLIENT = fromFileUrl(new URL("./python_client.py", import.meta.url));
const PACKAGES = ["fastmcp==4.1.2", "fastmcp-tasks==4.1.2"];

async function run(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    env,
    clearEnv: true,
    stdin: "null",
  }).output();
  assert(success, `${program}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

Deno.test("FastMCP's client: tools, tasks, pictures, resources, prompts, skills", async () => {
  await using world = await World.create();
  const environment = { ...Deno.env.toObject(), ...world.env };
  const venv = join(world.folder, "venv");
  await run("python3", ["-m", "venv", venv], environment);
  await run(join(venv, "bin/pip"), ["install", "--quiet", ...PACKAGES], environment);
  const args = [CLIENT, join(ROOT, "scripts/tmux-mcp"), "--socket", world.socket, "--scope", "all"];
  const { tools, error, ...seen } = JSON.parse(
    await run(join(venv, "bin/python"), args, environment),
  );
  assertEquals(seen, {
    version: "2026-07-28",
    ran: ["completed", 3, "done"],
    task: "later",
    cancelled: "cancelled",
    picture: "image",
    resource: true,
    prompt: 1,
    skills: ["driving-terminals", "large-buffers"],
  });
  assert(tools > 50);
  assertMatch(error, /Cannot find pane "%9999"/);
});
