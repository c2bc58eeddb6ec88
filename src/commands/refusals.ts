// Errors for commands that a shell did not run.
import { AppError, type AppErrorOptions, type ErrorCode } from "../errors.ts";
import type { Dialect } from "../shell/dialect.ts";
import { checkComplete, endsBash, endsInComment, findMissingEnd } from "../shell/completeness.ts";
import { shellKind } from "../shell/shell_kind.ts";
import { isMultiplexer, NAME_SHELL, toolFor, type WaitingForeground } from "./prompt/foreground_program.ts";
import type { PaneInspection } from "../process/probe.ts";
import { leadsToShell } from "../process/relay_programs.ts";
import { findDialect } from "../shell/dialects.ts";
import type { TrackedCommand } from "./tracked_command.ts";

/** Returns the error for a command that can't be run in a pane; `why` follows a colon. */
export function cannotRun(
  paneId: string,
  why: string,
  { code = "busy", ...details }: AppErrorOptions & { code?: ErrorCode },
): AppError {
  return new AppError(code, `Cannot run a command in pane "${paneId}": ${why}`, details);
}

/** Operators that require a command after them. */
const OPERATOR_LAST = /(?:&&|\|&?)\s*$/;

const CONTINUES = "the command continues after its last line";

/**
 * Returns what is missing from a text that is plainly incomplete and therefore not typed at all; undefined if nothing
 * is. A shell would print an error about words that we put after it, and bash 5.0 would end; zsh alone accepts such
 * text as complete, or continues it with those words, and a subshell parses it only when it runs.
 */
export async function findOpenEnd(
  { command, subshell }: { command: string; subshell?: boolean },
  { name }: Dialect,
): Promise<string | undefined> {
  if (name === "bash" && await endsBash(command)) return CONTINUES;
  const isRead = name === "zsh" || OPERATOR_LAST.test(command);
  const missing = isRead ? await findMissingEnd(command) : undefined;
  if (missing !== undefined || !subshell || name === "fish") return missing;
  // A line after the text in the subshell ends its comment.
  const text = endsInComment(command) ? `${command}\n:` : command;
  return await checkComplete(text, shellKind(name)) === "incomplete" ? CONTINUES : undefined;
}

/** Text that a shell refused to run, with its error message. */
export interface RefusedText {
  paneId: string;
  command: string;
  complaint: Uint8Array;
}

/** Errors of shells about one of our variables or functions that the user has made read-only. */
const NAME_TAKEN = /__mcp\w*\b.*read-?\s?only|read-?\s?only.*\b__mcp/i;

/** Returns the error for text that was not run; undefined for other syntax errors, by bash's verdict also for zsh. */
export async function findRefusal(
  { paneId, command, complaint }: RefusedText,
  { name }: Dialect,
): Promise<AppError | undefined> {
  if (NAME_TAKEN.test(new TextDecoder().decode(complaint))) return nameTaken(paneId);
  const kind = name === "zsh" ? "bash" : shellKind(name);
  if (await checkComplete(command, kind) !== "incomplete") return undefined;
  return incomplete(new TextDecoder().decode(complaint).trim(), true);
}

