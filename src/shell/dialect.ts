// Interface of a dialect: the loader that is typed, the payload it reads with echo off, the marks that the shell prints.

/** Content of mark R, which the shell sends before it takes the payload. */
export interface Ready {
  /** `$?` of the command before ours. */
  status: number;
  /** `$-`; empty in fish. */
  flags: string;
  /** The terminal's settings as `stty -g` prints them; empty where the shell keeps them itself. */
  tty: string;
}

/** One command to be run. */
export interface ShellCommand {
  /** The text as the caller wrote it, without NUL. */
  command: string;
  /** Goes into mark C, which opens the output; letters and digits. */
  publicId: string;
  /** Goes into mark D, which closes it; letters and digits, 128 bits, never shown before. */
  secret: string;
  /** File that gets the exit status too, if the shell may write to it: nobody may be there to read mark D. */
  statusFile?: string | undefined;
  /** Run it in `( … )`. */
  subshell?: boolean;
  /** Enter it into the shell's history, where the dialect can. */
  keepHistory?: boolean;
  /** Printed before anything else: `redraw()` of screen.ts. */
  screen: string;
  ready: Ready;
}

/** A way to run commands inside an interactive shell of one kind. */
export interface Dialect {
  readonly name: "bash" | "zsh" | "fish" | "sh" | "ksh" | "mksh";
  /** The payload sets the terminal back, so mark R must report how it was. */
  readonly setsTerminal: boolean;
  /** Typed at the prompt, with Enter after it: prints mark R, then reads the payload with echo off. */
  readonly loader: string;
  /** The same, where the payload is one line of the terminal's: the shell has it at once, and not byte by byte. */
  readonly byLine?: Dialect;
  /** The payload that runs a command: ends in what makes the loader continue. */
  payload(run: ShellCommand): string;
  /** The payload that runs nothing and prints mark D with the status the shell had (after Ctrl-C took ours). */
  recovery(run: Pick<ShellCommand, "secret" | "screen" | "ready">): string;
}

/** Marks C and D in `printf` notation. */
export function markOutput(publicId: string): string {
  return `\\033]133;C;${publicId}\\007`;
}

/** A string terminator follows: tmux ends a sequence that the command left open only after five seconds. */
export function markDone(secret: string): string {
  return `\\033]133;D;%s;${secret}\\007\\033\\134`;
}

/** The same as a word of bash and zsh, with the status as `status` has it. */
export function quotedMarkDone(secret: string, status: string): string {
  return `$'\\e]133;D;'"${status}"$';${secret}\\a\\e\\\\'`;
}
