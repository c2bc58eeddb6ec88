import { assertEquals } from "@std/assert";
import { completeOptions } from "../src/config.ts";
import { createPolicy } from "../src/server_policy.ts";

Deno.test("the server's own folder is absolute, whatever TMPDIR is", () => {
  const engine = { uid: 0, records: undefined, socketPath: (socket: string) => socket };
  const options = completeOptions({});
  const expected = {
    "/usr": "/usr/tmux-mcp",
    "/gone": "/tmp/tmux-mcp",
    "": "/tmp/tmux-mcp",
    "here": "/tmp/tmux-mcp",
  };
  for (const [TMPDIR, folder] of Object.entries(expected)) {
    const { ownFolder } = createPolicy(engine, { options, env: { TMPDIR }, cwd: "/", configFile: undefined });
    assertEquals(ownFolder, folder, TMPDIR);
  }
});
