// Types of the connection that a program imports: options and entries.
import type { CreatedSession, NewSession } from "../tmux/objects/sessions.ts";
import type { TypedInput } from "../tmux/objects/input.ts";
import type { CommandResult } from "../commands/command_result.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { PaneState } from "../watch/protocol.ts";
import type { WatchProgress } from "../watch/watch.ts";
import type { Listening } from "../watch/pane_activity.ts";

/** The tmux server to connect to, and how programs in its panes are reached. */
export interface ConnectOptions {
  /**
   * Complete environment for tmux; nothing else is passed on. As for tmux itself, `TMUX` in it chooses the server.
   * `Deno.env.toObject()` suits most programs.
   */
  env: Readonly<Record<string, string>>;
  /** Path (with a `/`) or name of the tmux socket; if left out, the one that `env` names, else tmux's default. */
  socket?: string;
  /** Arguments of ssh, ending in the destination, if the tmux server is on another machine. */
  ssh?: string;
  /** Path or name of the tmux program; `tmux` if left out. */
  tmuxBin?: string;
  /** Shell assumed in panes where it can't be detected; `auto` (default) refuses to guess. */
  shellType?: "auto" | "bash" | "zsh" | "fish" | "sh";
  /** Regex (RE2) of the lines for which the trigger `error` fires; the server's default if left out. */
  errorPattern?: string;
  /** Regex (RE2) of lines that are not errors although they match. */
  errorIgnorePattern?: string;
}

/** Limits on how long a call waits. */
export interface WaitOptions {
  /** Maximum seconds to wait; 50 if left out. */
  timeout?: number;
  /** Ends the wait, which then rejects with the signal's reason; the program in the pane keeps running. */
  signal?: AbortSignal;
}

/** Options for running a command, and limits on its output. */
export interface RunOptions extends WaitOptions {
  /** `return` (default): a command that waits for input ends the call, with status `waiting`. `wait`: it does not. */
  onInput?: "return" | "wait";
  /** Maximum lines of output returned; 2000 if left out. Longer output is shortened to its beginning and end. */
  maxLines?: number;
  /** Maximum UTF-8 bytes of output returned; 65,536 if left out. */
  maxBytes?: number;
}

/** Options of a watch. */
export interface WatchCallOptions extends WaitOptions {
  /**
   * Any of `exit`, `shell`, `user_input`, `error`, `bell`, `port`, `port:NUMBER`, `idle:SECONDS` and `pattern:REGEX`
   * (RE2), as a list or separated by commas; `exit,user_input,error` if left out.
   */
  triggers?: string | readonly string[];
  /** Called with new output, at most twice a second, while the call waits. */
  progress?(update: WatchProgress): void;
}

/** Options for a command that is started and watched. */
export interface StartOptions extends WatchCallOptions {
  /** Regex (RE2) that the program's output matches once it is ready. */
  pattern?: string;
}

/** A pane in a listing. */
export interface PaneEntry {
  /** Id such as `%5`; never reused for another pane of the same server. */
  paneId: string;
  /** Id such as `$1`. */
  sessionId: string;
  /** Name of the session. */
  sessionName: string;
  /** Id such as `@3`. */
  windowId: string;
  /** Name of the program in the foreground. */
  currentCommand: string;
  /** Working directory of that program. */
  currentPath: string;
  /** Columns. */
  width: number;
  /** Rows. */
  height: number;
  /** True if its program has ended while tmux keeps the pane. */
  dead: boolean;
}

/** Connection to one tmux server. Panes and their programs outlive it. */
export interface TmuxConnection extends AsyncDisposable {
  /** Returns every pane of the server; none if no server runs. */
  listPanes(): Promise<PaneEntry[]>;
  /** Creates a detached session, or returns the existing one of that name with `created: false`. */
  createSession(session?: NewSession): Promise<CreatedSession>;
  /** Kills a session, given by id or exact name, with its panes. */
  killSession(session: string): Promise<void>;
  /**
   * Runs a command in a pane's own shell and waits until it ends; `cd` and `export` persist. A command that takes
   * longer than `timeout` has status `running`; read it later with {@linkcode TmuxConnection.result}.
   * @throws {AppError} `busy` while another command runs there, `incomplete-command` for an open quote or block
   */
  run(paneId: string, command: string, options?: RunOptions): Promise<CommandResult>;
  /**
   * Returns the state of a command of this connection; with a `timeout`, it waits until the command ends.
   * @throws {AppError} `not-found` for a command of another connection
   */
  result(commandId: string, options?: RunOptions): Promise<CommandResult>;
  /**
   * Starts a command that keeps running, and waits until it is ready (`pattern`), prints an error, waits for input or
   * exits. Pass `commandId` of the result to {@linkcode TmuxConnection.result}.
   */
  start(paneId: string, command: string, options?: StartOptions): Promise<WatchResult>;
  /** Waits until something happens in a pane, or in the first of several. */
  watch(paneIds: string | readonly string[], options?: WatchCallOptions): Promise<WatchResult>;
  /**
   * Returns the program that runs in a pane, the kind of input that it waits for, and the TCP ports that it listens on.
   */
  state(paneId: string): Promise<PaneState & Listening>;
  /** Returns the text that a pane shows; with `lines`, its last lines including history. */
  capture(paneId: string, options?: { lines?: number }): Promise<string>;
  /**
   * Types text as it is, or keys by tmux's names for them (`{ keys: ["C-c"] }`). `enter`: press Enter at the end.
   * @throws {AppError} `invalid-argument` for a key that tmux does not have
   */
  type(paneId: string, input: string | TypedInput, options?: { enter?: boolean }): Promise<void>;
  /** Ends every worker and tmux client of this connection. */
  close(): Promise<void>;
}
