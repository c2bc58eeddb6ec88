// Adapter of the toy peer: an example of one for another server.
import { fromFileUrl } from "@std/path";
import type { Adapter } from "../../scripts/measure/adapter.ts";

const SCRIPT = fromFileUrl(new URL("toy_peer.ts", import.meta.url));

const adapter: Adapter = {
  name: "toy-peer",
  command: Deno.execPath(),
  args: () => ["run", "-A", "--quiet", "--cached-only", SCRIPT],
  defaultArgs: () => ["run", "-A", "--quiet", "--cached-only", SCRIPT],
  // It knows no sockets: it finds the default one of this TMUX_TMPDIR.
  env: () => ({}),
  primitives: {
    "list-sessions": () => ({ tool: "sessions", args: {} }),
    "capture-pane": (pane) => ({ tool: "read", args: { target: pane } }),
  },
};

export default adapter;
