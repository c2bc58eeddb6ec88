// Types of configuration: every resolved value, and its source.
import type { Mode } from "../vocabulary.ts";
import type { CommandName, COMPLETION_SHELLS, INIT_CLIENTS } from "./commands.ts";

/** A machine that a call can name as its `host`. */
export interface Host {
  /** Arguments of `ssh`: options, then the destination. */
  readonly ssh: string;
  /** The tmux socket on that machine (path or name); absent: tmux's default. */
  readonly socket?: string | undefined;
}

/** Tools that are removed. */
export interface ToolFilter {
  /** `deny` removes the items, `allow` removes all others. */
  readonly mode: "deny" | "allow";
  /** Tool names and `@groups`. */
  readonly items: readonly string[];
}

/** Every option of the table, by its name in code. `undefined` means not limited or not set. */
export interface Options {
  /** Shell to assume in a pane where it can't be detected (inside ssh or a container). */
  readonly shellType: "auto" | "bash" | "zsh" | "fish" | "sh";
  /** The tools that a client sees: the essential ones, only tmux primitives, or all. */
  readonly scope: "agentic" | "primitives" | "all";
  /** Actions that tools may take: read; also change, type, and destroy what this server created; or destroy anything. */
  readonly safety: "readonly" | "mutating" | "destructive";
  /** Push the events of finished watches to the client as channel notifications. */
  readonly channel: boolean;
  /** The tmux server to use: a path (tmux's -S) or a name (tmux's -L). */
  readonly socket: string | undefined;
  /** Name with which this server marks what it creates, to recognize it after a restart. */
  readonly instance: string;
  /** The tmux program to run. */
  readonly tmuxBin: string;
  /** Speak tmux's own protocol on its socket; false: run the tmux program for each batch and client. */
  readonly tmuxProtocol: boolean;
  /** Also offer the prompts through the tools list-prompts and get-prompt. */
  readonly promptsAsTools: boolean;
  /** Messages on stderr: warn reports problems outside of calls, info also failed calls, debug every call. */
  readonly log: "error" | "warn" | "info" | "debug";
  /** Use the tmux of another machine over ssh; the value is the arguments of ssh. */
  readonly ssh: string | undefined;
  /** Other machines, by the name that tools take as host. */
  readonly hosts: Readonly<Record<string, Host>>;
  /** Pattern that the error trigger looks for in new output. */
  readonly errorPattern: string;
  /** Text in new output that the error trigger ignores. */
  readonly errorIgnorePattern: string;
  /** Attach clients to the sessions of followed panes; false: read panes through their pipes. */
  readonly attach: boolean;
  /** Maximum number of simultaneous watches; a further one fails with busy. */
  readonly maxWatches: number;
  /** Maximum number of workers that watches share. */
  readonly maxWorkers: number;
  /** Apply the [security] tables; --safety and the protection of the server's own pane always apply. */
  readonly securityEnabled: boolean;
  /** Run commands: @execute, and every command or environment argument. */
  readonly allowExecuteCommand: boolean;
  /** rawMode and noEnter of execute-command. */
  readonly allowRawMode: boolean;
  /** Type into panes: @raw-input. */
  readonly allowSendKeys: boolean;
  /** Kill, respawn, clear and detach: @kill. */
  readonly allowKill: boolean;
  /** Create sessions and windows: @create. */
  readonly allowCreate: boolean;
  /** Split panes: @split. */
  readonly allowSplit: boolean;
  /** Rename: @rename. */
  readonly allowRename: boolean;
  /** Move, select, resize and lay out: @move. */
  readonly allowMove: boolean;
  /** Read contents of panes and buffers: @capture, @buffer-read, @buffer-write. */
  readonly allowCapture: boolean;
  /** List objects: @list, list resources, completion. */
  readonly allowList: boolean;
  /** The only tmux sockets tools may use. */
  readonly allowedSockets: readonly string[] | undefined;
  /** The only sessions tools may see or touch. */
  readonly allowedSessions: readonly string[] | undefined;
  /** The only panes tools may see or touch. */
  readonly allowedPanes: readonly string[] | undefined;
  /** Folders that load-buffer and save-buffer may use. */
  readonly allowedBufferPaths: readonly string[] | undefined;
  /** Folders that pipes, recordings and screenshots may be written to. */
  readonly allowedOutputPaths: readonly string[] | undefined;
  /** Let tools type into a pane whose program waits for a password. */
  readonly typePasswords: boolean;
  /** Refuse simple commands that match no pattern (allowlist), or those that match one (denylist). */
  readonly filterMode: "off" | "allowlist" | "denylist";
  /** The patterns of the command filter, matched anywhere in a simple command. */
  readonly filterPatterns: readonly string[];
  /** While a filter is on: refuse keys and pastes, or track the line that they form. */
  readonly filterRawInput: "refuse" | "track";
  /** Variables that may be set while a filter is on even though they make shells run code. */
  readonly filterEnvironment: readonly string[];
  /** Tools and @groups to remove; after allow:, the only ones to keep. */
  readonly tools: ToolFilter;
  /** Append one JSON line per call to this file. */
  readonly auditPath: string | undefined;
  /** Calls that the audit log records. */
  readonly auditLevel: "all" | "writes" | "denied";
  /** Desktop notification that terminals get when a person is asked to answer a program. */
  readonly handoverNotify: "auto" | "osc9" | "osc777" | "off";
  /** Time for which the result of a finished command is kept. */
  readonly completedRetentionMinutes: number;
  /** Maximum number of finished commands that are kept. */
  readonly completedMaxEntries: number;
  /** Maximum bytes of a command's output in memory; the rest goes to disk. */
  readonly maxOutputBytes: number;
  /** Keep records of commands and watches on disk, where later servers find them. */
  readonly durableEnabled: boolean;
  /** The folder of these records; by default tmux-mcp in $XDG_STATE_HOME or ~/.local/state. */
  readonly durablePath: string | undefined;
  /** Maximum space for these records; the oldest finished ones are removed first. */
  readonly durableMaxBytes: number;
  /** Time for which these records are kept. */
  readonly durableKeepHours: number;
  /** Size from which a buffer is searched piece by piece (bytes). */
  readonly searchStreamingThreshold: number;
  /** Secrets to replace by [masked]: env:NAME, literal:TEXT or regex:RE2. */
  readonly mask: readonly string[];
  /** Maximum size of an answer, counted as it is sent. */
  readonly answerBytes: number;
  /** The MCP client to expect; by default, the name that the client reports. */
  readonly clientName: string | undefined;
  /** Time after which the client ends a call; by default, waits end 10 seconds earlier. */
  readonly clientCallSeconds: number | undefined;
  /** Maximum size of an answer to this client. */
  readonly clientAnswerBytes: number | undefined;
  /** Form in which the client shows tool names to its model. */
  readonly clientToolNames: "hyphens" | "underscores" | undefined;
  /** Part of a result that the client's model reads. */
  readonly clientReads: "structuredContent" | "text" | undefined;
  /** Time after which a waiting call becomes a task, for clients that support tasks; 0: never. */
  readonly tasksAfterSeconds: number;
}

