// A program and its arguments as the one command line that ssh hands to a shell there.

/** Place to start a program: through this ssh, on another machine. */
export interface Via {
  /** The machine's name. */
  readonly host: string;
  /** The operating system there, as `uname` spells it. */
  readonly system: string;
  readonly architecture: string;
  readonly bin: string;
  /** Options and destination. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Only letters, digits and a little punctuation that bash, dash, zsh, fish, csh and nu read alike reach that shell; a
 * POSIX sh gets the words out of octal. `printf %b` is the form in which a `%` needs no care.
 */
export function remoteCommand(script: string): string {
  return `exec sh -c 'eval "$(printf %b "${octal(script)}")"'`;
}

function octal(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    return /[\w .,:=@+/-]/.test(char) ? char : `\\0${byte.toString(8).padStart(3, "0")}`;
  }).join("");
}
