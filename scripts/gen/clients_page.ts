// The page on setting up clients: a section for each client that `init` knows, with the entry that it writes.
import { type ClientConfig, CLIENTS } from "../../src/cli/clients.ts";
import { entryText } from "../../src/cli/entry.ts";
import type { InitClient } from "../../src/config.ts";

const INTRO = `# Setting up clients

\`tmux-mcp init CLIENT --write\` adds the entry below to the client's own file and keeps a copy of the previous
one; \`--remove\` removes it. Extra options are stored in \`args\`: \`init codex --write --safety=readonly\`. In
the entries, \`/path/to/tmux-mcp\` is the folder of your checkout, \`tmux-mcp\` its \`scripts/tmux-mcp\`.
Restart the client afterwards. Most clients ask before each call: allow the tools that you don't want to be
asked about. The paths are those on Linux; \`CLAUDE_CONFIG_DIR\`, \`CODEX_HOME\`, \`COPILOT_HOME\`,
\`CLINE_DIR\` and \`XDG_CONFIG_HOME\` are respected. Sections with a tested version were tried with \`deno task soak:clients\`;
the other entries follow the clients' documentation. For another client, put the command into
its own format; Continue reads Cursor's from \`.continue/mcpServers/tmux.json\`. This page is written by
\`deno task gen\`.`;

const LAUNCH = { command: "/path/to/tmux-mcp/scripts/tmux-mcp", args: [] };

interface Facts {
  title: string;
  /** Version that `deno task soak:clients` ran, and the result. */
  tested?: string;
  /** Time limits, approval and other specifics. */
  notes?: readonly string[];
}

const READS_ENTRY = "it reads the entry, but starts servers only with a model";
const LIKE_GEMINI = "A call may take `timeout` milliseconds; the default is 10 minutes.";

/** Facts about each client other than its file. */
const FACTS: Readonly<Record<InitClient, Facts>> = {
  "claude-code": {
    title: "Claude Code",
    tested: "2.1.197 connects",
    notes: [
      "Instead of the entry, install the [plugin](running.md#as-a-plugin-or-extension), which includes the skills.",
      'To allow every tool, add `"mcp__tmux"`, or `"mcp__plugin_tmux-mcp_tmux"` with the plugin, to `permissions.allow` in `~/.claude/settings.json`.',
      "Calls of more than two minutes go to the background. Answers over 25,000 tokens are cut: " +
      "`MAX_MCP_OUTPUT_TOKENS` changes that.",
      "For [channels](watching.md#channel-mode), store `--channel` in the entry and start Claude Code with " +
      "`--dangerously-load-development-channels server:tmux`.",
    ],
  },
  "claude-desktop": {
    title: "Claude Desktop",
    notes: [
      "A call may take 60 seconds: use `background: true` for longer waits.",
      "On macOS the file is under `~/Library/Application Support`. A release also has a bundle (`.mcpb`) to open.",
    ],
  },
  codex: {
    title: "Codex",
    tested: `0.169.0: ${READS_ENTRY}`,
    notes: [
      "Codex passes on only `HOME`, `LANG`, `PATH` and `TERM`: name other variables in `env_vars`. `init` adds the " +
      "`TMUX_MCP_` variables that are set and limit the server, and those of `--mask=env:NAME`.",
      "`init codex --write --force` completes an entry that `codex mcp add` wrote.",
      "By default a start may take 10 seconds and a call 60; the entry allows 20 and 600.",
      "Its model sees names with underscores: `execute_command`.",
    ],
  },
  gemini: {
    title: "Gemini CLI",
    tested: "0.61.0 connects",
    notes: [
      "It starts no servers in folders that you haven't trusted.",
      LIKE_GEMINI,
      '`"trust": true` in the entry allows every call.',
      "Instead of the entry, link the [extension](running.md#as-a-plugin-or-extension), which includes the skills.",
    ],
  },
  cursor: { title: "Cursor" },
  windsurf: {
    title: "Windsurf (Devin Desktop)",
    notes: [
      "Versions before the new name read `~/.codeium/windsurf/mcp_config.json`, and Devin Desktop imports it; `init` uses " +
      "that if only it exists.",
    ],
  },
  vscode: {
    title: "VS Code",
    notes: ["On macOS the file is under `~/Library/Application Support`."],
  },
  copilot: {
    title: "Copilot CLI",
    tested: `1.0.102: ${READS_ENTRY}`,
    notes: [
      "A call may take `timeout` milliseconds.",
      "`copilot --allow-tool tmux` allows every call.",
    ],
  },
  zed: {
    title: "Zed",
    notes: [
      "A call may take `timeout` seconds, at most 600; the default is 60. Zed of 2025 takes the number as milliseconds: " +
      "remove it there.",
    ],
  },
  amp: { title: "Amp" },
  antigravity: {
    title: "Antigravity",
    notes: [
      "Before version 2 the file is `~/.gemini/antigravity/mcp_config.json`; `init` uses that if it exists.",
    ],
  },
  cline: {
    title: "Cline",
    notes: [
      "A call may take `timeout` seconds; the default is 60.",
      "In VS Code, Cline has a file in VS Code's own folder; `init` uses that if only it exists.",
    ],
  },
  goose: { title: "Goose", notes: ["`timeout` is in seconds."] },
  jetbrains: { title: "JetBrains Junie" },
  kiro: { title: "Kiro" },
  qwen: { title: "Qwen Code", notes: [LIKE_GEMINI] },
  opencode: {
    title: "opencode",
    tested: "1.18.33 connects",
    notes: [
      "A call may take `timeout` milliseconds, and longer if it reports progress; the default is a minute.",
      'The file may end in `.jsonc`. Version 2 keeps servers under `mcp.servers`, and `init` writes that form there, with `"timeout": {"execution": 600000}`.',
    ],
  },
};

function sectionOf(client: ClientConfig): string {
  const { title, tested, notes = [] } = FACTS[client.name];
  // A desktop program has no projects.
  const inProjects = client.name !== "claude-desktop";
  const [path = ""] = client.paths({ os: "linux", variable: (name) => name === "HOME" ? "/~" : undefined });
  const facts = [
    `File: \`${path.slice(1)}\`${
      client.project === undefined || !inProjects ? "" : `; in a project, \`${client.project}\``
    }.`,
    ...(client.adds === undefined ? [] : [`Or run \`${client.adds(LAUNCH.command)}\`.`]),
    ...notes,
    ...(tested === undefined ? [] : [`Tested: ${tested}.`]),
  ];
  return [
    `## ${title}`,
    `\`\`\`sh\ntmux-mcp init ${client.name} --write\n\`\`\``,
    facts.map((fact) => `- ${fact}`).join("\n"),
    `\`\`\`${client.format}\n${entryText(client, LAUNCH).trim()}\n\`\`\``,
  ].join("\n\n");
}

export function clientsPage(): string {
  return [INTRO, ...CLIENTS.map(sectionOf)].join("\n\n") + "\n";
}
