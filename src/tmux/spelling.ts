// Commands as text that tmux's own parser reads back word for word.
import type { Command } from "./exec.ts";

/** One command. tmux drops blanks and `#` comments after a newline even inside quotes, so no newline stands in any. */
export function spellCommand(command: Command): string {
  return command.map(spellWord).join(" ");
}

/** Several, of which the first that fails ends the rest. */
export function spellBatch(commands: readonly Command[]): string {
  return commands.map(spellCommand).join(" ; ");
}

function spellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll("\n", `'"\\n"'`)}'`;
}
