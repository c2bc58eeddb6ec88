// Every fenced block of every page holds: JSON and TOML parse, calls are ones the tools take, commands run or say why not.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse as parseToml } from "@std/toml";
import { parse as parseYaml } from "yaml";
import { readIdentity } from "../../scripts/packages/identity.ts";
import { Registry } from "../../src/server/registry.ts";
import { tools } from "../../src/tools/all.ts";
import { type Block, blocksOf } from "./guide.ts";
import { pages } from "./pages.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const PLACE = "/path/to/tmux-mcp/scripts/tmux-mcp";
const registry = new Registry(tools, { hosts: ["far"], removedBy: () => undefined });

/** Proof that a line of shell works: this file runs it, another test does, or a reason why none can. */
type Proof = "run here" | { seenBy: string } | { notRun: string };

const COMMANDS: ReadonlyArray<[RegExp, Proof]> = [
  [/^(scripts\/)?tmux-mcp init [a-z-]+( --write)?( --safety=readonly)?$/, "run here"],
  [/^(scripts\/)?tmux-mcp init [a-z-]+ (--write --force --safety=mutating|--remove)$/, {
    seenBy: "tests/e2e/cli_test.ts",
  }],
  [/^tmux-mcp config( --schema)?$|^tmux-mcp completions \w+$/, "run here"],
  [/^deno run --allow-run=tmux,ssh .* main\.ts$/, { seenBy: "tests/packages/deno_run_test.ts" }],
  [/^deno run --unstable-worker-options .* server\.ts$/, { seenBy: "tests/packages/library_test.ts" }],
  [/^tmux-mcp clean$/, { seenBy: "tests/e2e/durable_commands_test.ts" }],
  [/^(scripts\/)?tmux-mcp doctor$/, { seenBy: "tests/e2e/doctor_test.ts" }],
  [/^tmux-mcp watch %3( .*)?$/, { seenBy: "tests/docs/cli_page_test.ts" }],
  // With this checkout in place of the address, which is compared with deno.json's.
  [/^git clone /, { seenBy: "tests/soak/clients.ts" }],
  [/^\/path\/to\/tmux-mcp\/scripts\/bootstrap$/, { seenBy: "tests/scripts/bootstrap_test.ts" }],
  [/^scripts\/demo$/, { seenBy: "tests/e2e/demo_test.ts" }],
  [/^scripts\/pack$/, { seenBy: "tests/packages/npm_test.ts" }],
  [/^npm install --global dist\/|^npx --package=/, { seenBy: "tests/soak/npm_install.ts" }],
  [/^(claude plugin|gemini extensions) /, { seenBy: "tests/soak/clients.ts" }],
  [/^docker build |^claude mcp add tmux -- docker run /, {
    notRun: "there is no container runtime here; the release workflow builds it and starts it",
  }],
  [/^scripts\/compile( .*)?$/, { seenBy: "tests/packages/compile_test.ts" }],
  [/^scripts\/bench .*$/, { seenBy: "tests/scripts/bench_test.ts" }],
  [/^scripts\/test( tests\/tmux)?$/, { notRun: "it is what runs this test" }],
  [/^export PATH="\$PWD\/\.tools:\$PATH"$/, { notRun: "it only changes a shell" }],
  [/^(claude mcp add --scope user|codex mcp add) tmux -- /, { seenBy: "tests/soak/clients.ts" }],
];

/** Pages whose shell lines are looked at by a test of their own. */
const OWN_SHELL: ReadonlyArray<[RegExp, seenBy: string]> = [
  [/^docs\/guides\/|^docs\/troubleshooting\.md$/, "tests/docs/guides_test.ts"],
  [/^docs\/security\.md$/, "tests/docs/security_page_test.ts"],
];

