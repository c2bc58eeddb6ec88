// Which tmux options run commands, so that setting one counts as typing.
import type { Effect, ShellText } from "../tool.ts";
import { EXPANDS_TWICE } from "./formats.ts";

/** Options whose value is run: by a shell, or as a program. */
const COMMANDS = ["default-command", "default-shell", "copy-command", "lock-command", "editor"];

/** Options whose value is made of tmux commands, which can run anything. Hooks are options too (tmux 3.0). */
const TMUX_COMMANDS = /^(?:command-alias|user-keys|update-environment)$/;
const HOOKS =
  /^(?:after-|alert-|client-(?:active|attached|dark-theme|detached|focus-|light-theme|resized|session-changed)|command-error|marked-pane|pane-(?:died|exited|focus-|mode-changed|set-clipboard|title-changed|command-|shell-)|session-(?:closed|created|renamed|window-changed)|window-(?:layout-changed|linked|pane-changed|renamed|resized|unlinked))/;

/** Longest common start of one name is enough for tmux to take it for that option. */
function mayMean(given: string, full: string): boolean {
  return given !== "" && full.startsWith(given);
}

function baseName(option: string): string {
  return option.replace(/\[.*$/, "");
}

/** Whether it names a hook: refused altogether, for a hook would outlive this server. */
export function isHook(option: string): boolean {
  return HOOKS.test(baseName(option));
}

/** The effect of setting an option: `input` where the value is, or holds, a command. */
export function optionEffect(option: string, value: string | null): Effect {
  return optionText(option, value).length > 0 ? "input" : "change";
}

/** What of an option's value reaches a shell; `opaque` where that cannot be told from the value. */
export function optionText(option: string, value: string | null): ShellText[] {
  const name = baseName(option);
  const text = value ?? "";
  if (isHook(name) || TMUX_COMMANDS.test(name) || text.includes("#(") || EXPANDS_TWICE.test(text)) {
    return [{ kind: "opaque", text }];
  }
  const runs = name.endsWith("-command") || COMMANDS.some((full) => mayMean(name, full));
  return runs && text !== "" ? [{ kind: "command", text }] : [];
}
