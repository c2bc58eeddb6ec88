// A line that a person has begun to type, in every shell and mode of its line editor: it is neither run nor lost.
import { assertEquals } from "@std/assert";
import { ShellLine } from "../support/shell_lines.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { type TestClient, World } from "../support/world.ts";

interface Shell {
  command: string;
  /** Makes it edit as vi does: an option at start, or a command. */
  vi?: { command?: string; first?: string };
}

const NO_SUGGESTIONS = "set -g fish_autosuggestion_enabled 0";
/** Without a variable of its own it would change a universal one, and so every fish of the test while it types. */
const VI_KEYS = "set -g fish_key_bindings fish_default_key_bindings; fish_vi_key_bindings";

const SHELLS: Record<string, Shell> = {
  bash: { command: "bash --norc", vi: { first: "set -o vi" } },
  zsh: { command: "zsh -f", vi: { first: "bindkey -v" } },
  "bash with C-a in vi's insert mode": {
    command: "bash --norc",
    vi: { first: `set -o vi; bind -m vi-insert '"\\C-a": beginning-of-line' '"\\C-e": end-of-line'` },
  },
  "zsh with C-a in vi's insert mode": {
    command: "zsh -f",
    vi: { first: "bindkey -v; bindkey ^A beginning-of-line; bindkey ^E end-of-line" },
  },
  fish: {
    command: `fish -C '${NO_SUGGESTIONS}'`,
    vi: { command: `fish -C '${NO_SUGGESTIONS}; ${VI_KEYS}'` },
  },
  ksh93: { command: "ksh93", vi: { first: "set -o vi" } },
  mksh: { command: "mksh", vi: { first: "set -o vi" } },
  yash: { command: "yash --norcfile", vi: { first: "set -o vi" } },
  ash: { command: "busybox ash" },
};

/** Text typed first, the rest of the line, and the output of the whole. */
type Line = readonly [text: string, rest: string, prints: string];

const SHORT: readonly Line[] = [["e", "cho one", "one"], ["echo half", " way", "half way"]];
const ALL: readonly Line[] = [...SHORT, ["ec", "ho two", "two"]];
/** More than a row, where the line editor shows all of it. */
const LONG: Line = [`echo ${"x".repeat(130)}`, "y", `${"x".repeat(130)}y`];
const WIDE: Line = ["echo 日本", "語", "日本語"];

/** Keys that leave vi's line in a mode, and those that lead from there to the end of it. */
const MODES: Record<string, readonly [into: string[], out: string[]]> = {
  "insert mode": [[], []],
  "insert mode at the start": [["Escape", "0", "i"], ["Escape", "A"]],
  "command mode": [["Escape"], ["A"]],
  "command mode at the start": [["Escape", "0"], ["A"]],
};

async function leavesAlone(
  client: TestClient,
  shell: ShellLine,
  { line, keys: [into, out] }: { line: Line; keys: readonly [readonly string[], readonly string[]] },
): Promise<void> {
  const [text, rest, prints] = line;
  await shell.literal(text);
  await shell.until((shown) => shown.replaceAll("\n", "").includes(text), `showed ${text}`);
  for (const key of into) {
    const before = await shell.settled();
    await shell.keys(key);
    // Escape moves the cursor, after half a second in bash.
    if (key === "Escape") await shell.until((shown) => shown !== before, "took Escape");
  }
  const before = await shell.settled();
  const { code } = await client.fails("execute-command", { paneId: shell.paneId, command: "echo typed" });
  assertEquals(code, "busy");
  // zsh draws a long line again without joining its rows.
  const joined = (shown: string): string => shown.replaceAll("\n", "");
  await shell.until((shown) => joined(shown) === joined(before), `stood again as in\n${before}\nbut`);
  for (const key of out) {
    await shell.keys(key);
    await shell.settled();
  }
  await shell.literal(rest);
  await shell.keys("Enter");
  await shell.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
}

for (const [name, { command, vi }] of Object.entries(SHELLS)) {
  Deno.test(`${name}: a line that a person has begun is left alone`, async (t) => {
    await using world = await World.create();
    const client = await world.serve();
    const lines = /^(bash|zsh|fish)$/.test(name) ? [...ALL, LONG, WIDE] : ALL;
    const plain = lines.map((line) => ({
      name: line[0],
      line,
      keys: [[], []] as const,
      options: { command },
    }));
    const inModes = Object.entries(vi ? MODES : {}).flatMap(([mode, keys]) =>
      SHORT.map((line) => ({
        name: `${line[0]}, in vi's ${mode}`,
        line,
        keys,
        options: { command, ...vi },
      }))
    );
    const steps = [...plain, ...inModes].map(({ name, options, ...typed }) => ({
      name,
      run: async () => leavesAlone(client, await ShellLine.open(world, client, options), typed),
    }));
    await sideBySide(t, steps);
  });
}

