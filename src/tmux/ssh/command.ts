// Turns a program and its arguments into the one command line that ssh passes to a shell on the other machine.
import { printfByte } from "../../shell/quoting.ts";

/** Way to start a program on another machine, through this ssh. */
export interface Via {
  readonly host: string;
  /** Operating system there, as `uname` prints it. */
  readonly system: string;
  readonly architecture: string;
  readonly bin: string;
  /** Options and destination. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns a command line for any login shell. It contains only letters, digits and punctuation that bash, dash, zsh,
 * fish, csh and nu read alike; a POSIX sh decodes the script from octal. `printf %b` is used because a `%` needs no
 * escaping in its argument.
 */
export function remoteCommand(script: string): string {
  return `exec sh -c 'eval "$(printf %b "${octal(script)}")"'`;
}

function octal(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    return /[\w .,:=@+/-]/.test(char) ? char : printfByte(byte);
  }).join("");
}
