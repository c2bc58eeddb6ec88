// tmux-mcp-rs (`cargo install tmux-mcp-rs`, then its bin in PATH) as a peer to measure beside:
// scripts/bench --peer=scripts/measure/tmux_mcp_rs.ts
import type { Adapter } from "./adapter.ts";

const adapter: Adapter = {
  name: "tmux-mcp-rs",
  command: "tmux-mcp-rs",
  args: (socket) => ["--socket", socket],
  defaultArgs: (socket) => ["--socket", socket],
  env: () => ({}),
  primitives: {
    "list-sessions": () => ({ tool: "list-sessions", args: {} }),
    "capture-pane": (paneId) => ({ tool: "capture-pane", args: { paneId } }),
    "send-keys": (paneId) => ({ tool: "send-keys", args: { paneId, keys: "x" } }),
  },
};

export default adapter;
