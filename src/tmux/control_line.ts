// A tmux command as one line for a control client.
import type { Command } from "./exec.ts";

/** Writes a command so that tmux's own parser gives its arguments back: one command a line, so that each has one reply. */
export function controlLine(command: Command): string {
  return command.map(quoteWord).join(" ");
}

/** In double quotes tmux expands `$NAME`, `~` and escapes; a line ends at a newline whatever is around it. */
function quoteWord(word: string): string {
  // deno-lint-ignore no-control-regex
  const escaped = word.replaceAll(/[\x00-\x1f\x7f"$\\~]/g, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x20 || code === 0x7f ? `\\${code.toString(8).padStart(3, "0")}` : `\\${char}`;
  });
  return `"${escaped}"`;
}
