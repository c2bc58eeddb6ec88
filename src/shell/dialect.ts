// Interface of a dialect: the loader that is typed, the payload that it reads with echo off, and the marks
// that the shell prints.

/** Content of mark R, which the shell prints before it reads the payload. */
export interface Ready {
  /** `$?` of the previous command. */
  status: number;
  /** `$-`; empty in fish. */
  flags: string;
  /** Terminal settings as printed by `stty -g`; empty if the shell restores them itself. */
  tty: string;
}

export interface ShellCommand {
  /** The text as the caller wrote it, without NUL. */
  command: string;
  /** Letters and digits in mark C, which begins the output. */
  publicId: string;
  /** Letters and digits in mark D, which ends the output: 128 bits that were never shown before. */
  secret: string;
  /** File beside which the shell creates one with the exit status in its name, in case no server reads mark D. */
  statusFile?: string | undefined;
  /** Run it in `( … )`. */
  subshell?: boolean;
  /** Adds the command to the shell's history, if the dialect can. */
  keepHistory?: boolean;
  /** Text to print before anything else: `redraw()` in screen.ts. */
  screen: string;
  ready: Ready;
}

/** A way to run commands inside an interactive shell of one kind. */
export interface Dialect {
  readonly name: "bash" | "zsh" | "fish" | "sh" | "ksh" | "mksh";
  /** True if the payload restores the terminal settings, so that mark R must report them. */
  readonly setsTerminal: boolean;
  /** Text to type at the prompt, followed by Enter. It prints mark R, then reads the payload with echo off. */
  readonly loader: string;
  /** Variant for a payload that fits in one terminal line, which the shell reads at once instead of byte by byte. */
  readonly byLine?: Dialect;
  /** Payload that runs a command. It ends with what makes the loader continue. */
  payload(run: ShellCommand): string;
  /** Payload that runs nothing and prints mark D with the shell's status, after Ctrl-C has discarded a payload. */
  recovery(run: Pick<ShellCommand, "secret" | "screen" | "ready">): string;
}

/** Beginning of every payload. The loader drops this word, and with it a key pressed before the payload came. */
export const DROPPED = "- ";

/** Marks C and D in `printf` notation. */
export function markOutput(publicId: string): string {
  return `\\033]133;C;${publicId}\\007`;
}

/**
 * Mark D in `printf` notation. It begins with a string terminator, because tmux ends a sequence that a
 * command left open only after five seconds.
 */
export function markDone(secret: string): string {
  return `\\033]133;D;%s;${secret}\\007\\033\\134`;
}

/**
 * Mark D as a word of bash and zsh.
 * @param status Shell text for the status
 */
export function quotedMarkDone(secret: string, status: string): string {
  return `$'\\e]133;D;'"${status}"$';${secret}\\a\\e\\\\'`;
}
