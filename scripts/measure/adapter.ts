// What a server under measurement is started with and how its tools are called; add one to compare another server.
import { fromFileUrl } from "@std/path";

type Arguments = Record<string, unknown>;

/** A tool of the server, and what of its answer counts. */
export interface Operation {
  tool: string;
  args: Arguments;
}

export interface Adapter {
  name: string;
  command: string;
  /** How the server is pointed at a tmux socket, with all its tools. */
  args(socket: string): string[];
  /** As users start it, with the tools a client sees by default. */
  defaultArgs(socket: string): string[];
  env(socket: string): Record<string, string>;
  /** Calls that every tmux server has in some form, on a pane. */
  primitives: Record<string, (pane: string) => Operation>;
  /** Looks for a text in every pane. */
  search?(pattern: string): Operation;
  execute(pane: string, command: string): Operation;
  /** Answers when `trigger` fires; absent where the server can only be polled. */
  watch?(pane: string, trigger: string, mode: string): Operation;
  /** Types a command and answers when `trigger` fires. */
  startAndWatch?(pane: string, command: string, trigger: string): Operation;
}

const tmuxMcp: Adapter = {
  name: "tmux-mcp",
  command: fromFileUrl(new URL("../tmux-mcp", import.meta.url)),
  args: (socket) => ["--socket", socket, "--scope", "all"],
  defaultArgs: (socket) => ["--socket", socket],
  env: () => ({}),
  primitives: {
    "list-sessions": () => ({ tool: "list-sessions", args: {} }),
    "list-panes": () => ({ tool: "list-panes", args: {} }),
    "capture-pane": (paneId) => ({ tool: "capture-pane", args: { paneId } }),
    "send-keys": (paneId) => ({ tool: "send-keys", args: { paneId, keys: "x" } }),
    "pane-state": (paneId) => ({ tool: "pane-state", args: { paneId } }),
  },
  search: (pattern) => ({ tool: "search-panes", args: { pattern, regex: true } }),
  execute: (paneId, command) => ({ tool: "execute-command", args: { paneId, command } }),
  watch: (paneId, triggers, mode) => ({ tool: "watch-pane", args: { paneId, triggers, mode, timeout: 30 } }),
  startAndWatch: (paneId, command, triggers) => ({
    tool: "start-and-watch",
    args: { paneId, command, triggers, timeout: 30 },
  }),
};

export const ADAPTERS: Readonly<Record<string, Adapter>> = { "tmux-mcp": tmuxMcp };
