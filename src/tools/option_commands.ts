// The tmux options that run commands; setting one counts as typing.
import { optionName, turnsOff } from "../tmux/option_syntax.ts";
import type { Effect, ShellText } from "../tool.ts";

/** Options whose value is run by a shell or as a program. tmux also accepts abbreviated names. */
const RUN = ["default-command", "default-shell", "copy-command", "lock-command", "editor"];

/** Names that plugins of tmux give to options whose value they run: `@resurrect-hook-post-save-all`. */
const RUN_BY_PLUGIN = /^@(?:.*[-_.])?(?:command|cmd|hook|script|exec|processes|action)(?:[-_.]|$)/i;

/** Options that contain tmux commands, which can run anything. */
const TMUX_COMMANDS = ["command-alias", "default-client-command", "user-keys", "update-environment"];

/** Options that change the bytes a key sends, so that the program receives something else. */
const KEY_BYTES = ["backspace", "extended-keys", "extended-keys-format", "xterm-keys", "terminal-overrides"];

/** Options by which tmux itself takes keys that a person types, or gives them to a program that locks the screen. */
const TAKE_KEYS = ["key-table", "prefix", "prefix2", "user-keys", "lock-after-time"];

/** Options that make tmux end sessions that nobody is attached to. */
const ENDING = ["destroy-unattached", "exit-unattached"];

/** Options that name a file which tmux writes. */
const FILES = ["history-file"];

/** Options that tmux expands without a session. */
const WINDOW_NAMES = ["automatic-rename-format"];

/** Options that tmux never expands, and whose value may end in "#". */
const NOT_EXPANDED = ["word-separators"];

/** Kinds of text that reach no shell. */
const DISPLAYED: ReadonlySet<ShellText["kind"]> = new Set(["shown", "name"]);

/** Hooks are options too, from tmux 3.0. */
const HOOK = new RegExp(
  "^(after-|alert-|command-error|marked-pane|" +
    "client-(active|attached|closed|created|dark-theme|detached|focus-|light-theme|resized|session-changed)|" +
    "pane-(activity|bell|command-|created|died|exited|focus-|mode-|moved|prompt-|resized|set-clipboard|shell-|" +
    "title-changed)|session-(added-|closed|created|removed-|renamed|window-changed)|" +
    "window-(closed|created|layout-changed|linked|pane-changed|renamed|resized|unlinked|unzoomed|zoomed))",
);

/** `#(…)` is a job, and so is `#%p(…)` in a language without AM and PM; `E:` and `T:` run those in their value. */
const JOB = /#[(%]|#\{%|[{;][ET](?!\w*\})/;

export interface OptionSetting {
  option: string;
  value: string | null;
  /** True for the global value. */
  global?: boolean;
}

/** True for a hook's name or an abbreviation of one. */
export function isHook(option: string): boolean {
  return HOOK.test(optionName(option));
}

/** Effect of setting an option, which can run text, type into other panes, or end the object it is set on. */
export function optionEffect(setting: OptionSetting): Effect {
  if (!optionText(setting).every(({ kind }) => DISPLAYED.has(kind)) || synchronizes(setting)) return "input";
  return means(setting.option, ENDING) && !turnsOff(setting.value) ? "destroy" : "change";
}

/** True if the option may make text typed into one pane reach the others; unset, it has the global value. */
export function synchronizes({ option, value, global }: OptionSetting): boolean {
  return means(option, ["synchronize-panes"]) && !turnsOff(value) && !(value === null && global);
}

/** True if the option may change what keys that a person types reach, or the bytes that they send. */
export function divertsKeys({ option }: Pick<OptionSetting, "option">): boolean {
  return means(option, [...TAKE_KEYS, ...KEY_BYTES]);
}

/** The parts of an option's value that reach a shell, or that tmux expands as a format. */
export function optionText({ option, value }: OptionSetting): ShellText[] {
  if (value === null || value === "") return [];
  const kind = means(option, WINDOW_NAMES) ? "name" : "shown";
  // tmux expands an option of the user only for `E:` in another format; `C#` is an ordinary value of one.
  const text = option.startsWith("@") ? value.replace(/(?<!#)#$/, "") : value;
  const shown = text.includes("#") && !means(option, NOT_EXPANDED) ? [{ kind, text } as const] : [];
  if (isOpaque(option, value)) return [...shown, { kind: "opaque", text: value }];
  const name = optionName(option);
  if (name.endsWith("-command") || RUN_BY_PLUGIN.test(name) || means(option, RUN)) {
    return [{ kind: "command", text: value }];
  }
  return shown;
}

function isOpaque(option: string, value: string): boolean {
  return isHook(option) || means(option, [...TMUX_COMMANDS, ...KEY_BYTES]) || JOB.test(value);
}

/** True if tmux will write the file that the value names. */
export function writesFile({ option, value }: OptionSetting): boolean {
  return means(option, FILES) && value !== null && value !== "";
}

function means(option: string, names: readonly string[]): boolean {
  const name = optionName(option);
  return name !== "" && names.some((full) => full.startsWith(name));
}
