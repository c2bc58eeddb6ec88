// Environment of tmux clients, and of a tmux server that this program starts, which passes it on to all its panes.

/** Variables that tmux clients and ssh need. */
export const CHILD_ENVIRONMENT: readonly string[] = [
  "HOME",
  "PATH",
  "SHELL",
  "USER",
  "LOGNAME",
  "TERM",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "TMUX",
  "TMUX_PANE",
  "TMUX_TMPDIR",
  "XDG_RUNTIME_DIR",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "SSH_AUTH_SOCK",
];

/** Variables that are not passed on, by their origin. */
const WITHHELD: readonly { whose: string; names: RegExp }[] = [
  { whose: "the launcher", names: /^(?:DENO_DIR|_)$/ },
  {
    whose: "npx",
    names:
      /^(?:INIT_CWD|npm_(?:command|execpath|node_execpath|(?:lifecycle|package)_.*|config_(?:local_prefix|user_agent)))$/,
  },
  { whose: "this server", names: /^TMUX_MCP_/ },
  { whose: "the tmux that this program runs in", names: /^TMUX(?:_PANE)?$/ },
  { whose: "the client", names: /^(?:CLAUDE|ANTHROPIC|OPENAI|CODEX_|GEMINI_|AI_AGENT$)/ },
  { whose: "the client, to prove who it is", names: /_(?:KEY|TOKEN|SECRET|PASSWORD)$/i },
];

/** Returns the environment with which a person's own `tmux new-session` would start a server. */
export function serverEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !WITHHELD.some(({ names }) => names.test(name))),
  );
}
