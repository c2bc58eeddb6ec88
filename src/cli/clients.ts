// The MCP clients that `init` can set up: their files and the format of an entry.
import { join, resolve } from "@std/path";
import { AppError } from "../errors.ts";
import type { InitClient } from "../config.ts";
import { CHILD_ENVIRONMENT } from "../tmux/server_environment.ts";
import type { DOCUMENT_FORMATS } from "./documents.ts";
import type { LaunchCommand } from "./own_command.ts";

export const ENTRY_NAME = "tmux";

/** Operating system and variables that determine where a user's files are. */
export interface UserEnvironment {
  os: string;
  variable(name: string): string | undefined;
}

export interface ClientConfig {
  name: InitClient;
  format: keyof typeof DOCUMENT_FORMATS;
  /** Path of keys to the table of servers. */
  servers: readonly string[];
  /** Format of the file in a newer version of the client. */
  newer?: { holds(data: Record<string, unknown>): boolean } & Pick<ClientConfig, "servers" | "entry">;
  /** Absolute paths of the user's files that may contain it, the preferred one first. */
  paths(place: UserEnvironment): string[];
  /** The file of a project, relative to its folder; absent if the client has none. */
  project?: string;
  /** Servers that the user's file lists for one project only. */
  localServers?(data: Record<string, unknown>, folder: string): Record<string, unknown> | undefined;
  entry(launch: LaunchCommand): Record<string, unknown>;
  /** The client's name for the other way to start the server, if it has one. */
  plugin?: "plugin" | "extension";
  /** The client's own command that adds the entry, if it has one. */
  adds?(words: string): string;
}

type ClientFormat = Omit<ClientConfig, "name">;

const MCP_SERVERS = {
  format: "json",
  servers: ["mcpServers"],
  entry: ({ command, args }: LaunchCommand) => ({ command, args }),
} as const;

/** Variables that Codex passes on by itself. */
const PASSED_ON = ["HOME", "LANG", "PATH", "TERM"];
/** Variables for the server, and for programs in new panes. */
const HANDED_ON = [
  ...CHILD_ENVIRONMENT.filter((name) => !PASSED_ON.includes(name)),
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
];

const CLINE_IN_VSCODE = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";

/** Formats and paths from each client's documentation, for servers that a user has in every project. */
const FORMATS: Record<InitClient, ClientFormat> = {
  "claude-code": {
    ...MCP_SERVERS,
    paths: (place) => [join(ownPath(place, "CLAUDE_CONFIG_DIR") ?? home(place), ".claude.json")],
    project: ".mcp.json",
    localServers({ projects }, folder) {
      return (projects as Record<string, { mcpServers?: Record<string, unknown> }> | undefined)?.[folder]
        ?.mcpServers;
    },
    entry: ({ command, args }) => ({ type: "stdio", command, args, env: {} }),
    plugin: "plugin",
    adds: (words) => `claude mcp add --scope user ${ENTRY_NAME} -- ${words}`,
  },
  "claude-desktop": {
    ...MCP_SERVERS,
    paths: (place) => [join(applicationFolder(place), "Claude", "claude_desktop_config.json")],
    project: "claude_desktop_config.json",
  },
  codex: {
    format: "toml",
    servers: ["mcp_servers"],
    paths: (place) => [join(ownPath(place, "CODEX_HOME") ?? join(home(place), ".codex"), "config.toml")],
    project: ".codex/config.toml",
    entry: ({ command, args, variables = [] }) => ({
      command,
      args,
      env_vars: [...new Set([...HANDED_ON, ...variables])],
      startup_timeout_sec: 20,
      tool_timeout_sec: 600,
    }),
    adds: (words) => `codex mcp add ${ENTRY_NAME} -- ${words}`,
  },
  gemini: { ...homeFile(".gemini/settings.json"), plugin: "extension", entry: limitedEntry },
  cursor: { ...homeFile(".cursor/mcp.json"), plugin: "plugin" },
  windsurf: {
    ...MCP_SERVERS,
    // Devin Desktop, its name since June 2026, has the first file and also reads that of the versions before.
    paths: (place) =>
      [join(dotConfig(place), "devin"), join(home(place), ".codeium", "windsurf")].map((folder) =>
        join(folder, "mcp_config.json")
      ),
    project: ".devin/mcp_config.json",
  },
  vscode: {
    format: "json",
    servers: ["servers"],
    paths: (place) => [join(applicationFolder(place), "Code", "User", "mcp.json")],
    project: ".vscode/mcp.json",
    entry: ({ command, args }) => ({ type: "stdio", command, args }),
  },
  copilot: {
    ...MCP_SERVERS,
    paths: (
      place,
    ) => [join(ownPath(place, "COPILOT_HOME") ?? join(home(place), ".copilot"), "mcp-config.json")],
    project: ".github/mcp.json",
    entry: ({ command, args }) => ({ type: "local", command, args, tools: ["*"], timeout: 600_000 }),
  },
  zed: {
    ...MCP_SERVERS,
    servers: ["context_servers"],
    paths: (place) => [join(dotConfig(place), "zed", "settings.json")],
    project: ".zed/settings.json",
    entry: ({ command, args }) => ({ command, args, timeout: 600 }),
  },
  amp: {
    ...MCP_SERVERS,
    servers: ["amp.mcpServers"],
    paths: (place) => [join(dotConfig(place), "amp", "settings.json")],
    project: ".amp/settings.json",
    adds: (words) => `amp mcp add ${ENTRY_NAME} -- ${words}`,
  },
  antigravity: {
    ...MCP_SERVERS,
    // Versions before 2 use the second folder.
    paths: (place) =>
      ["config", "antigravity"].map((folder) => join(home(place), ".gemini", folder, "mcp_config.json")),
    project: ".agents/mcp_config.json",
    adds: (words) => `agy mcp add ${ENTRY_NAME} -- ${words}`,
  },
  cline: {
    ...MCP_SERVERS,
    // The file of the command line, then the file of the VS Code extension.
    paths: (place) => [
      ownPath(place, "CLINE_MCP_SETTINGS_PATH") ??
        join(clineData(place), "settings", "cline_mcp_settings.json"),
      join(applicationFolder(place), CLINE_IN_VSCODE),
    ],
    entry: ({ command, args }) => ({ command, args, disabled: false, autoApprove: [], timeout: 600 }),
  },
  goose: {
    format: "yaml",
    servers: ["extensions"],
    paths: (place) => [join(dotConfig(place), "goose", "config.yaml")],
    entry: ({ command, args }) => ({
      name: ENTRY_NAME,
      type: "stdio",
      cmd: command,
      args,
      envs: {},
      enabled: true,
      timeout: 300,
    }),
  },
  jetbrains: homeFile(".junie/mcp/mcp.json"),
  kiro: homeFile(".kiro/settings/mcp.json"),
  qwen: { ...homeFile(".qwen/settings.json"), entry: limitedEntry },
  opencode: {
    format: "json",
    servers: ["mcp"],
    paths: (place) =>
      ["opencode.json", "opencode.jsonc"].map((file) => join(configFolder(place), "opencode", file)),
    project: "opencode.json",
    // The limit also applies to the start, on which the whole client waits.
    entry: ({ command, args }) => ({
      type: "local",
      command: [command, ...args],
      enabled: true,
      timeout: 300_000,
    }),
    // Version 2 and later, which also read files of version 1, and drop an entry whose `timeout` is a number.
    newer: {
      holds: ({ mcp }) => isServerTable((mcp as { servers?: unknown } | undefined)?.servers),
      servers: ["mcp", "servers"],
      entry: ({ command, args }) => ({
        type: "local",
        command: [command, ...args],
        timeout: { execution: 600_000 },
      }),
    },
  },
};