/** Words at the end of our loader, which would be confusing in an error message. */
const OUR_WORDS = /[`'"](?:fi|esac|done|\})['"]/;

/** `isPrinted`: the reason is an error message of the shell. */
export function incomplete(reason: string, isPrinted = false): AppError {
  const message = reason.split("\n")[0]!.replace(/ at line \d+/, "");
  const why = `: ${OUR_WORDS.test(message) ? CONTINUES : message}`;
  return new AppError("incomplete-command", `The shell would ask for more${isPrinted ? "" : why}`, {
    ...(isPrinted && { quote: why }),
    hint: "Close what is open: a quote, $( or {, a here-document, a trailing \\, | or &&",
  });
}

/** `missed`: what the shell failed to do. */
export function noMark(paneId: string, { name }: Dialect, missed: string): AppError {
  return cannotRun(paneId, `its shell ${missed} as ${name} does`, {
    code: "timeout",
    hint: "Check the pane with capture-pane; name its shell with shell, or use send-keys. A variable __mcp " +
      "that is read-only or an integer keeps commands from running",
  });
}

/** `message`: the shell's error message, empty if it has none. */
export function gaveUp(paneId: string, message: string): AppError {
  return cannotRun(paneId, "its shell is back at its prompt without having run it", {
    code: "unsupported",
    ...(message !== "" && { quote: ` (${message})` }),
    hint:
      "A read-only variable, an alias or a function in that shell gets in the way (IFS, __mcp, builtin, command, " +
      "if), or it is not the detected shell: use another pane, name the shell with shell, or use send-keys",
  });
}

function nameTaken(paneId: string): AppError {
  return cannotRun(paneId, "a name that begins with __mcp is read-only in its shell", {
    code: "unsupported",
    hint: "Use another pane, or send-keys and watch-pane",
  });
}

export function drawnNowhere(paneId: string): AppError {
  return cannotRun(paneId, "its shell does not write its prompt to the terminal", {
    code: "unsupported",
    hint:
      "Standard error or output of the shell is a file or closed (exec 2>file). Once it is at its prompt, " +
      "send-keys exec 2>/dev/tty or exec >/dev/tty shows the prompt again; else use another pane",
  });
}

export function noStty(paneId: string): AppError {
  return cannotRun(paneId, "its shell can't find stty", {
    code: "unsupported",
    hint: "Use send-keys and watch-pane",
  });
}

export function textTyped(paneId: string): AppError {
  return cannotRun(paneId, "there is text typed at its prompt", {
    hint:
      "Check it with capture-pane; wait for the person, or clear the line with send-keys C-u (literal: false)",
  });
}

export function usesWholeScreen(paneId: string): AppError {
  return cannotRun(paneId, "a program there is using the whole screen", {
    hint: "Press its keys with send-keys, and see it with capture-pane",
  });
}

export function tooNarrow(paneId: string, columns: number): AppError {
  return cannotRun(paneId, `its width is ${columns}, too narrow`, {
    hint: "Make it wider with resize-pane, or use another pane",
  });
}

export function commandContinues(paneId: string): AppError {
  return cannotRun(paneId, "its shell is waiting for the rest of a command", {
    hint:
      "Check it with capture-pane; wait for the person, or drop the command with send-keys C-c (literal: false)",
  });
}

export function notShown(paneId: string): AppError {
  return cannotRun(paneId, "it does not show what is typed", {
    hint:
      "Check it with capture-pane; if Ctrl-S stopped its output, send-keys C-q (literal: false) resumes it",
  });
}

/**
 * Returns the text as shells read it: CR LF becomes a newline, since no shell takes it for the end of a line.
 * @throws {AppError} `invalid-argument`
 */
export function toShellLines(command: string): string {
  if (!command.includes("\0")) return command.replaceAll("\r\n", "\n");
  throw new AppError("invalid-argument", "Cannot run a command that contains a NUL: no shell accepts one", {
    hint: "Write the byte as \\0 for printf, or send it with send-hex",
  });
}

/** `waiting`: the command's program, if it waits for input. */
export function runsThere(
  { paneId, commandId }: Pick<TrackedCommand, "paneId" | "commandId">,
  waiting: WaitingForeground | undefined,
): AppError {
  const what = `command "${commandId}" runs there${waiting ? `: ${waiting.waits}` : ""}`;
  const hint = waiting?.hint ?? "Wait for it with get-command-result (waitSeconds)";
  return cannotRun(paneId, what, { hint: `${hint}, or use another pane` });
}

export function unknownCommand(commandId: string): AppError {
  return new AppError("not-found", `Cannot find command "${commandId}"`, {
    hint: "Call list-commands for the commands of this tmux server. Records are kept for some hours",
  });
}

export function reachesOtherPanes(paneId: string): AppError {
  return cannotRun(paneId, "what is typed there goes to other panes too", {
    hint: "Use another window, or call set-synchronize-panes with enabled: false",
  });
}

/** Returns the error for a pane whose program takes no command. `known`: the shell that it may lead to. */
export function programRuns(paneId: string, inspection: PaneInspection, known: string | undefined): AppError {
  const { foregroundCmd, evidence, inputKind } = inspection;
  const isShell = findDialect(foregroundCmd) !== undefined;
  const name = foregroundCmd === "" ? "a program" : foregroundCmd;
  const doing = isShell ? `: ${evidence}` : "";
  const hint = isMultiplexer(foregroundCmd) || inputKind === "password"
    ? toolFor(inspection)
    : leadsToShell(foregroundCmd) && known === undefined
    ? NAME_SHELL
    : isShell
    ? "A shell that is starting or runs a script takes no command: use watch-pane to wait for user_input, or answer it " +
      "with send-keys; if it is at its prompt, name it with shell"
    : toolFor(inspection) +
      "; if a shell is waiting behind it, name that shell with shell (bash, zsh, fish, sh)";
  return cannotRun(paneId, `${name} runs there${doing}`, { hint });
}
