// Entries that start this program, in each way that the docs name, and others that look alike.
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { CLIENTS } from "../../src/cli/clients.ts";
import { addEntry, removeEntry } from "../../src/cli/entry.ts";
import { findOwnCommand } from "../../src/cli/own_command.ts";
import { startsThisProgram } from "../../src/cli/own_entry.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

const OURS = [
  "/opt/tmux-mcp/scripts/tmux-mcp --scope=all",
  "tmux-mcp",
  "/home/me/tmux-mcp-1.0.0-linux-x64",
  "./tmux-mcp-1.2.0-rc.1-macos-arm64",
  "npx -y @tmux-mcp/server@1.0.0",
  "deno run -A jsr:@tmux-mcp/server@^1.0.0/main",
  "docker run --rm --interactive tmux-mcp",
  "/usr/bin/podman run -i --name tmux --volume=/srv:/srv -e A=b localhost/tmux-mcp:1.0.0 --safety readonly",
  `deno run --allow-env --config ${ROOT}deno.json ${ROOT}main.ts --scope=all`,
  `${ROOT}.tools/deno run ${ROOT}main.ts`,
];

const OTHERS = [
  "npx -y tmux-mcp",
  "npx tmux-mcp-server",
  "npx -y @other/server",
  "/opt/tmux-mcp-rs",
  "node /opt/tmux-mcp/main.js",
  "docker run --rm --name tmux-mcp other/image",
  "docker run -i other/tmux-mcp",
  "docker run -i tmux-mcp-bridge",
  "docker exec tmux-mcp sh",
  "docker run",
  `deno run /opt/main.ts ${ROOT}main.ts`,
  `deno run ${ROOT}scripts/gen.ts`,
  `deno check ${ROOT}main.ts`,
  "",
];

function entryOf(line: string): { command: string; args: string[] } {
  const [command = "", ...args] = line.split(" ");
  return { command, args };
}

Deno.test("entries that start this program are known, and no others", () => {
  const ours = [...OURS, ...OTHERS].filter((line) => startsThisProgram(entryOf(line)));
  assertEquals(ours, OURS);
});

Deno.test("a file of any name is this program if it is the one that runs", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const link = join(folder, "terminals");
    await Deno.symlink(findOwnCommand([]).command, link);
    assertEquals(startsThisProgram(entryOf(link)), true);
    assertEquals(startsThisProgram(entryOf(join(folder, "none"))), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the entry of a release's binary is removed, and keeps what was added where it is replaced", () => {
  const cursor = CLIENTS.find(({ name }) => name === "cursor")!;
  const env = { TMUX_MCP_SAFETY: "readonly" };
  const entry = { command: "/home/me/tmux-mcp-1.0.0-linux-x64", args: [], env };
  const config = { path: "", text: JSON.stringify({ mcpServers: { tmux: entry } }) };
  assertEquals(JSON.parse(removeEntry(cursor, config, { force: false })!), { mcpServers: {} });
  const launch = { command: "/home/me/tmux-mcp-1.1.0-linux-x64", args: [] };
  const replaced = addEntry(cursor, config, { launch, force: true })!;
  assertEquals(JSON.parse(replaced).mcpServers.tmux, { ...launch, env });
});
