// The option table: each option once, with its flag, environment name, file key, validity, default and help.
import { PROFILE_NAMES } from "../client_profiles.ts";
import { INIT_CLIENTS } from "./commands.ts";
import { anyText, choice, count, countWithin, hosts, name, optional, pattern, toggle } from "./kinds.ts";
import type { DeclaredRow, DeclaredRows, OptionRow } from "./option_row.ts";
import { SECURITY_TABLE } from "./security_table.ts";
import { ERROR_IGNORE_PATTERN, ERROR_PATTERN } from "./error_patterns.ts";
import type { OptionName } from "./types.ts";

const TABLE: DeclaredRows = {
  scope: {
    key: "server.scope",
    kind: choice("agentic", "primitives", "all"),
    default: "agentic",
    help: "The tools that a client sees: the essential ones, only tmux primitives, or all",
  },
  safety: {
    key: "server.safety",
    kind: choice("readonly", "mutating", "destructive"),
    default: "mutating",
    help:
      "Actions that tools may take: read; also change, type, and destroy what this server created; or destroy anything",
  },
  channel: {
    key: "server.channel",
    kind: toggle,
    default: false,
    help: "Push the events of finished watches to the client as channel notifications",
  },
  socket: {
    key: "server.socket",
    kind: optional(anyText("PATH|NAME")),
    default: undefined,
    help: "The tmux server to use: a path (tmux's -S) or a name (tmux's -L)",
  },
  instance: {
    key: "server.instance",
    kind: name,
    default: "default",
    help: "Name with which this server marks what it creates, to recognize it after a restart",
  },
  tmuxBin: {
    key: "server.tmux_bin",
    kind: anyText("PATH|NAME"),
    default: "tmux",
    help: "The tmux program to run",
  },
  tmuxProtocol: {
    key: "server.tmux_protocol",
    kind: toggle,
    default: true,
    help: "Speak tmux's own protocol on its socket; false: run the tmux program for each batch and client",
  },
  promptsAsTools: {
    key: "server.prompts_as_tools",
    kind: toggle,
    default: false,
    help: "Also offer the prompts through the tools list-prompts and get-prompt",
  },
  log: {
    key: "server.log",
    kind: choice("error", "warn", "info", "debug"),
    default: "warn",
    help:
      "Messages on stderr: warn reports problems outside of calls, info also failed calls, debug every call",
  },
  shellType: {
    key: "shell.type",
    kind: choice("auto", "bash", "zsh", "fish", "sh"),
    default: "auto",
    help: "Shell to assume in a pane where it can't be detected (inside ssh or a container)",
  },
  ssh: {
    key: "ssh.remote",
    kind: optional(anyText('"OPTIONS DEST"')),
    default: undefined,
    help: "Use the tmux of another machine over ssh; the value is the arguments of ssh",
  },
  hosts: {
    key: "hosts",
    kind: hosts,
    default: {},
    help: "Other machines, by the name that tools take as host",
  },
  errorPattern: {
    key: "watch.error_pattern",
    kind: pattern,
    default: ERROR_PATTERN,
    help: "Pattern that the error trigger looks for in new output",
  },
  errorIgnorePattern: {
    key: "watch.error_ignore_pattern",
    kind: pattern,
    default: ERROR_IGNORE_PATTERN,
    help: "Text in new output that the error trigger ignores",
  },
  attach: {
    key: "watch.attach",
    kind: toggle,
    default: true,
    help: "Attach clients to the sessions of followed panes; false: read panes through their pipes",
  },
  maxWatches: {
    key: "watch.max_watches",
    kind: count("N"),
    default: 256,
    help: "Maximum number of simultaneous watches; a further one fails with busy",
  },
  maxWorkers: {
    key: "watch.max_workers",
    kind: count("N"),
    default: 12,
    help: "Maximum number of workers that watches share",
  },
  ...SECURITY_TABLE,
  handoverNotify: {
    key: "handover.notify",
    kind: choice("auto", "osc9", "osc777", "off"),
    default: "auto",
    help: "Desktop notification that terminals get when a person is asked to answer a program",
  },
  completedRetentionMinutes: {
    key: "tracking.completed_retention_minutes",
    kind: count("MINUTES"),
    default: 240,
    help: "Time for which the result of a finished command is kept",
  },
  completedMaxEntries: {
    key: "tracking.completed_max_entries",
    kind: count("N"),
    default: 1000,
    help: "Maximum number of finished commands that are kept",
  },
  maxOutputBytes: {
    key: "tracking.max_output_bytes",
    kind: count("BYTES"),
    default: 8 * 1024 * 1024,
    help: "Maximum bytes of a command's output in memory; the rest goes to disk",
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
    kind: optional(anyText("DIR")),
    default: undefined,
    help: "The folder of these records; by default tmux-mcp in $XDG_STATE_HOME or ~/.local/state",
  },
  durableMaxBytes: {
    key: "durable.max_bytes",
    kind: count("BYTES"),
    default: 256 * 1024 * 1024,
    help: "Maximum space for these records; the oldest finished ones are removed first",
  },
  durableKeepHours: {
    key: "durable.keep_hours",
    kind: count("HOURS"),
    default: 48,
    help: "Time for which these records are kept",
  },
  searchStreamingThreshold: {
    key: "search.streaming_threshold_bytes",
    name: "search-streaming-threshold-bytes",
    kind: count("BYTES"),
    default: 262_144,
    help: "Size from which a buffer is searched piece by piece",
  },
  answerBytes: {
    key: "limits.answer_bytes",
    kind: countWithin("BYTES", { least: 16_384, most: 1024 * 1024 }),
    default: 1024 * 1024,
    help: "Maximum size of an answer, counted as it is sent",
  },
  clientName: {
    key: "client.name",
    name: "client",
    kind: optional(choice(...new Set([...INIT_CLIENTS, ...PROFILE_NAMES]))),
    default: undefined,
    help: "The MCP client to expect; by default, the name that the client reports",
  },
  clientCallSeconds: {
    key: "client.call_seconds",
    kind: optional(count("SECONDS")),
    default: undefined,
    help: "Time after which the client ends a call; by default, waits end 10 seconds earlier",
  },
  clientAnswerBytes: {
    key: "client.answer_bytes",
    kind: optional(countWithin("BYTES", { least: 8192, most: 1024 * 1024 })),
    default: undefined,
    help: "Maximum size of an answer to this client",
  },
  clientToolNames: {
    key: "client.tool_names",
    kind: optional(choice("hyphens", "underscores")),
    default: undefined,
    help: "Form in which the client shows tool names to its model",
  },
  clientReads: {
    key: "client.reads",
    kind: optional(choice("structuredContent", "text")),
    default: undefined,
    help: "Part of a result that the client's model reads",
  },
  tasksAfterSeconds: {
    key: "tasks.after_seconds",
    kind: countWithin("SECONDS", { least: 0, most: 86_400 }),
    default: 1,
    help: "Time after which a waiting call becomes a task, for clients that support tasks; 0: never",
  },
};

/** The rows of the table, without the types of their values. */
export const ROWS: readonly (readonly [OptionName, OptionRow<unknown>])[] =
  (Object.entries(TABLE) as [OptionName, DeclaredRow<unknown>][])
    .map(([name, row]) => [name, { name: flagNameOf(name), ...row }]);

function flagNameOf(name: OptionName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
