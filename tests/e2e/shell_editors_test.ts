// Searches, menus, keys of two and suggestions in a line editor: a command leaves alone what a person has begun there.
import { assertEquals } from "@std/assert";
import { differing, refusesToType, serveBoth } from "../support/hidden_memory.ts";
import { onOneServer } from "../support/one_server.ts";
import { ShellLine } from "../support/shell_lines.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const VI_KEYS = "set -g fish_key_bindings fish_default_key_bindings; fish_vi_key_bindings";

type Line = readonly [text: string, rest: string, prints: string];

/** Keys that leave zsh's line editor in the middle of something, and those that end it and the line. */
const BEGUN: Record<string, readonly [into: string[], out: string[], prints: string]> = {
  "a search": [["C-r", "w", "o", "r"], ["Enter"], "word"],
  "a menu": [["f", "g", " ", "f", "Tab", "Tab"], ["C-g", "C-u", "e", "c", "h", "o", " ", "a", "Enter"], "a"],
  "a key of two": [["e", "c", "h", "o", " ", "b", "C-x"], ["C-b", "Enter"], "b"],
  "a search in vi's command mode": [["Escape", "/", "w", "o"], ["Enter", "Enter"], "word"],
};

Deno.test("zsh: what a person has begun in the line editor is left alone", async (t) => {
  await using world = await World.create();
  const rc = "PROMPT='$ '; zmodload zsh/complist; autoload -U compinit; compinit -u -D; " +
    "zstyle ':completion:*' menu select; touch f1 f2; print -s echo word\n";
  await Deno.writeTextFile(`${world.folder}/.zshrc`, rc);
  const servers = await serveBoth(world);
  const modes = Object.entries({ "bindkey -e": false, "bindkey -v": true });
  const shells = modes.flatMap(([first, isVi]) => servers.map((server, at) => ({ first, isVi, server, at })));
  const steps = shells.map(({ first, isVi, server, at }) => ({
    name: `${first}, server ${at}`,
    run: async (step: Deno.TestContext) => {
      await using shell = await ShellLine.open(world, server, { command: "zsh", first });
      for (const [name, [into, out, prints]] of Object.entries(BEGUN)) {
        if (name.includes("vi") !== isVi) continue;
        await step.step(name, async () => {
          await shell.renew();
          for (const key of into) {
            await shell.keys(key);
            await shell.settled();
          }
          const before = await shell.settled();
          await refusesToType([server], shell);
          assertEquals(await shell.settled(), before);
          for (const key of out) {
            await shell.keys(key);
            await shell.settled();
          }
          await shell.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
        });
      }
    },
  }));
  await sideBySide(t, steps);
});

/**
 * Shows the rest of `echo half way` after each beginning of it, as plugins do that suggest lines of the history. In a
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

const SUGGESTING: Record<string, { command: string; vi: { command?: string; first?: string } }> = {
  zsh: { command: "zsh -f", vi: { first: `bindkey -v; ${SUGGESTS}` } },
  fish: { command: "fish", vi: { command: `fish -C '${VI_KEYS}'` } },
};

/** All but one character of what is suggested. */
const LAST: Line = ["echo half wa", "ist", "half waist"];

Deno.test("a line is left alone after which its shell suggests the rest", async (t) => {
  await using world = await World.create();
  const servers = await serveBoth(world);
  const lines: readonly Line[] = sized<readonly Line[]>({
    gate: [["e", "cho mine", "mine"], ["echo half", " and mine", "half and mine"], LAST],
    soak: [
      ["e", "cho mine", "mine"],
      ["echo", " mine", "mine"],
      ["echo half", " and mine", "half and mine"],
      ["echo half w", "oman", "half woman"],
      LAST,
    ],
  });
  const unstyled = {
    name: "zsh without colours",
    options: { command: "zsh -f", first: `bindkey -v; ${UNSTYLED}` },
  };
  const shells = Object.entries(SUGGESTING).flatMap(([name, { command, vi }]) => [
    { name, options: { command, first: name === "zsh" ? SUGGESTS : "true" } },
    { name: `${name} in vi's insert mode`, options: { command, ...vi } },
  ]);
  const steps = [...shells, unstyled].map(({ name, options }) => ({
    name,
    run: async (step: Deno.TestContext) => {
      await using shell = await ShellLine.open(world, servers[0], options);
      // Without colours, a suggestion of one character looks like one that a mode overwrites.
      for (const [text, rest, prints] of lines.slice(0, name === unstyled.name ? -1 : undefined)) {
        await step.step(text, async () => {
          await shell.renew();
          await shell.enter("echo half way");
          await shell.settled();
          await shell.literal(text);
          await shell.until((shown) => /echo half way\n\d+,\d+$/.test(shown), "suggested the rest");
          await refusesToType(differing(servers, options.command), shell);
          await shell.settled();
          await shell.enter(rest);
          await shell.until((shown) => shown.includes(`\n${prints}\n`), `printed ${prints}`);
        });
      }
    },
  }));
  await sideBySide(t, steps);
});

const test = onOneServer("editors on one server");

for (const command of ["bash --norc", "zsh -f"]) {
  test(`${command} gets no key while a line is begun there: its memory shows it`, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, { command });
    await shell.literal("echo mi");
    await shell.until((shown) => /echo mi\n/.test(shown), "showed the half line");
    const log = `${world.folder}/echoed by ${command}`;
    await world.tmux("pipe-pane", "-t", shell.paneId, `exec cat > '${log}'`);
    await refusesToType([client], shell);
    await shell.literal("n");
    const echoed = async () => await Deno.readTextFile(log).catch(() => "");
    await until(async () => (await echoed()).endsWith("n"));
    assertEquals(await echoed(), "n");
  });
}

test(
  "fish: a call right after one that was refused leaves vi's line alone too",
  async ({ world, client }, t) => {
    await using shell = await ShellLine.open(world, client, {
      command: `fish -C 'set -g fish_autosuggestion_enabled 0; ${VI_KEYS}'`,
    });
    for (const round of sized({ gate: [1, 2], soak: [1, 2, 3, 4] })) {
      await t.step(`${round}`, async () => {
        await shell.renew();
        await shell.literal("e");
        await shell.until((shown) => / e\n\d+,\d+$/.test(shown), "showed the half line");
        for (const key of ["Escape", "0"]) {
          await shell.keys(key);
          await shell.settled();
        }
        await refusesToType([client, client], shell);
        await shell.keys("C-c");
      });
    }
  },
);
