import { assertEquals } from "@std/assert";
import { completeOptions } from "../src/config.ts";
import { createPolicy } from "../src/server_policy.ts";

const engine = { uid: 0, records: undefined, socketPath: (socket: string) => socket };
const options = completeOptions({});

Deno.test("the server's own folder is absolute, whatever TMPDIR is", () => {
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

Deno.test("without a home folder the one that the server was started in is not for files", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  const paths = (env: Record<string, string>): readonly string[] =>
    createPolicy(engine, { options, env, cwd, configFile: undefined }).policy.services.standardPaths();
  try {
    assertEquals(paths({ HOME: cwd }).includes(cwd), true);
    for (const HOME of ["", "relative", `${cwd}/missing`]) {
      assertEquals(paths({ HOME }).includes(cwd), false, HOME);
    }
    assertEquals(paths({}).includes(cwd), false);
  } finally {
    await Deno.remove(cwd);
  }
});
