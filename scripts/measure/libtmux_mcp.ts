// libtmux-mcp (`pip install libtmux-mcp`, then its bin in PATH) as a peer to measure beside:
// scripts/bench --peer=scripts/measure/libtmux_mcp.ts
import { type Adapter, FAILING_TESTS, type Operation } from "./adapter.ts";

const run = (pane_id: string, command: string): Operation => ({
  tool: "run_command",
  args: { pane_id, command },
});
const waitFor = (pane_id: string, text: string, timeout = 120): Operation => ({
  tool: "wait_for_text",
  args: { pane_id, patterns: [text], regex: true, timeout },
});
const type = (pane_id: string, keys: string): Operation => ({
  tool: "send_keys",
  args: { pane_id, keys, literal: true, enter: true },
});

const adapter: Adapter = {
  name: "libtmux-mcp",
  command: "libtmux-mcp",
  args: () => [],
  defaultArgs: () => [],
  env: (socket) => ({ LIBTMUX_SOCKET_PATH: socket }),
  primitives: {
    "list-sessions": () => ({ tool: "list_sessions", args: {} }),
    "list-panes": () => ({ tool: "list_panes", args: {} }),
    "capture-pane": (pane_id) => ({ tool: "capture_pane", args: { pane_id } }),
    "send-keys": (pane_id) => ({ tool: "send_keys", args: { pane_id, keys: "x", enter: false } }),
  },
  search: (pattern) => ({ tool: "search_panes", args: { pattern, regex: true } }),
  list: () => ({ tool: "list_panes", args: {} }),
  snapshot: (pane_id) => ({ tool: "snapshot_pane", args: { pane_id } }),
  execute: run,
  workflows: {
    "run a command": (pane) => [run(pane, "seq 1 20")],
    "run a command that fails": (pane) => [run(pane, "ls /nowhere")],
    "run true": (pane) => [run(pane, "true")],
    "run 5,000 tests, of which 8 fail": (pane) => [run(pane, FAILING_TESTS)],
    "start a server, wait until it is ready": (pane) => [
      type(pane, "echo listening; sleep 60"),
      waitFor(pane, "^listening", 30),
    ],
    "see a pane": (pane_id) => [{ tool: "snapshot_pane", args: { pane_id } }],
    "find every session and pane": () => [
      { tool: "list_sessions", args: {} },
      { tool: "list_panes", args: {} },
    ],
  },
};

export default adapter;
