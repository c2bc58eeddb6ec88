// Commands as text that tmux's own parser reads back word for word.
import type { Command } from "./exec.ts";

/** One command, on one line. */
export function spellCommand(command: Command): string {
  return command.map(spellWord).join(" ");
}

/** Several, of which the first that fails ends the rest. */
export function spellBatch(commands: readonly Command[]): string {
  return commands.map(spellCommand).join(" ; ");
}

/**
 * No newline stands in it: there a control client's command ends, and elsewhere tmux drops blanks and `#` comments
 * after one, even inside quotes. Nor does it take more than twice the room.
 */
function spellWord(word: string): string {
  return `"${word.replaceAll(/["$\\~]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
