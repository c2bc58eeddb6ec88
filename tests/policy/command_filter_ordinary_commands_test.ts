// Command lines as READMEs and build scripts have them: which of them a filter refuses to read.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { CommandFilter } from "../../src/policy/command_filter.ts";
import { parseStatements } from "../../src/shell/syntax/statements.ts";
import type { ShellKind } from "../../src/shell/shell_kind.ts";

const page = await Deno.readTextFile(fromFileUrl(new URL("../../docs/security.md", import.meta.url)));
const list = await Deno.readTextFile(fromFileUrl(new URL("ordinary_commands.txt", import.meta.url)));
/** One a line; a line that begins with + continues with the one before. */
const commands = list.trimEnd().split(/\n(?!\+)/).map((command) => command.replaceAll("\n+", "\n"));

/** Those that a denylist of something else refuses, and those that an allowlist of their own commands does. */
async function refused(shell: ShellKind): Promise<{ denylist: string[]; allowlist: string[] }> {
  const found = { denylist: [] as string[], allowlist: [] as string[] };
  for (const command of commands) {
    const own = ownCommands(command, shell);
    for (const [mode, patterns] of [["denylist", ["^mkfs\\b"]], ["allowlist", own]] as const) {
      const filter = new CommandFilter({
        filterMode: mode,
        filterPatterns: [...patterns],
        filterEnvironment: [],
      });
      await filter.checkCommand(command, shell).catch(() => found[mode].push(command));
    }
  }
  return found;
}

function ownCommands(command: string, shell: ShellKind): string[] {
  try {
    return parseStatements(command, shell).map(({ source }) => `^\\Q${source}\\E$`);
  } catch {
    return [];
  }
}

const ROWS: readonly [string, ShellKind][] = [
  ["bash", "bash"],
  ["zsh", "zsh"],
  ["dash, ash, ksh or mksh", "sh"],
  ["unknown", "unknown"],
];

Deno.test("ordinary command lines are read, but for as many as security.md says", async () => {
  assertEquals(/(\d+) ordinary command lines/.exec(page)?.[1], String(commands.length));
  for (const [name, shell] of ROWS) {
    const told = new RegExp(`^\\| ${name} +\\| (\\d+) `, "m").exec(page)?.[1];
    const { denylist, allowlist } = await refused(shell);
    assertEquals([String(denylist.length), String(allowlist.length)], [told, told], denylist.join("\n"));
  }
});
