// Adapters say how to start a server under measurement and call its tools. To measure another server, pass a
// file whose default export is an adapter: scripts/bench --peer=FILE.
// deno-lint-ignore-file camelcase -- the keys are those of tmuxp's format
import { join } from "@std/path";

/** Command that prints output like pytest's. */
export const FAILING_TESTS = "seq -f 'tests/test_cart.py::test_that_works[%g] PASSED' 5000; " +
  "echo '=========================== short test summary info ============================'; " +
  "seq -f 'FAILED tests/test_cart.py::test_total[%g] - assert 3 == 4' 8; " +
  "echo '========================= 8 failed, 5000 passed in 3.21s ========================='; false";

/** A call of one of the server's tools. */
export interface Operation {
  tool: string;
  args: Record<string, unknown>;
}

export interface Adapter {
  name: string;
  command: string;
  /**
   * Arguments that make the server use a tmux socket, with all its tools. A server without such an option
   * finds the socket too, because it is the default one in its TMUX_TMPDIR.
   */
  args(socket: string): string[];
  /** Arguments as users start it, with the tools that a client sees by default. */
  defaultArgs(socket: string): string[];
  env(socket: string): Record<string, string>;
  /** Options that add another machine, given the arguments of `ssh`; calls name it as `host: "far"`. */
  hostArgs?(words: string): string[];
  /** Calls on a pane that every tmux server has in some form. */
  primitives: Record<string, (pane: string) => Operation>;
  /** Searches for a text in every pane. */
  search?(pattern: string): Operation;
  /** A short list of every pane. */
  list?(): Operation;
  /** A pane's screen, with its program. */
  snapshot?(pane: string): Operation;
  /** Runs a command line in a pane's shell and returns its output when it ends. */
  execute?(pane: string, command: string): Operation;
  /** Returns when `trigger` fires; absent if the server can only be polled. */
  watch?(pane: string, trigger: string, mode: string): Operation;
  /** Types a command and returns when `trigger` fires. */
  startAndWatch?(pane: string, command: string, trigger: string): Operation;
  /** Calls with which an agent does a common task, in a pane with a shell at its prompt. */
  workflows?: Record<string, (pane: string) => Operation[]>;
  /** True if the server supports 2026-07-28 with tasks. */
  isModern?: boolean;
  /** Checkout whose parts can be measured without the server. */
  root?: string;
}

const FOUR_PANES = {
  session_name: "four",
  windows: [{
    layout: "tiled",
    panes: [
      "blank",
      "blank",
      { shell_command: "echo api listening; sleep 60", ready: { pattern: "^api listening" } },
      { shell_command: "echo web listening; sleep 60", ready: { pattern: "^web listening" } },
    ],
  }],
};

/** This project's server, from a checkout. */
export function tmuxMcp(name: string, root: string): Adapter {
  return {
    name,
    root,
    isModern: true,
    command: join(root, "scripts/tmux-mcp"),
    args: (socket) => ["--socket", socket, "--scope", "all"],
    defaultArgs: (socket) => ["--socket", socket],
    env: () => ({}),
    hostArgs: (words) => ["--hosts", `far=${words}`],
    primitives: {
      "list-sessions": () => ({ tool: "list-sessions", args: {} }),
      "list-panes": () => ({ tool: "list-panes", args: {} }),
      "capture-pane": (paneId) => ({ tool: "capture-pane", args: { paneId } }),
      "send-keys": (paneId) => ({ tool: "send-keys", args: { paneId, keys: "x" } }),
      "pane-state": (paneId) => ({ tool: "pane-state", args: { paneId } }),
    },
    search: (pattern) => ({ tool: "search-panes", args: { pattern, regex: true } }),
    list: () => ({ tool: "list-panes", args: {} }),
    snapshot: (paneId) => ({ tool: "snapshot-pane", args: { paneId } }),
    execute: (paneId, command) => ({ tool: "execute-command", args: { paneId, command } }),
    watch: (paneId, triggers, mode) => ({
      tool: "watch-pane",
      args: { paneId, triggers, mode, timeout: 120 },
    }),
    startAndWatch: (paneId, command, triggers) => ({
      tool: "start-and-watch",
      args: { paneId, command, triggers, timeout: 30 },
    }),
    workflows: {
      "run a command": (paneId) => [{ tool: "execute-command", args: { paneId, command: "seq 1 20" } }],
      "run a command that fails": (paneId) => [
        { tool: "execute-command", args: { paneId, command: "ls /nowhere" } },
      ],
      "run true": (paneId) => [{ tool: "execute-command", args: { paneId, command: "true" } }],
      "run 5,000 tests, of which 8 fail": (paneId) => [
        { tool: "execute-command", args: { paneId, command: FAILING_TESTS } },
      ],
      "start a server, wait until it is ready": (paneId) => [{
        tool: "start-and-watch",
        args: { paneId, command: "echo listening; sleep 60", triggers: "pattern:^listening,exit" },
      }],
      "four panes, two services ready, tests run": (paneId) => [
        { tool: "apply-workspace", args: { workspace: FOUR_PANES } },
        { tool: "execute-command", args: { paneId, command: "echo 12 passed" } },
      ],
      "answer a question": (paneId) => [
        {
          tool: "start-and-watch",
          args: { paneId, command: "read -p 'Sure? ' x", triggers: "user_input,exit" },
        },
        { tool: "send-keys", args: { paneId, keys: "y", literal: true, enter: true } },
      ],
      "see a pane": (paneId) => [{ tool: "snapshot-pane", args: { paneId } }],
      "find every session and pane": () => [
        { tool: "list-sessions", args: {} },
        { tool: "list-panes", args: {} },
      ],
    },
  };
}