export const CLIENTS: readonly ClientConfig[] = Object.entries(FORMATS).map(([name, format]) => ({
  name: name as InitClient,
  ...format,
}));

/** Command and arguments of an entry, in any client's format. */
export function commandOf(entry: unknown): string[] {
  const { command, cmd, args } = (entry ?? {}) as { command?: unknown; cmd?: unknown; args?: unknown };
  return [command ?? cmd, args].flat().filter((word) => typeof word === "string");
}

/** True for an entry that stays in the file without being started, in any client's format. */
export function isTurnedOff(entry: unknown): boolean {
  const { enabled, disabled } = (entry ?? {}) as { enabled?: unknown; disabled?: unknown };
  return enabled === false || disabled === true;
}

/** The client with the format of this file. */
export function clientOf(client: ClientConfig, data: Record<string, unknown>): ClientConfig {
  return client.newer?.holds(data) ? { ...client, ...client.newer } : client;
}

/** True for a table of servers; false for a server that is itself named "servers", which has a command. */
function isServerTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !("type" in value) && !("enabled" in value);
}

/** A file that has the same path in a project's folder as in the home folder. */
function homeFile(path: string): ClientFormat {
  return { ...MCP_SERVERS, paths: (place) => [join(home(place), path)], project: path };
}

/** An entry with the milliseconds that a call may take. */
function limitedEntry({ command, args }: LaunchCommand): Record<string, unknown> {
  return { command, args, timeout: 600_000 };
}

function home({ variable }: UserEnvironment): string {
  const folder = variable("HOME");
  if (folder?.startsWith("/")) return folder;
  throw new AppError("invalid-argument", "Cannot find the configuration of a client: HOME is not set", {
    hint: "Set HOME to the absolute path of your home folder",
  });
}

function clineData(place: UserEnvironment): string {
  return ownPath(place, "CLINE_DATA_DIR") ??
    join(ownPath(place, "CLINE_DIR") ?? join(home(place), ".cline"), "data");
}

/** The path in a client's own variable; clients take an empty one as unset, and a relative one as from the working folder. */
function ownPath({ variable }: UserEnvironment, name: string): string | undefined {
  const path = variable(name);
  return path ? resolve(path) : undefined;
}

function configFolder(place: UserEnvironment): string {
  const folder = place.variable("XDG_CONFIG_HOME");
  // The standard says to ignore a relative one.
  return folder?.startsWith("/") ? folder : join(home(place), ".config");
}

/** Configuration folder of a program that follows XDG_CONFIG_HOME only on Linux. */
function dotConfig(place: UserEnvironment): string {
  return place.os === "darwin" ? join(home(place), ".config") : configFolder(place);
}

function applicationFolder(place: UserEnvironment): string {
  return place.os === "darwin" ? join(home(place), "Library", "Application Support") : configFolder(place);
}
