// Types of the connection that a program imports: options and entries.
import type { CreatedSession, NewSession } from "../tmux/objects/sessions.ts";
import type { TypedInput } from "../tmux/objects/input.ts";
import type { CommandResult } from "../watch/commands/command_result.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { PaneState } from "../watch/protocol.ts";
import type { WatchProgress } from "../watch/watch.ts";
import type { Listening } from "../watch/watches.ts";

/** Which tmux server, and how its programs are reached. */
export interface ConnectOptions {
  /**
   * The environment that tmux is run with, and nothing else. `TMUX` in it chooses the server, as it does for tmux
   * itself; `Deno.env.toObject()` suits most programs.
   */
  env: Readonly<Record<string, string>>;
  /** Path (with a `/`) or name of the tmux socket; if left out, what `env` names, else tmux's default. */
  socket?: string;
  /** Arguments of ssh, ending in the destination: the tmux server is on that machine. */
  ssh?: string;
  /** The tmux program; `tmux` if left out. */
  tmuxBin?: string;
  /** Shell assumed in panes where it can't be detected; `auto` (default) refuses to guess. */
  shellType?: "auto" | "bash" | "zsh" | "fish" | "sh";
  /** Regex (RE2) of the lines that the trigger `error` fires for; the server's own if left out. */
  errorPattern?: string;
  /** Regex (RE2) of lines that are not errors although they match. */
  errorIgnorePattern?: string;
}

/** Limits of a call's wait. */
export interface WaitOptions {
  /** Seconds to wait at most; 50 if left out. */
  timeout?: number;
  /** Ends the wait, which rejects with the signal's reason; the program in the pane keeps running. */
  signal?: AbortSignal;
}

/** Options of a command's run, and limits on its output. */
export interface RunOptions extends WaitOptions {
  /** `return` (default): a command that waits for input ends the call, with status `waiting`. `wait`: it does not. */
  onInput?: "return" | "wait";
  /** Lines of output returned at most; 2000 if left out. A longer output keeps its head and its end. */
  maxLines?: number;
  /** UTF-8 bytes of output returned at most; 65,536 if left out. */
  maxBytes?: number;
}

/** Options of a watch. */
export interface WatchCallOptions extends WaitOptions {
  /**
   * Any of `exit`, `shell`, `user_input`, `error`, `bell`, `port`, `port:NUMBER`, `idle:SECONDS` and `pattern:REGEX`
   * (RE2), as a list or with commas between; `exit,user_input,error` if left out.
   */
  triggers?: string | readonly string[];
  /** Receives new output about twice a second while it waits. */
  progress?(update: WatchProgress): void;
}

/** Options of a command that is started and watched. */
export interface StartOptions extends WatchCallOptions {
  /** Regex (RE2) that the program's output matches once it is ready. */
  pattern?: string;
}

/** A pane in a listing. */
export interface PaneEntry {
  /** Such as `%5`; never given to another pane of the same server. */
  paneId: string;
  /** Such as `$1`. */
  sessionId: string;
  /** The session's name. */
  sessionName: string;
  /** Such as `@3`. */
  windowId: string;
  /** Name of the program in the foreground. */
  currentCommand: string;
  /** Its working directory. */
  currentPath: string;
  /** Columns. */
  width: number;
  /** Rows. */
  height: number;
  /** True if its program has ended and tmux keeps the pane. */
  dead: boolean;
}

/** One tmux server, until closed. Panes and their programs outlive the connection. */
export interface TmuxConnection extends AsyncDisposable {
  /** Every pane of the server; none where no server runs. */
  listPanes(): Promise<PaneEntry[]>;
  /** Creates a detached session, or returns the one of that name with `created: false`. */
  createSession(session?: NewSession): Promise<CreatedSession>;
  /** Kills a session, given by id or exact name, with its panes. */
  killSession(session: string): Promise<void>;
  /**
   * Runs a command in a pane's own shell and waits for its end: `cd` and `export` persist. One that is not over in
   * time has status `running`, and {@linkcode TmuxConnection.result} reads it later.
   * @throws {AppError} `busy` while another command runs there, `incomplete-command` for an open quote or block
   */
  run(paneId: string, command: string, options?: RunOptions): Promise<CommandResult>;
  /**
   * How a command of this connection stands; waits for its end if a `timeout` is given.
   * @throws {AppError} `not-found` for a command of another connection
   */
  result(commandId: string, options?: RunOptions): Promise<CommandResult>;
  /**
   * Starts a command that keeps running, and waits until it is ready (`pattern`), prints an error, waits for input or
   * exits. `commandId` in the result is for {@linkcode TmuxConnection.result}.
   */
  start(paneId: string, command: string, options?: StartOptions): Promise<WatchResult>;
  /** Waits until something happens in a pane, or in the first of several. */
  watch(paneIds: string | readonly string[], options?: WatchCallOptions): Promise<WatchResult>;
  /** Which program runs in a pane, whether it waits for input and of which kind, and the TCP ports it listens on. */
  state(paneId: string): Promise<PaneState & Listening>;
  /** The text that a pane shows; with `lines` its last lines, history included. */
  capture(paneId: string, options?: { lines?: number }): Promise<string>;
  /** Types text as it is, or keys by tmux's names for them (`{ keys: ["C-c"] }`); `enter` presses Enter at the end. */
  type(paneId: string, input: string | TypedInput, options?: { enter?: boolean }): Promise<void>;
  /** Ends every worker and tmux client of this connection. */
  close(): Promise<void>;
}
