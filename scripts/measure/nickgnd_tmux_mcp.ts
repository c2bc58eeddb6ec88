// nickgnd/tmux-mcp on Node (`npm run build` in a clone, then `npm link`) as a peer to measure beside:
// scripts/bench --peer=scripts/measure/nickgnd_tmux_mcp.ts
import type { Adapter } from "./adapter.ts";

const adapter: Adapter = {
  name: "nickgnd/tmux-mcp",
  command: "tmux-mcp",
  args: () => [],
  defaultArgs: () => [],
  env: () => ({}),
  primitives: {
    "list-sessions": () => ({ tool: "list-sessions", args: {} }),
    "capture-pane": (paneId) => ({ tool: "capture-pane", args: { paneId } }),
  },
};

export default adapter;