const WITHOUT_EDITOR = ["dash -i", "zsh -f -o no_zle"];

Deno.test("without a line editor, a line that a person has begun is shown once more, and stays", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const begun = WITHOUT_EDITOR.flatMap((command) =>
    [...ALL, LONG, WIDE].map((line) => [command, ...line] as const)
  );
  const steps = begun.map(([command, text, rest, prints]) => ({
    name: `${command}: ${text}`,
    run: async () => {
      const line = await ShellLine.open(world, client, { command });
      await line.literal(text);
      await line.until((shown) => shown.replaceAll("\n", "").includes(text), `showed ${text}`);
      const { code } = await client.fails("execute-command", { paneId: line.paneId, command: "echo typed" });
      assertEquals(code, "busy");
      await line.literal(rest);
      await line.keys("Enter");
      await line.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
    },
  }));
  await sideBySide(t, steps);
});

/** Keys that leave vi's line in a mode in which each key takes a character, or selects. */
const OVERWRITING: Record<string, readonly [into: string[], out: string[]]> = {
  "replace mode": [["Escape", "R"], ["Escape", "A"]],
  "replace mode at the start": [["Escape", "0", "R"], ["Escape", "A"]],
  "replace mode after a key": [["Escape", "0", "R", "e"], ["Escape", "A"]],
  "replace mode at the end": [["Escape", "R", "f"], ["Escape", "A"]],
  "replacing one": [["Escape", "0", "r"], ["Escape", "A"]],
  "selection": [["Escape", "v"], ["Escape", "A"]],
};
const WITHOUT_MODE = `${VI_KEYS}; function fish_mode_prompt; end`;

Deno.test("a line in a mode of vi that overwrites it is put back, and never run", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const fish = { command: `fish -C '${NO_SUGGESTIONS}; ${WITHOUT_MODE}'` };
  const shells = {
    bash: { ...SHELLS.bash!, ...SHELLS.bash!.vi },
    zsh: { ...SHELLS.zsh!, ...SHELLS.zsh!.vi },
    fish,
  };
  const steps = Object.entries(shells).flatMap(([name, shell]) =>
    Object.entries(OVERWRITING)
      // bash's v opens an editor.
      .filter(([mode]) => name !== "bash" || mode !== "selection")
      .map(([mode, keys]) => ({
        name: `${name}, ${mode}`,
        run: async () => {
          const line = await ShellLine.open(world, client, shell);
          await leavesAlone(client, line, { line: ["echo half", " way", "half way"], keys });
        },
      }))
  );
  await sideBySide(t, steps);
});

const C_A = {
  bash: `bind -m vi-insert '"\\C-a": beginning-of-line' '"\\C-e": end-of-line'`,
  zsh: "bindkey ^A beginning-of-line; bindkey ^E end-of-line",
};
/** Shells in which each typed character takes the place of one: an option, or a key that its user has pressed. */
const OVERSTRIKING: Record<string, { command: string; first: string; key?: string }> = {
  "zsh's OVERSTRIKE": { command: "zsh -f", first: "setopt overstrike" },
  "zsh's OVERSTRIKE in vi's insert mode": { command: "zsh -f", first: "setopt overstrike; bindkey -v" },
  "zsh's OVERSTRIKE beside C-a": { command: "zsh -f", first: `setopt overstrike; bindkey -v; ${C_A.zsh}` },
  "zsh's overwrite-mode": { command: "zsh -f", first: "bindkey ^O overwrite-mode", key: "C-o" },
  "bash's overwrite-mode": {
    command: "bash --norc",
    first: `bind '"\\C-o": overwrite-mode'`,
    key: "C-o",
  },
  "bash's overwrite-mode in vi's insert mode": {
    command: "bash --norc",
    first: `set -o vi; bind -m vi-insert '"\\C-o": overwrite-mode'`,
    key: "C-o",
  },
  "bash's overwrite-mode beside C-a": {
    command: "bash --norc",
    first: `set -o vi; bind -m vi-insert '"\\C-o": overwrite-mode'; ${C_A.bash}`,
    key: "C-o",
  },
};

Deno.test("a line whose shell types over it is put back, and never run", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const begun: readonly (readonly [line: Line, back: string[]])[] = [
    [["ec", "ho two", "two"], []],
    [["e", "cho one", "one"], ["Left"]],
    [WIDE, ["Left"]],
    [LONG, ["Left"]],
  ];
  const steps = Object.entries(OVERSTRIKING).flatMap(([name, { command, first, key }]) =>
    begun.map(([line, back]) => ({
      name: `${name}: ${line[0].slice(0, 10)} ${back.join("")}`,
      run: async () => {
        const shell = await ShellLine.open(world, client, { command, first });
        if (key) await shell.keys(key);
        await leavesAlone(client, shell, { line, keys: [back, back.map(() => "Right")] });
      },
    }))
  );
  await sideBySide(t, steps);
});

