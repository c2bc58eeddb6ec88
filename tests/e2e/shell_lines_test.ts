// A line that a person has begun to type, in every shell and mode of its line editor: it is neither run nor lost.
import { differing, refusesToType, serveBoth } from "../support/hidden_memory.ts";
import { onOneServer } from "../support/one_server.ts";
import { ShellLine } from "../support/shell_lines.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { sized } from "../support/sized.ts";
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
const ALL: readonly Line[] = sized<readonly Line[]>({
  gate: SHORT,
  soak: [...SHORT, ["ec", "ho two", "two"]],
});
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
  servers: readonly TestClient[],
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
  await refusesToType(servers, shell);
  // zsh draws a long line again without joining its rows.
  const joined = (shown: string): string => shown.replaceAll("\n", "");
  await shell.until((shown) => joined(shown) === joined(before), `stood again as in\n${before}\nbut`);
  for (const key of out) {
    await shell.keys(key);
    await shell.settled();
  }
  await shell.enter(rest);
  await shell.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
}

/** Lines for each way in which a shell starts: as they are typed, and in each mode of vi. */
function linesOf([name, { command, vi }]: [string, Shell]) {
  const lines = /^(bash|zsh|fish)$/.test(name) ? [...ALL, LONG, WIDE] : ALL;
  const plain = lines.map((line) => ({ name: line[0], line, keys: [[], []] as const }));
  const inModes = Object.entries(MODES).flatMap(([mode, keys], at) => {
    const begun = sized({ gate: [SHORT[at % SHORT.length]!], soak: SHORT });
    return begun.map((line) => ({ name: `${line[0]}, in ${mode}`, line, keys }));
  });
  return [
    // Another key in vi's insert mode changes nothing outside of it.
    ...name.includes("vi's") ? [] : [{ name, options: { command }, begun: plain }],
    ...vi ? [{ name: `${name}, as vi`, options: { command, ...vi }, begun: inModes }] : [],
  ];
}

Deno.test("a line that a person has begun is left alone", async (t) => {
  await using world = await World.create();
  const servers = await serveBoth(world);
  const steps = Object.entries(SHELLS).flatMap(linesOf).map(({ name, options, begun }) => ({
    name,
    run: async (step: Deno.TestContext) => {
      await using shell = await ShellLine.open(world, servers[0], options);
      for (const { name, ...typed } of begun) {
        await step.step(name, async () => {
          await shell.renew();
          await leavesAlone(differing(servers, options.command), shell, typed);
        });
      }
    },
  }));
  await sideBySide(t, steps);
});

const WITHOUT_EDITOR = ["dash -i", "zsh -f -o no_zle"];

const withoutEditor = onOneServer(
  "without a line editor, a line that a person has begun is shown once more, and stays",
);

for (const command of WITHOUT_EDITOR) {
  withoutEditor(command, async ({ world, client }, t) => {
    await using line = await ShellLine.open(world, client, { command });
    for (const [text, rest, prints] of [...ALL, LONG, WIDE]) {
      await t.step(text, async () => {
        await line.renew();
        await line.literal(text);
        await line.until((shown) => shown.replaceAll("\n", "").includes(text), `showed ${text}`);
        await refusesToType([client], line);
        await line.enter(rest);
        await line.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
      });
    }
  });
}

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
  const servers = await serveBoth(world);
  const fish = { command: `fish -C '${NO_SUGGESTIONS}; ${WITHOUT_MODE}'` };
  const shells = {
    bash: { ...SHELLS.bash!, ...SHELLS.bash!.vi },
    zsh: { ...SHELLS.zsh!, ...SHELLS.zsh!.vi },
    fish,
  };
  const steps = Object.entries(shells).map(([name, shell]) => ({
    name,
    run: async (step: Deno.TestContext) => {
      await using line = await ShellLine.open(world, servers[0], shell);
      for (const [mode, keys] of Object.entries(OVERWRITING)) {
        // bash's v opens an editor.
        if (name === "bash" && mode === "selection") continue;
        await step.step(mode, async () => {
          await line.renew();
          await leavesAlone(differing(servers, shell.command), line, {
            line: ["echo half", " way", "half way"],
            keys,
          });
        });
      }
    },
  }));
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
  const servers = await serveBoth(world);
  const begun: readonly (readonly [line: Line, back: string[]])[] = [
    [["ec", "ho two", "two"], []],
    [["e", "cho one", "one"], ["Left"]],
    [WIDE, ["Left"]],
    [LONG, ["Left"]],
  ];
  const steps = Object.entries(OVERSTRIKING).map(([name, { command, first, key }], at) => ({
    name,
    run: async (step: Deno.TestContext) => {
      await using shell = await ShellLine.open(world, servers[0], { command, first });
      // The cursor is at the end, and within a line: in the gate, not within one of each length and width.
      const within = begun.slice(1);
      for (const [line, back] of sized({ gate: [begun[0]!, within[at % within.length]!], soak: begun })) {
        await step.step(`${line[0].slice(0, 10)} ${back.join("")}`, async () => {
          await shell.renew();
          if (key) await shell.keys(key);
          await leavesAlone(servers, shell, { line, keys: [back, back.map(() => "Right")] });
        });
      }
    },
  }));
  await sideBySide(t, steps);
});
