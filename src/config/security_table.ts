// Options that limit what agents may do, and of the log of their calls.
import {
  anyText,
  choice,
  type Kind,
  list,
  masks,
  optional,
  paneIds,
  patterns,
  toggle,
  toolFilter,
} from "./kinds.ts";
import type { DeclaredRow, DeclaredRows } from "./option_row.ts";

export const SECURITY_TABLE = {
  securityEnabled: {
    key: "security.enabled",
    name: "security",
    kind: toggle,
    default: true,
    help: "Apply the [security] tables; --safety and the protection of the server's own pane always apply",
  },
  allowExecuteCommand: allow(
    "execute_command",
    "Run commands: @execute, and every command or environment argument",
  ),
  allowRawMode: allow("raw_mode", "rawMode and noEnter of execute-command"),
  allowSendKeys: allow("send_keys", "Type into panes: @raw-input"),
  allowKill: allow("kill", "Kill, respawn, clear and detach: @kill"),
  allowCreate: allow("create", "Create sessions and windows: @create"),
  allowSplit: allow("split", "Split panes: @split"),
  allowRename: allow("rename", "Rename: @rename"),
  allowMove: allow("move", "Move, select, resize and lay out: @move"),
  allowCapture: allow("capture", "Read contents of panes and buffers: @capture, @buffer-read, @buffer-write"),
  allowList: allow("list", "List objects: @list, list resources, completion"),
  allowedSockets: only("allowed_sockets", list("PATH|NAME"), "The only tmux sockets tools may use"),
  allowedSessions: only("allowed_sessions", list("ID|NAME"), "The only sessions tools may see or touch"),
  allowedPanes: only("allowed_panes", paneIds, "The only panes tools may see or touch"),
  allowedBufferPaths: only(
    "allowed_buffer_paths",
    list("DIR"),
    "Folders that load-buffer and save-buffer may use",
  ),
  allowedOutputPaths: only(
    "allowed_output_paths",
    list("DIR"),
    "Folders that pipes, recordings and screenshots may be written to",
  ),
  typePasswords: {
    key: "security.type_passwords",
    kind: toggle,
    default: true,
    help: "Let tools type into a pane whose program waits for a password",
  },
  filterMode: {
    key: "security.command_filter.mode",
    kind: choice("off", "allowlist", "denylist"),
    default: "off",
    help: "Refuse simple commands that match no pattern (allowlist), or those that match one (denylist)",
  },
  filterPatterns: {
    key: "security.command_filter.patterns",
    kind: patterns,
    default: [],
    help: "The patterns of the command filter, matched anywhere in a simple command",
  },
  filterRawInput: {
    key: "security.command_filter.raw_input",
    kind: choice("refuse", "track"),
    default: "refuse",
    help: "While a filter is on: refuse keys and pastes, or track the line that they form",
  },
  filterEnvironment: {
    key: "security.command_filter.environment",
    kind: list("NAME"),
    default: [],
    help: "Variables that may be set while a filter is on even though they make shells run code",
  },
  mask: {
    key: "security.mask",
    kind: masks,
    default: [],
    help: "Secrets to replace by [masked]: env:NAME, literal:TEXT or regex:RE2",
  },
  tools: {
    key: "security.tools",
    kind: toolFilter,
    default: { mode: "deny", items: [] },
    help: "Tools and @groups to remove; after allow:, the only ones to keep",
  },
  auditPath: {
    key: "audit.path",
    kind: optional(anyText("FILE")),
    default: undefined,
    help: "Append one JSON line per call to this file",
  },
  auditLevel: {
    key: "audit.level",
    kind: choice("all", "writes", "denied"),
    default: "all",
    help: "Calls that the audit log records",
  },
} satisfies Partial<DeclaredRows>;

function allow(what: string, help: string): DeclaredRow<boolean> {
  return { key: `security.allow_${what}`, kind: toggle, default: true, help };
}

function only(
  key: string,
  kind: Kind<readonly string[]>,
  help: string,
): DeclaredRow<readonly string[] | undefined> {
  return { key: `security.${key}`, kind: optional(kind), default: undefined, help };
}
