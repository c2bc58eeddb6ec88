// The command that a client's entry stores stays valid after updates.
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { commandOfFile, ownWords } from "../../src/cli/own_command.ts";
import { PROGRAM_FOLDERS } from "../../src/tmux/server_environment.ts";
import { VERSION } from "../../src/version.ts";

/** A file as Homebrew installs it or a person unpacks it, and folders for the PATH. */
async function installed(): Promise<{ root: string; file: string } & AsyncDisposable> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const file = join(root, "Cellar/tmux-mcp/1.0.0/bin/tmux-mcp");
  await Deno.mkdir(join(file, ".."), { recursive: true });
  await Deno.writeTextFile(file, "");
  for (const folder of ["bin", "other"]) await Deno.mkdir(join(root, folder));
  return { root, file, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

Deno.test("a link on the PATH is stored instead of a path with a version in it", async () => {
  await using found = await installed();
  const { root, file } = found;
  const path = `relative::${root}/other:${root}/bin`;
  const args = ["--scope=all"];
  assertEquals(commandOfFile(file, { args, path }), { command: file, args });
  await Deno.writeTextFile(join(root, "other/tmux-mcp"), "another program");
  await Deno.symlink(file, join(root, "bin/tmux-mcp"));
  assertEquals(commandOfFile(file, { args, path }), { command: join(root, "bin/tmux-mcp"), args });
  const binary = join(root, "tmux-mcp-1.0.0-linux-x64");
  await Deno.writeTextFile(binary, "");
  assertEquals(commandOfFile(binary, { args, path }).command, binary);
  await Deno.symlink(binary, join(root, "bin/tmux-mcp-1.0.0-linux-x64"));
  assertEquals(commandOfFile(binary, { args, path }).command, join(root, "bin/tmux-mcp-1.0.0-linux-x64"));
});

Deno.test("a person types a name only if the PATH finds it without the folders that the launcher adds", async () => {
  await using found = await installed();
  const folder = join(found.root, ".local/bin");
  await Deno.mkdir(folder, { recursive: true });
  const launcher = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));
  await Deno.symlink(launcher, join(folder, "tmux-mcp"));
  const launched = (path: string) =>
    `${path}:${PROGRAM_FOLDERS.replaceAll("$HOME", found.root)}:/usr/sbin:/sbin`;
  assertEquals(ownWords(launched("/usr/local/bin:/usr/bin")), join(folder, "tmux-mcp"));
  assertEquals(ownWords(launched(`${folder}:/usr/bin`)), "tmux-mcp");
  assertEquals(ownWords(`/usr/bin:${folder}`), "tmux-mcp");
});

Deno.test("a package that npx, pnpm dlx or bunx fetched is started by it again, for its cache may be emptied", () => {
  const caches: [folder: string, words: [string, ...string[]]][] = [
    ["/home/me/.npm/_npx/a1b2", ["npx", "-y"]],
    ["/home/me/.cache/pnpm/dlx/a1b2/19a-4f", ["pnpm", "dlx"]],
    ["/home/me/.cache/pnpm/dlx-4711", ["pnpm", "dlx"]],
    ["/tmp/bunx-1000-@tmux-mcp/server@latest", ["bunx"]],
    ["/home/me/.bun/install/cache/.bunx-1000/@tmux-mcp/server@latest", ["bunx"]],
  ];
  for (const [folder, [command, ...words]] of caches) {
    const file = `${folder}/node_modules/@tmux-mcp/server/scripts/tmux-mcp`;
    assertEquals(commandOfFile(file, { args: ["--scope=all"], path: "/usr/bin" }), {
      command,
      args: [...words, `@tmux-mcp/server@${VERSION}`, "--scope=all"],
    });
  }
});
