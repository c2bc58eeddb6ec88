// Quotes commands for tmux's own parser, which reads them back word for word.
import type { Command } from "../tmux_exec/exec.ts";

export function quoteCommand(command: Command): string {
  return command.map(quoteWord).join(" ");
}

/** Returns several commands as one line; the first that fails ends the rest. */
export function quoteBatch(commands: readonly Command[]): string {
  return commands.map(quoteCommand).join(" ; ");
}

/**
 * Quotes a word. The result has no newline: that ends a command of a control client, and elsewhere tmux drops blanks
 * and `#` comments after it, even inside quotes. It is at most twice as long as the word.
 */
function quoteWord(word: string): string {
  return `"${word.replaceAll(/["$\\~]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
