// A server that can't read the memory of shells, as under Yama's ptrace_scope=1: it has to press keys at their prompts.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { findDenoDir } from "./proof.ts";
import type { ShellLine } from "./shell_lines.ts";
import type { TestClient, World } from "./world.ts";

const PRELOADED = new URL("hide_memory.ts", import.meta.url);
const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

export async function serveWithoutMemory(world: World): Promise<TestClient> {
  const run = ["run", "-A", "--no-check", "--frozen", `--preload=${PRELOADED}`, MAIN];
  return await world.serve({
    command: Deno.execPath(),
    args: [...run, "--socket", world.socket, "--scope", "all"],
    env: { DENO_DIR: await findDenoDir() },
  });
}

/** The first server reads the memory of bash and zsh; the second has to press keys at their prompts. */
export async function serveBoth(world: World): Promise<readonly [TestClient, TestClient]> {
  return await Promise.all([world.serve(), serveWithoutMemory(world)]);
}

/** Servers that see a shell in different ways: only the memory of bash and zsh can be read. */
export function differing(servers: readonly TestClient[], shell: string): readonly TestClient[] {
  return /^(bash|zsh)/.test(shell) ? servers : servers.slice(0, 1);
}

export async function refusesToType(servers: readonly TestClient[], { paneId }: ShellLine): Promise<void> {
  for (const server of servers) {
    const { code } = await server.fails("execute-command", { paneId, command: "echo typed" });
    assertEquals(code, "busy");
  }
}