export type OptionName = keyof Options;

export interface Source {
  readonly kind: "default" | "file" | "environment" | "flag";
  /** The name of the origin: `--scope`, `TMUX_MCP_SCOPE`, `server.scope`; empty for a default. */
  readonly name: string;
}

/** The command with which the process was started. */
export type CliCommand =
  | { readonly kind: "serve" | "version" | "doctor" }
  | HelpCommand
  | { readonly kind: "clean" }
  | { readonly kind: "config"; readonly schema: boolean }
  | InitCommand
  | WatchCommand
  | CompletionsCommand;

export interface HelpCommand {
  readonly kind: "help";
  /** Command whose page to show; absent: the program's page. */
  readonly topic?: CommandName;
}

export interface CompletionsCommand {
  readonly kind: "completions";
  readonly shell: typeof COMPLETION_SHELLS[number];
}

export interface InitCommand {
  readonly kind: "init";
  readonly client: InitClient;
  readonly action: "print" | "write" | "remove";
  /** Also replace or remove an entry that starts something else or has other options. */
  readonly force: boolean;
  /** Extra options, which are stored in the client's entry. */
  readonly args: readonly string[];
}

export interface WatchCommand {
  readonly kind: "watch";
  readonly paneId: string;
  readonly triggers: string;
  /** Seconds. */
  readonly timeout: number;
  /** Frequency of progress reports; absent: no reports. */
  readonly mode: Mode | undefined;
  readonly host: string | undefined;
}

export type InitClient = typeof INIT_CLIENTS[number];

export interface ResolvedConfig {
  readonly command: CliCommand;
  readonly options: Options;
  readonly sources: Readonly<Record<OptionName, Source>>;
  /** Path of the file that was read, if any. */
  readonly file: string | undefined;
}

/**
 * Thrown for a setting that prevents startup, with exit code 2. The message is one line that names the setting
 * and the valid values.
 */
export class ConfigError extends Error {
  /** Always this. */
  override readonly name = "ConfigError";
}
