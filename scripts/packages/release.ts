// Files that a release adds to its binaries: the Homebrew formula (after SHA256SUMS), or a binary's MCP bundle.
import { basename, dirname, join } from "@std/path";
import { homebrewFormula, readChecksums } from "./formula.ts";
import { type Identity, readIdentity } from "./identity.ts";
import { bundleManifest } from "./manifests.ts";

/** Anthropic's own packer, which also checks the manifest. */
const PACKER = "@anthropic-ai/mcpb@2.1.2";
const USAGE = "usage: release.ts formula FOLDER | bundle BINARY";

/** Writes `FOLDER/tmux-mcp.rb` from `FOLDER/SHA256SUMS`. */
async function writeFormula(identity: Identity, folder: string): Promise<string> {
  const checksums = readChecksums(await Deno.readTextFile(join(folder, "SHA256SUMS")));
  const path = join(folder, "tmux-mcp.rb");
  await Deno.writeTextFile(path, homebrewFormula(identity, checksums));
  return path;
}

/** Writes `BINARY.mcpb`, for clients that install a file (Claude Desktop). */
async function writeBundle(identity: Identity, binary: string): Promise<string> {
  const path = join(Deno.cwd(), `${binary}.mcpb`);
  const staged = await Deno.makeTempDir({ prefix: "tmux-mcp-bundle-" });
  try {
    await Deno.mkdir(join(staged, "server"));
    await Deno.copyFile(binary, join(staged, "server/tmux-mcp"));
    await Deno.chmod(join(staged, "server/tmux-mcp"), 0o755);
    const platform = /macos|darwin/.test(basename(binary)) ? "darwin" : "linux";
    const manifest = JSON.stringify(bundleManifest(identity, platform), null, 2);
    await Deno.writeTextFile(join(staged, "manifest.json"), manifest);
    await Deno.mkdir(dirname(path), { recursive: true });
    const { success, stderr } = await new Deno.Command("npx", {
      args: ["--yes", PACKER, "pack", staged, path],
    }).output();
    if (!success) throw new Error(`Cannot pack ${path}: ${new TextDecoder().decode(stderr)}`);
    return path;
  } finally {
    await Deno.remove(staged, { recursive: true });
  }
}

async function main([what, where]: readonly string[]): Promise<number> {
  const writers = { formula: writeFormula, bundle: writeBundle };
  if (where === undefined || (what !== "formula" && what !== "bundle")) {
    Deno.stderr.writeSync(new TextEncoder().encode(`${USAGE}\n`));
    return 2;
  }
  const path = await writers[what](await readIdentity(), where);
  Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`));
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
