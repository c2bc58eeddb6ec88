// The npm package as people install it, with what npm downloads: globally, in a project, and through npx.
import { assert } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { proveServer } from "../support/proof.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd, stdin: "null" })
    .output();
  assert(success, `${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}

/** The package's file, in a folder of its own. */
async function pack(world: World): Promise<string> {
  return await run("deno", ["run", "-A", "scripts/pack.ts", join(world.folder, "packed")], ROOT);
}

Deno.test("npm install --global FILE serves from any prefix", async () => {
  await using world = await World.create();
  const prefix = join(world.folder, "prefix");
  await run("npm", ["install", "--global", "--prefix", prefix, await pack(world)], world.folder);
  await proveServer(world, { command: join(prefix, "bin/tmux-mcp"), cwd: "/" });
});

Deno.test("npm install FILE serves from a project", async () => {
  await using world = await World.create();
  const project = join(world.folder, "project");
  await run("npm", ["install", "--prefix", project, await pack(world)], world.folder);
  await proveServer(world, { command: join(project, "node_modules/.bin/tmux-mcp"), cwd: "/" });
});

Deno.test("npx --package=FILE tmux-mcp serves", async () => {
  await using world = await World.create();
  const args = ["--yes", `--package=${await pack(world)}`, "tmux-mcp"];
  await proveServer(world, { command: "npx", args, cwd: world.folder });
});
