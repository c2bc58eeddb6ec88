// The option table: each option once, with its flag, environment name, file key, validity, default and help.
import { PROFILE_NAMES } from "../client_profiles.ts";
import {
  choice,
  count,
  countWithin,
  hosts,
  type Kind,
  list,
  masks,
  name,
  optional,
  pattern,
  patterns,
  text,
} from "./kinds.ts";
import { toggle, toolFilter } from "./kinds.ts";
import { ERROR_IGNORE_PATTERN, ERROR_PATTERN } from "./error_patterns.ts";
import type { OptionName, Options } from "./types.ts";

export interface OptionRow<T> {
  /** Where it stands in the file: `server.scope`. */
  readonly key: string;
  /** `--NAME`, and `TMUX_MCP_NAME`. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly default: T;
  readonly help: string;
}

export const TABLE: { readonly [K in OptionName]: OptionRow<Options[K]> } = {
  scope: {
    key: "server.scope",
    name: "scope",
    kind: choice("agentic", "primitives", "all"),
    default: "agentic",
    help: "Which tools a client sees: workflows and the essentials, tmux primitives, or everything",
  },
  safety: {
    key: "server.safety",
    name: "safety",
    kind: choice("readonly", "mutating", "destructive"),
    default: "mutating",
    help: "What tools may do: look; also change, type, and destroy what this server made; destroy anything",
  },
  channel: {
    key: "server.channel",
    name: "channel",
    kind: toggle,
    default: false,
    help: "Push the events of finished watches to the client as channel notifications",
  },
  socket: {
    key: "server.socket",
    name: "socket",
    kind: optional(text("PATH|NAME")),
    default: undefined,
    help: "The tmux server to use: a path is tmux's -S, a name its -L",
  },
  instance: {
    key: "server.instance",
    name: "instance",
    kind: name,
    default: "default",
    help: "The name by which this server marks what it makes, and knows it again after a restart",
  },
  tmuxBin: {
    key: "server.tmux_bin",
    name: "tmux-bin",
    kind: text("FILE"),
    default: "tmux",
    help: "The tmux program to run",
  },
  tmuxProtocol: {
    key: "server.tmux_protocol",
    name: "tmux-protocol",
    kind: toggle,
    default: true,
    help: "Speak tmux's own protocol on its socket; false: start a tmux program for each batch and client",
  },
  promptsAsTools: {
    key: "server.prompts_as_tools",
    name: "prompts-as-tools",
    kind: toggle,
    default: false,
    help: "Offer the prompts as the tools list-prompts and get-prompt too",
  },
  log: {
    key: "server.log",
    name: "log",
    kind: choice("error", "warn", "info", "debug"),
    default: "warn",
    help:
      "How much to say on stderr: warn is what goes wrong outside of calls, info failed calls too, debug every call",
  },
  shellType: {
    key: "shell.type",
    name: "shell-type",
    kind: choice("auto", "bash", "zsh", "fish", "sh"),
    default: "auto",
    help: "The shell to assume in a pane where it cannot be seen (inside ssh or a container)",
  },
  ssh: {
    key: "ssh.remote",
    name: "ssh",
    kind: optional(text('"OPTIONS DEST"')),
    default: undefined,
    help: "Work on the tmux of another machine, over ssh: what stands after ssh on a command line",
  },
  hosts: {
    key: "hosts",
    name: "hosts",
    kind: hosts,
    default: {},
    help: "More machines, each a name for tools' host parameter",
  },
  errorPattern: {
    key: "watch.error_pattern",
    name: "error-pattern",
    kind: pattern,
    default: ERROR_PATTERN,
    help: "What the error trigger looks for in new output",
  },
  errorIgnorePattern: {
    key: "watch.error_ignore_pattern",
    name: "error-ignore-pattern",
    kind: pattern,
    default: ERROR_IGNORE_PATTERN,
    help: "What is taken out of new output before the error trigger looks at it",
  },
  attach: {
    key: "watch.attach",
    name: "attach",
    kind: toggle,
    default: true,
    help: "Whether clients attach to the sessions of followed panes; false: read panes through their pipes",
  },
  maxWatches: {
    key: "watch.max_watches",
    name: "max-watches",
    kind: count("N"),
    default: 256,
    help: "Watches at one time; the next is busy",
  },
  maxWorkers: {
    key: "watch.max_workers",
    name: "max-workers",
    kind: count("N"),
    default: 12,
    help: "Workers that watches share",
  },
  securityEnabled: {
    key: "security.enabled",
    name: "security",
    kind: toggle,
    default: true,
    help: "Whether the [security] tables hold; --safety and the guard of the own pane always do",
  },
  allowExecuteCommand: allow(
    "execute_command",
    "Run commands: @execute, and every command or environment given",
  ),
  allowRawMode: allow("raw_mode", "rawMode and noEnter of execute-command"),
  allowSendKeys: allow("send_keys", "Type into panes: @raw-input"),
  allowKill: allow("kill", "Kill, respawn, clear and detach: @kill"),
  allowCreate: allow("create", "Create sessions and windows: @create"),
  allowSplit: allow("split", "Split panes: @split"),
  allowRename: allow("rename", "Rename: @rename"),
  allowMove: allow("move", "Move, select, resize and lay out: @move"),
  allowCapture: allow("capture", "Read what panes and buffers hold: @capture, @buffer-read, @buffer-write"),
  allowList: allow("list", "List what there is: @list, list resources, completion"),
  allowedSockets: only("allowed_sockets", "PATH|NAME", "The only tmux sockets tools may use"),
  allowedSessions: only("allowed_sessions", "ID|NAME", "The only sessions tools may see or touch"),
  allowedPanes: only("allowed_panes", "ID", "The only panes tools may see or touch"),
  allowedBufferPaths: only(
    "allowed_buffer_paths",
    "DIR",
    "Where load-buffer and save-buffer may read and write",
  ),
  allowedOutputPaths: only(
    "allowed_output_paths",
    "DIR",
    "Where pipes, recordings and screenshots may be written",
  ),
  typePasswords: {
    key: "security.type_passwords",
    name: "type-passwords",
    kind: toggle,
    default: true,
    help: "Whether tools may type into a pane whose program waits for a password",
  },
  filterMode: {
    key: "security.command_filter.mode",
    name: "filter-mode",
    kind: choice("off", "allowlist", "denylist"),
    default: "off",
    help: "Whether every simple command that reaches a shell must match a pattern, or must match none",
  },
  filterPatterns: {
    key: "security.command_filter.patterns",
    name: "filter-patterns",
    kind: patterns,
    default: [],
    help: "The patterns of the command filter, matched anywhere in a simple command",
  },
  filterRawInput: {
    key: "security.command_filter.raw_input",
    name: "filter-raw-input",
    kind: choice("refuse", "track"),
    default: "refuse",
    help: "While a filter is on: refuse keys and pastes, or follow the line they build up",
  },
  filterEnvironment: {
    key: "security.command_filter.environment",
    name: "filter-environment",
    kind: list("NAME"),
    default: [],
    help: "Variables that may be set while a filter is on although they make shells run code",
  },
  mask: {
    key: "security.mask",
    name: "mask",
    kind: masks,
    default: [],
    help: "Secrets that are replaced by [masked]: env:NAME, literal:TEXT or regex:RE2",
  },
  tools: {
    key: "security.tools",
    name: "tools",
    kind: toolFilter,
    default: { mode: "deny", items: [] },
    help: "Tools and @groups to take away, or after allow: the only ones to leave",
  },
  auditPath: {
    key: "audit.path",
    name: "audit-path",
    kind: optional(text("FILE")),
    default: undefined,
    help: "Append one JSON line per call to this file",
  },
  auditLevel: {
    key: "audit.level",
    name: "audit-level",
    kind: choice("all", "writes", "denied"),
    default: "all",
    help: "Which calls are put in the audit log",
  },
  handoverNotify: {
    key: "handover.notify",
    name: "handover-notify",
    kind: choice("auto", "osc9", "osc777", "off"),
    default: "auto",
    help: "The desktop notification that terminals get when a person is asked to answer a program",
  },
  completedRetentionMinutes: {
    key: "tracking.completed_retention_minutes",
    name: "completed-retention-minutes",
    kind: count("MINUTES"),
    default: 240,
    help: "How long the result of a finished command can be asked for",
  },
  completedMaxEntries: {
    key: "tracking.completed_max_entries",
    name: "completed-max-entries",
    kind: count("N"),
    default: 1000,
    help: "How many finished commands are kept",
  },
  maxOutputBytes: {
    key: "tracking.max_output_bytes",
    name: "max-output-bytes",
    kind: count("BYTES"),
    default: 8 * 1024 * 1024,
    help: "How much of a command's output stays in memory; the rest goes to disk",
  },
  durableEnabled: {
    key: "durable.enabled",
    name: "durable",
    kind: toggle,
    default: true,
    help: "Keep records of commands and watches on disk, where later servers find them",
  },
  durablePath: {
    key: "durable.path",
    name: "durable-path",
    kind: optional(text("DIR")),
    default: undefined,
    help: "The folder of these records; by default tmux-mcp in $XDG_STATE_HOME or ~/.local/state",
  },
  durableMaxBytes: {
    key: "durable.max_bytes",
    name: "durable-max-bytes",
    kind: count("BYTES"),
    default: 256 * 1024 * 1024,
    help: "The most that these records may take; the oldest finished ones go first",
  },
  durableKeepHours: {
    key: "durable.keep_hours",
    name: "durable-keep-hours",
    kind: count("HOURS"),
    default: 48,
    help: "How long these records are kept",
  },
  searchStreamingThreshold: {
    key: "search.streaming_threshold_bytes",
    name: "search-streaming-threshold-bytes",
    kind: count("BYTES"),
    default: 262_144,
    help: "From which size a buffer is searched piece by piece",
  },
  answerBytes: {
    key: "limits.answer_bytes",
    name: "answer-bytes",
    kind: countWithin("BYTES", { least: 16_384, most: 1024 * 1024 }),
    default: 1024 * 1024,
    help: "The most that one answer may take, counted as it is sent",
  },
  clientName: {
    key: "client.name",
    name: "client",
    kind: optional(choice(...PROFILE_NAMES)),
    default: undefined,
    help: "The MCP client to expect; by default what the client calls itself",
  },
  clientCallSeconds: {
    key: "client.call_seconds",
    name: "client-call-seconds",
    kind: optional(count("SECONDS")),
    default: undefined,
    help: "How long the client gives a call; waits end 10 seconds before by default",
  },
  clientAnswerBytes: {
    key: "client.answer_bytes",
    name: "client-answer-bytes",
    kind: optional(countWithin("BYTES", { least: 8192, most: 1024 * 1024 })),
    default: undefined,
    help: "The most that one answer to this client may take",
  },
  clientToolNames: {
    key: "client.tool_names",
    name: "client-tool-names",
    kind: optional(choice("hyphens", "underscores")),
    default: undefined,
    help: "How the client shows the names of tools to its model",
  },
  tasksAfterSeconds: {
    key: "tasks.after_seconds",
    name: "tasks-after-seconds",
    kind: countWithin("SECONDS", { least: 0, most: 86_400 }),
    default: 1,
    help: "When a call that waits becomes a task, for clients that take tasks; 0: never",
  },
};

/** The rows as the table lists them, without what each one's type says of its value. */
export const ROWS = Object.entries(TABLE) as readonly (readonly [OptionName, OptionRow<unknown>])[];

export function flagOf(row: { readonly name: string }): string {
  return `--${row.name}`;
}

export function environmentNameOf(row: { readonly name: string }): string {
  return `TMUX_MCP_${row.name.toUpperCase().replaceAll("-", "_")}`;
}

function allow(what: string, help: string): OptionRow<boolean> {
  const name = `allow-${what.replaceAll("_", "-")}`;
  return { key: `security.allow_${what}`, name, kind: toggle, default: true, help };
}

function only(key: string, placeholder: string, help: string): OptionRow<readonly string[] | undefined> {
  const name = key.replaceAll("_", "-");
  return { key: `security.${key}`, name, kind: optional(list(placeholder)), default: undefined, help };
}