/** The commands of a block: comments gone, continued lines joined. */
function commandsOf(block: Block): string[] {
  return block.text.replaceAll(/\\\n\s*/g, "").split("\n")
    .map((line) => line.replace(/(^|\s+)#.*$/, "").trim())
    .filter((line) => line !== "");
}

function proofOf(command: string): Proof | undefined {
  return COMMANDS.find(([pattern]) => pattern.test(command.split(" && ")[0]!))?.[1];
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(join(ROOT, path)).then(() => true, () => false);
}

for (const page of await pages()) {
  const blocks = blocksOf(await Deno.readTextFile(join(ROOT, page)));

  Deno.test(`${page}: every block is of a kind that is looked at`, () => {
    const kinds = new Set(["json", "toml", "yaml", "sh", "text", "ts"]);
    assertEquals(blocks.filter(({ language }) => !kinds.has(language)), []);
  });

  Deno.test(`${page}: JSON and TOML parse, and every call is one the tool takes`, () => {
    for (const { text } of blocks.filter(({ language }) => language === "toml")) parseToml(text);
    for (const { text } of blocks.filter(({ language }) => language === "yaml")) {
      parseYaml(text, { strict: true });
    }
    for (const [at, { language, text }] of blocks.entries()) {
      if (language !== "json") continue;
      const { tool, arguments: args, ...rest } = JSON.parse(text);
      if (tool === undefined) continue;
      const entry = registry.find(tool);
      assert(entry !== undefined, `no tool is called ${tool}`);
      assertEquals(rest, {}, text);
      // A call that is answered by a text may be wrong on purpose: the text is what the tool says to it.
      const mayBeWrong = blocks[at + 1]?.language === "text";
      const read = entry.input.safeParse(args);
      assert(read.success || mayBeWrong, `${text}: ${read.error?.message}`);
    }
  });

  Deno.test(`${page}: every command runs in a test, or there is a reason why not`, () => {
    if (OWN_SHELL.some(([pattern]) => pattern.test(page))) return;
    const commands = blocks.filter(({ language }) => language === "sh").flatMap(commandsOf);
    assertEquals(commands.filter((command) => proofOf(command) === undefined), []);
  });
}

Deno.test("the tests that see to commands are there", async () => {
  const proofs = COMMANDS.flatMap(([, proof]) =>
    typeof proof === "object" && "seenBy" in proof ? [proof.seenBy] : []
  );
  for (const path of [...proofs, ...OWN_SHELL.map(([, seenBy]) => seenBy)]) assert(await exists(path), path);
});

/** Runs a command of a page as its reader would, with a home of its own. */
async function run(command: string, home: string): Promise<{ stdout: string; stderr: string }> {
  const script = `tmux-mcp() { scripts/tmux-mcp "$@"; }; ${command}`;
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euc", script],
    cwd: ROOT,
    clearEnv: true,
    env: { HOME: home, PATH: Deno.env.get("PATH") ?? "" },
  }).output();
  const text = { stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  assert(success, `${command}: ${text.stderr}`);
  return text;
}

async function withHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  try {
    await test(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("the commands that this file runs do", async () => {
  const texts = await Promise.all((await pages()).map((page) => Deno.readTextFile(join(ROOT, page))));
  const commands = texts.flatMap(blocksOf).filter(({ language }) => language === "sh").flatMap(commandsOf);
  const here = new Set(commands.filter((command) => proofOf(command) === "run here"));
  assert(here.size >= 4);
  for (const command of here) {
    await withHome(async (home) => {
      await run(command, home);
    });
  }
});

Deno.test("the README clones the repository that deno.json names", async () => {
  const readme = await Deno.readTextFile(join(ROOT, "README.md"));
  const { repository } = await readIdentity();
  const cloned = [...readme.matchAll(/git clone (\S+) && cd (\S+)/g)].map(([, ...words]) => words);
  assertEquals(cloned, [[repository, repository.split("/").at(-1)]]);
});

Deno.test("the README's entries are what init prints", () =>
  withHome(async (home) => {
    const readme = await Deno.readTextFile(join(ROOT, "README.md"));
    const shown = blocksOf(readme).flatMap(({ language, text }) =>
      language === "json" ? [JSON.parse(text)] : []
    ).filter((entry) => JSON.stringify(entry).includes(PLACE)).map((entry) => JSON.stringify(entry));
    assertEquals(shown.length, 1);
    for (const client of ["claude-desktop", "cursor", "windsurf"]) {
      const { stdout } = await run(`tmux-mcp init ${client}`, home);
      const text = JSON.stringify(JSON.parse(stdout)).replaceAll(join(ROOT, "scripts/tmux-mcp"), PLACE);
      assert(shown.includes(text), `${client}: ${text}`);
    }
    for (const client of ["claude-code", "codex"]) {
      const { stderr } = await run(`tmux-mcp init ${client}`, home);
      const [, command = ""] = /or run: (.*)/.exec(stderr) ?? [];
      assert(
        command !== "" && readme.includes(command.replace(join(ROOT, "scripts/tmux-mcp"), PLACE)),
        command,
      );
    }
  }));
