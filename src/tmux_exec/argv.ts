// Turns a batch of tmux commands into an argument list for tmux's command line.

import { byteLength } from "../bytes.ts";
import { AppError } from "../errors.ts";
import type { Command } from "./exec.ts";

/** Maximum number of words in one client's batch (tmux 3.7 and newer). */
export const MAX_WORDS = 1000;
/** Maximum size (bytes) of a client's packed arguments: an imsg of 16384 bytes, less its header and the argument count. */
const MAX_PACKED_BYTES = 16384 - 16 - 4;

/**
 * Joins commands with `;` and protects every argument from tmux's parser.
 * @throws {AppError} `invalid-argument` if tmux could not take the list
 */
export function joinCommands(commands: readonly Command[]): string[] {
  const argv = commands.flatMap((command, index) => {
    const quoted = command.map(quoteArgument);
    return index === 0 ? quoted : [";", ...quoted];
  });
  checkSize(argv);
  return argv;
}

/**
 * Returns the same commands as one line of a tmux configuration file. Every character that could have a meaning is
 * written as an octal escape.
 * @throws {AppError} `invalid-argument`, as `joinCommands`
 */
export function configurationLine(commands: readonly Command[]): string {
  joinCommands(commands);
  return commands.map((command) => command.map(quoteWord).join(" ")).join(" ; ") + "\n";
}

function quoteWord(value: string): string {
  const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
  // deno-lint-ignore no-control-regex -- every ASCII character that is no letter, digit or dash
  return `"${value.replace(/[\x00-\x7f]/g, (char) => /[\w-]/.test(char) ? char : octal(char))}"`;
}

/** Escapes a trailing `;`, at which tmux would end the command, even after `send-keys -l`; `\;` is the text `;`. */
function quoteArgument(value: string): string {
  if (value.includes("\0")) {
    const what = `Cannot pass ${JSON.stringify(value.slice(0, 80))}: it contains a NUL`;
    throw new AppError("invalid-argument", what, {
      hint: "Leave it out: no program accepts a NUL in an argument",
    });
  }
  return value.endsWith(";") ? `${value.slice(0, -1)}\\;` : value;
}

function checkSize(argv: readonly string[]): void {
  const size = argv.reduce((sum, value) => sum + byteLength(value) + 1, 0);
  if (size > MAX_PACKED_BYTES) throw tooLong(`${size} bytes`, MAX_PACKED_BYTES);
  if (argv.length > MAX_WORDS) throw tooLong(`${argv.length} words`, MAX_WORDS);
}

function tooLong(size: string, limit: number): AppError {
  return new AppError("invalid-argument", `Cannot run a tmux command of ${size}: tmux takes ${limit}`, {
    hint: "Shorten the arguments; put a long command into a file",
  });
}