/** Keys that leave zsh's line editor in the middle of something, and those that end it and the line. */
const BEGUN: Record<string, readonly [into: string[], out: string[], prints: string]> = {
  "a search": [["C-r", "w", "o", "r"], ["Enter"], "word"],
  "a menu": [["f", "g", " ", "f", "Tab", "Tab"], ["C-g", "C-u", "e", "c", "h", "o", " ", "a", "Enter"], "a"],
  "a key of two": [["e", "c", "h", "o", " ", "b", "C-x"], ["Enter"], "b"],
  "a search in vi's command mode": [["Escape", "/", "w", "o"], ["Enter", "Enter"], "word"],
};

Deno.test("zsh: what a person has begun in the line editor is left alone", async (t) => {
  await using world = await World.create();
  const rc = "PROMPT='$ '; zmodload zsh/complist; autoload -U compinit; compinit -u -D; " +
    "zstyle ':completion:*' menu select; touch f1 f2; print -s echo word\n";
  await Deno.writeTextFile(`${world.folder}/.zshrc`, rc);
  const client = await world.serve();
  const steps = Object.entries(BEGUN).map(([name, [into, out, prints]]) => ({
    name,
    run: async () => {
      const first = name.includes("vi") ? "bindkey -v" : "true";
      const shell = await ShellLine.open(world, client, { command: "zsh", first });
      for (const key of into) {
        await shell.keys(key);
        await shell.settled();
      }
      const before = await shell.settled();
      const { code } = await client.fails("execute-command", { paneId: shell.paneId, command: "echo typed" });
      assertEquals([code, await shell.settled()], ["busy", before]);
      for (const key of out) {
        await shell.keys(key);
        await shell.settled();
      }
      await shell.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
    },
  }));
  await sideBySide(t, steps);
});

/**
 * Shows the rest of `echo half way` behind each beginning of it, as plugins do that suggest lines of the history. In a
 * pane of tmux 3.2, zsh shows no more than eight colours.
 */
const SUGGESTS = [
  "zle-line-pre-redraw() {",
  "  POSTDISPLAY=; local line='echo half way'",
  '  [[ -n $BUFFER && $line == $BUFFER* ]] && POSTDISPLAY="${line#$BUFFER}"',
  '  region_highlight=("$#BUFFER $(($#BUFFER + $#POSTDISPLAY)) fg=4")',
  "}",
  "zle -N zle-line-pre-redraw",
].join("\n");

/** The same in the colour of what is typed, as where a terminal lacks the colour. */
const UNSTYLED = SUGGESTS.replace(/ {2}region_highlight.*\n/, "");

const SUGGESTING: Record<string, Shell> = {
  zsh: { command: "zsh -f", vi: { first: `bindkey -v; ${SUGGESTS}` } },
  fish: { command: "fish", vi: { command: `fish -C '${VI_KEYS}'` } },
};

Deno.test("a line is left alone behind which its shell suggests the rest", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const lines: readonly Line[] = [
    ["e", "cho mine", "mine"],
    ["echo", " mine", "mine"],
    ["echo half", " and mine", "half and mine"],
    ["echo half w", "oman", "half woman"],
    ["echo half wa", "ist", "half waist"],
  ];
  const unstyled = {
    name: "zsh without colours",
    options: { command: "zsh -f", first: `bindkey -v; ${UNSTYLED}` },
  };
  const shells = Object.entries(SUGGESTING).flatMap(([name, { command, vi }]) => [
    { name, options: { command, first: name === "zsh" ? SUGGESTS : "true" } },
    { name: `${name} in vi's insert mode`, options: { command, ...vi } },
  ]);
  const steps = [...shells, unstyled].flatMap(({ name, options }) =>
    // Without colours, a suggestion of one character looks like one that a mode overwrites.
    lines.slice(0, name === unstyled.name ? -1 : undefined).map(([text, rest, prints]) => ({
      name: `${name}: ${text}`,
      run: async () => {
        const shell = await ShellLine.open(world, client, options);
        await shell.literal("echo half way");
        await shell.keys("Enter");
        await shell.settled();
        await shell.literal(text);
        await shell.until((shown) => /echo half way\n\d+,\d+$/.test(shown), "suggested the rest");
        const { code } = await client.fails("execute-command", {
          paneId: shell.paneId,
          command: "echo ours",
        });
        assertEquals(code, "busy");
        await shell.settled();
        await shell.literal(rest);
        await shell.keys("Enter");
        await shell.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
      },
    }))
  );
  await sideBySide(t, steps);
});
