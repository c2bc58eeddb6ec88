// Real clients from npm, set up as the pages say: each reads the entry that init wrote, and starts the server if it can
// without a model. Installs some hundred megabytes: into $TMUX_MCP_CLIENTS, if that is set, where the next run finds them.
import { assert, assertStringIncludes } from "@std/assert";
import { stripVTControlCharacters } from "node:util";
import { join } from "@std/path";
import { ROOT } from "../../scripts/packages/identity.ts";

const PACKAGES = [
  "@anthropic-ai/claude-code",
  "@openai/codex",
  "@google/gemini-cli",
  "opencode-ai",
  "@github/copilot",
];
/** Gemini CLI starts no server in a folder that its user has not trusted. */
const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: "true" };
const CALL_MS = 120_000;

const kept = Deno.env.get("TMUX_MCP_CLIENTS");
const clients = kept ?? await Deno.makeTempDir({ prefix: "tmux-mcp-clients-" });

interface Said {
  success: boolean;
  text: string;
}

/** Runs a program with a home of its own, in an empty project there. */
async function run(home: string, command: string, ...args: string[]): Promise<string> {
  const { success, text } = await tryRun(home, command, ...args);
  assert(success, `${command} ${args.join(" ")}: ${text}`);
  return text;
}

async function tryRun(home: string, command: string, ...args: string[]): Promise<Said> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd: home,
    clearEnv: true,
    env: { ...TRUSTED, HOME: home, PATH: `${join(clients, "node_modules/.bin")}:${Deno.env.get("PATH")}` },
    stdin: "null",
    signal: AbortSignal.timeout(CALL_MS),
  }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  return { success, text: stripVTControlCharacters(text) };
}

async function withHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "tmux-mcp-home-" });
  try {
    await test(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

if (await Deno.stat(join(clients, "node_modules/.bin/claude")).then(() => false, () => true)) {
  await run(clients, "npm", "install", "--prefix", clients, "--no-audit", "--no-fund", ...PACKAGES);
}

/** How a client lists its servers, and what it then says of one that it has connected to or read. */
const LISTED: ReadonlyArray<[client: string, command: string[], says: RegExp]> = [
  ["claude-code", ["claude", "mcp", "list"], /^tmux: .*Connected/m],
  ["gemini", ["gemini", "mcp", "list"], /✓ tmux: .*Connected/],
  ["opencode", ["opencode", "mcp", "list"], /✓ tmux connected/],
  // These two read the entry, and start a server only with a model.
  ["codex", ["codex", "mcp", "list"], /^tmux .*scripts\/tmux-mcp.* enabled/m],
  ["copilot", ["copilot", "mcp", "get", "tmux"], /Status: Enabled[^]*scripts\/tmux-mcp/],
];

for (const [client, [program = "", ...args], says] of LISTED) {
  Deno.test(`${client} has the server that init wrote, and no longer once it is removed`, () =>
    withHome(async (home) => {
      const launcher = join(ROOT, "scripts/tmux-mcp");
      await run(home, launcher, "init", client, "--write");
      const version = (await run(home, program, "--version")).trim().split("\n")[0];
      const text = await run(home, program, ...args);
      assert(says.test(text), `${version}: ${text}`);
      await run(home, launcher, "init", client, "--remove");
      assert(!says.test((await tryRun(home, program, ...args)).text), client);
      Deno.stdout.writeSync(new TextEncoder().encode(`  ${client} ${version}\n`));
    }));
}

/** Seconds from the README's first line to a client that is connected. */
const WALK_SECONDS = 90;

Deno.test("a stranger who clones the repository has Claude Code connected soon", () =>
  withHome(async (home) => {
    const began = performance.now();
    const folder = join(home, "tmux-mcp");
    await run(home, "git", "clone", "--quiet", ROOT, folder);
    await run(home, join(folder, "scripts/tmux-mcp"), "init", "claude-code", "--write");
    const text = await run(home, "claude", "mcp", "list");
    const seconds = (performance.now() - began) / 1000;
    assert(/^tmux: .*Connected/m.test(text), text);
    assert(seconds < WALK_SECONDS, `it took ${seconds.toFixed(0)} s`);
    Deno.stdout.writeSync(new TextEncoder().encode(`  ${seconds.toFixed(0)} s\n`));
  }));

/** The clients' own commands, as the pages show them. */
const ADDS: ReadonlyArray<[client: string, command: string[]]> = [
  ["claude-code", ["claude", "mcp", "add", "--scope", "user"]],
  ["codex", ["codex", "mcp", "add"]],
];

for (const [client, [program = "", ...args]] of ADDS) {
  Deno.test(`${program} mcp add adds the server as the pages show`, () =>
    withHome(async (home) => {
      await run(home, program, ...args, "tmux", "--", join(ROOT, "scripts/tmux-mcp"));
      const [, [, ...list] = [], says] = LISTED.find(([name]) => name === client)!;
      const text = await run(home, program, ...list);
      assert(says.test(text), text);
    }));
}

Deno.test("Claude Code takes the checkout as a marketplace, and its plugin connects", () =>
  withHome(async (home) => {
    // The folder's name alone has only the marketplace read.
    for (const path of [ROOT, join(ROOT, ".claude-plugin/plugin.json")]) {
      await run(home, "claude", "plugin", "validate", path);
    }
    await run(home, "claude", "plugin", "marketplace", "add", ROOT);
    await run(home, "claude", "plugin", "install", "tmux-mcp@tmux-mcp");
    const text = await run(home, "claude", "mcp", "list");
    assert(/^plugin:tmux-mcp:tmux: .*Connected/m.test(text), text);
  }));

Deno.test("Gemini CLI takes the checkout as an extension with both skills, and connects", () =>
  withHome(async (home) => {
    await run(home, "gemini", "extensions", "validate", ROOT);
    await run(home, "gemini", "extensions", "link", ROOT, "--consent");
    const text = await run(home, "gemini", "mcp", "list");
    assert(/✓ tmux \(from tmux-mcp\): .*Connected/.test(text), text);
    const listed = await run(home, "gemini", "extensions", "list");
    for (const skill of ["driving-terminals", "large-buffers"]) assertStringIncludes(listed, skill);
  }));

Deno.test("Anthropic's packer takes the bundle of a binary", () =>
  withHome(async (home) => {
    const binary = join(home, "tmux-mcp-0.0.0-linux-x64");
    await Deno.writeTextFile(binary, "#!/bin/sh\n");
    const script = join(ROOT, "scripts/packages/release.ts");
    const config = join(ROOT, "deno.json");
    await run(
      home,
      Deno.execPath(),
      "run",
      "-A",
      "--config",
      config,
      script,
      "bundle",
      "tmux-mcp-0.0.0-linux-x64",
    );
    assert((await Deno.stat(`${binary}.mcpb`)).size > 0);
  }));

if (kept === undefined) {
  globalThis.addEventListener("unload", () => Deno.removeSync(clients, { recursive: true }));
}
