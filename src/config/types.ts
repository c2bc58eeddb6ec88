// Types of configuration: every resolved value, and its source.
import type { Mode } from "../vocabulary.ts";
import type { CommandName, COMPLETION_SHELLS, INIT_CLIENTS } from "./commands.ts";

export interface Host {
  /** Arguments of `ssh`: options, then the destination. */
  readonly ssh: string;
  /** The tmux socket on that machine (path or name); absent: tmux's default there. */
  readonly socket?: string | undefined;
}

export interface ToolFilter {
  readonly mode: "deny" | "allow";
  /** Tool names and `@groups`. */
  readonly items: readonly string[];
}

/** Every option of the table, by its name in code. `undefined` means: not limited, or not set. */
export interface Options {
  readonly shellType: "auto" | "bash" | "zsh" | "fish" | "sh";
  readonly scope: "agentic" | "primitives" | "all";
  readonly safety: "readonly" | "mutating" | "destructive";
  readonly channel: boolean;
  readonly socket: string | undefined;
  readonly instance: string;
  readonly tmuxBin: string;
  readonly tmuxProtocol: boolean;
  readonly promptsAsTools: boolean;
  readonly log: "error" | "warn" | "info" | "debug";
  readonly ssh: string | undefined;
  readonly hosts: Readonly<Record<string, Host>>;
  readonly errorPattern: string;
  readonly errorIgnorePattern: string;
  readonly attach: boolean;
  readonly maxWatches: number;
  readonly maxWorkers: number;
  readonly securityEnabled: boolean;
  readonly allowExecuteCommand: boolean;
  readonly allowRawMode: boolean;
  readonly allowSendKeys: boolean;
  readonly allowKill: boolean;
  readonly allowCreate: boolean;
  readonly allowSplit: boolean;
  readonly allowRename: boolean;
  readonly allowMove: boolean;
  readonly allowCapture: boolean;
  readonly allowList: boolean;
  readonly allowedSockets: readonly string[] | undefined;
  readonly allowedSessions: readonly string[] | undefined;
  readonly allowedPanes: readonly string[] | undefined;
  readonly allowedBufferPaths: readonly string[] | undefined;
  readonly allowedOutputPaths: readonly string[] | undefined;
  readonly typePasswords: boolean;
  readonly filterMode: "off" | "allowlist" | "denylist";
  readonly filterPatterns: readonly string[];
  readonly filterRawInput: "refuse" | "track";
  readonly filterEnvironment: readonly string[];
  readonly tools: ToolFilter;
  readonly auditPath: string | undefined;
  readonly auditLevel: "all" | "writes" | "denied";
  readonly handoverNotify: "auto" | "osc9" | "osc777" | "off";
  readonly completedRetentionMinutes: number;
  readonly completedMaxEntries: number;
  /** Bytes. */
  readonly maxOutputBytes: number;
  readonly durableEnabled: boolean;
  /** Absent: `tmux-mcp` in the user's folder for state. */
  readonly durablePath: string | undefined;
  /** Bytes. */
  readonly durableMaxBytes: number;
  readonly durableKeepHours: number;
  /** Bytes. */
  readonly searchStreamingThreshold: number;
  /** `env:NAME`, `literal:TEXT`, `regex:RE2`. */
  readonly mask: readonly string[];
  /** Bytes. */
  readonly answerBytes: number;
  /** The name of a profile. */
  readonly clientName: string | undefined;
  readonly clientCallSeconds: number | undefined;
  readonly clientAnswerBytes: number | undefined;
  readonly clientToolNames: "hyphens" | "underscores" | undefined;
  /** 0: never. */
  readonly tasksAfterSeconds: number;
}

export type OptionName = keyof Options;

export interface Source {
  readonly kind: "default" | "file" | "environment" | "flag";
  /** The origin as its owner wrote it: `--scope`, `TMUX_MCP_SCOPE`, `server.scope`; empty for a default. */
  readonly name: string;
}

/** The command that the process was started with. */
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
  /** Whose page; absent: the program's. */
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
  /** Pace of progress reports; absent: no reports. */
  readonly mode: Mode | undefined;
  readonly host: string | undefined;
}

export type InitClient = typeof INIT_CLIENTS[number];

export interface ResolvedConfig {
  readonly command: CliCommand;
  readonly options: Options;
  readonly sources: Readonly<Record<OptionName, Source>>;
  /** The file that was read, if one was. */
  readonly file: string | undefined;
}

/** A setting that stops the start. The message is one line that names it and what is valid; exit code 2. */
export class ConfigError extends Error {
  /** Always this. */
  override readonly name = "ConfigError";
}
