// The completion scripts in the shells they are for.
import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { bashScript } from "../../src/cli/completions/bash.ts";
import { fishScript } from "../../src/cli/completions/fish.ts";
import { zshScript } from "../../src/cli/completions/zsh.ts";
import { commonFlags } from "../../src/cli/completions/words.ts";
import { flagOf } from "../../src/config/option_row.ts";
import { ROWS } from "../../src/config/table.ts";
import { launch } from "../support/launched.ts";
import { World } from "../support/world.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SCRIPTS;

/** Prints what bash would offer for the last of its arguments, which are split as bash splits a line. */
const ASK_BASH = `source "$0"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tmux_mcp
printf '%s\\n' "\${COMPREPLY[@]}"`;

/** Presses Tab after each line in an interactive zsh of its own and prints the lines that this makes. */
const ASK_ZSH = `zmodload zsh/zpty
zpty shell "PS1= exec zsh -f -i"
zpty -w shell "unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source \${(q)1}"
zpty -w shell 'show() { print -r -- "<line>$BUFFER<end>"; BUFFER= }; zle -N show; bindkey "^X" show; print re""ady'
zpty -r shell answer "*ready*"
for line in "\${@:2}"; do
  zpty -w -n shell "$line"$'\\t\\x18'
  zpty -r shell answer "*<line>*<end>*"
  print -r -- \${\${answer##*<line>}%%<end>*}
done`;

class Completing {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async #run(program: string, args: readonly string[]): Promise<string[]> {
    const output = await new Deno.Command(program, {
      args: [...args],
      env: { ...this.#world.env, TERM: "dumb" },
      clearEnv: true,
      cwd: this.#world.folder,
      stdin: "null",
    }).output();
    assertEquals([output.code, new TextDecoder().decode(output.stderr)], [0, ""]);
    return new TextDecoder().decode(output.stdout).trim().split("\n").map((line) => line.split("\t")[0]!);
  }

  async #writeScript(shell: Shell): Promise<string> {
    const path = join(this.#world.folder, `script.${shell}`);
    await Deno.writeTextFile(path, SCRIPTS[shell]());
    return path;
  }

  /** Words that bash or fish offers after the line. */
  async after(shell: "bash" | "fish", line: string): Promise<string[]> {
    const script = await this.#writeScript(shell);
    if (shell === "fish") {
      return await this.#run("fish", ["-N", "-c", "source $argv[1]; complete -C $argv[2]", script, line]);
    }
    const words = line.split(/ +|(=)/).filter((word) => word !== undefined);
    return await this.#run("bash", ["--norc", "-c", ASK_BASH, script, ...words]);
  }

  /** zsh's completion of each line. */
  async zsh(lines: readonly string[]): Promise<string[]> {
    return await this.#run("zsh", ["-f", "-c", ASK_ZSH, "zsh", await this.#writeScript("zsh"), ...lines]);
  }
}

/** A line, what of it is left to complete to one thing, and the line that zsh makes of that. */
const ONE: [line: string, candidate: string, completed: string][] = [
  ["tmux-mcp comp", "completions", "tmux-mcp completions "],
  ["tmux-mcp --sco", "--scope", "tmux-mcp --scope="],
  ["tmux-mcp --scope pri", "primitives", "tmux-mcp --scope primitives "],
  ["tmux-mcp --no-chan", "--no-channel", "tmux-mcp --no-channel "],
  ["tmux-mcp --safety readonly --filter-mo", "--filter-mode", "tmux-mcp --safety readonly --filter-mode="],
  ["tmux-mcp init claude-c", "claude-code", "tmux-mcp init claude-code "],
  ["tmux-mcp init cursor --wr", "--write", "tmux-mcp init cursor --write "],
  ["tmux-mcp --safety readonly ini", "init", "tmux-mcp --safety readonly init "],
  ["tmux-mcp --scope all completions f", "fish", "tmux-mcp --scope all completions fish "],
  ["tmux-mcp watch %3 --mode bu", "bunch", "tmux-mcp watch %3 --mode bunch "],
  ["tmux-mcp config --sche", "--schema", "tmux-mcp config --schema "],
  ["tmux-mcp --config conf", "config file.toml", "tmux-mcp --config config\\ file.toml "],
];

Deno.test("zsh completes commands, flags, values and files", async () => {
  await using world = await World.create();
  await Deno.writeTextFile(join(world.folder, "config file.toml"), "");
  const answers = await new Completing(world).zsh(ONE.map(([line]) => line));
  assertEquals(answers.map((answer) => answer.trimEnd()), ONE.map(([, , completed]) => completed.trimEnd()));
});

for (const shell of ["bash", "fish"] as const) {
  Deno.test(`${shell} completes commands, flags, values and files`, async () => {
    await using world = await World.create();
    await Deno.writeTextFile(join(world.folder, "config file.toml"), "");
    const completing = new Completing(world);
    for (const [line, candidate] of ONE) {
      // fish quotes what it offers.
      const offered = (await completing.after(shell, line)).map((word) => word.replaceAll("\\", ""));
      assertEquals([line, ...offered], [line, candidate]);
    }
  });
}

for (const shell of ["bash", "fish"] as const) {
  Deno.test(`${shell} offers every flag of the table, a command's own only after it, and values after a sign`, async () => {
    await using world = await World.create();
    const completing = new Completing(world);
    const offered = await completing.after(shell, "tmux-mcp --");
    assertEquals(offered.toSorted(), commonFlags().map(({ flag }) => flag).sort());
    assert(!offered.includes("--write"));
    const values = await completing.after(shell, "tmux-mcp --safety=");
    assertEquals(
      values.map((value) => value.replace("--safety=", "")).sort(),
      ["destructive", "mutating", "readonly"],
    );
    const commands = await completing.after(shell, "tmux-mcp ");
    assertEquals(commands.toSorted(), ["clean", "completions", "config", "doctor", "init", "watch"]);
    for (const line of ["doctor ", "init cursor ", "init --write cursor c", "completions bash "]) {
      assertEquals([line, await completing.after(shell, `tmux-mcp ${line}`)], [line, [""]]);
    }
  });
}

Deno.test("the ids of panes are completed", async () => {
  await using world = await World.create();
  // The default socket of this environment, which a person's shell has.
  const socket = join(world.folder, `tmux-${Deno.uid()}`, "default");
  await Deno.mkdir(dirname(socket), { mode: 0o700 });
  await Deno.symlink(world.socket, socket);
  await world.tmux("new-session", "-d", "cat");
  const completing = new Completing(world);
  assertEquals(await completing.after("bash", "tmux-mcp watch %"), ["%0"]);
  assertEquals(await completing.after("fish", "tmux-mcp watch %"), ["%0"]);
  assertEquals((await completing.zsh(["tmux-mcp watch %"])).map((line) => line.trimEnd()), [
    "tmux-mcp watch %0",
  ]);
});

Deno.test("the program prints the scripts", async () => {
  await using world = await World.create();
  for (const [shell, script] of Object.entries(SCRIPTS)) {
    const { code, stdout, stderr } = await launch(["completions", shell], world);
    assertEquals([code, stdout, stderr], [0, script(), ""]);
  }
  const unknown = await launch(["completions", "nu"], world);
  assertEquals([unknown.code, unknown.stderr], [2, 'tmux-mcp: Unknown shell "nu". Valid: bash, zsh, fish\n']);
});

Deno.test("every option of the table can be completed", () => {
  const flags = new Set(commonFlags().map(({ flag }) => flag));
  assertEquals(ROWS.filter(([, row]) => !flags.has(flagOf(row))), []);
});
