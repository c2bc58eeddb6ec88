// Environment of tmux clients, and of a tmux server that this program starts, which passes it on to all its panes.

/** Variables that tmux clients and ssh need. */
export const CHILD_ENVIRONMENT: readonly string[] = [
  ..."HOME PATH SHELL USER LOGNAME TERM LANG LC_ALL LC_CTYPE TZ TMPDIR".split(" "),
  ..."TMUX TMUX_PANE TMUX_TMPDIR XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_STATE_HOME".split(" "),
  ..."DISPLAY WAYLAND_DISPLAY SSH_AUTH_SOCK".split(" "),
];

/** Folders that may hold tmux although a desktop, or the shell that ssh starts, does not search them. */
export const PROGRAM_FOLDERS = "/usr/local/bin:/opt/homebrew/bin:/opt/local/bin:/usr/pkg/bin:" +
  "/run/current-system/sw/bin:$HOME/.local/bin:$HOME/bin:$HOME/.nix-profile/bin:/home/linuxbrew/.linuxbrew/bin";

/** Returns a PATH with those folders after its own. */
export function withProgramFolders(path: string, home: string | undefined): string {
  const folders = PROGRAM_FOLDERS.split(":").filter((folder) => home || folder.startsWith("/"));
  const named = folders.map((folder) => folder.replace("$HOME", () => home!));
  return [...new Set([...path.split(":"), ...named])].join(":");
}

/** Returns a PATH as it was before the launcher put those folders after it. */
export function withoutProgramFolders(path: string): string {
  const [first] = PROGRAM_FOLDERS.split(":$HOME");
  const at = path.lastIndexOf(`:${first}`);
  return at < 0 ? path : path.slice(0, at);
}

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
