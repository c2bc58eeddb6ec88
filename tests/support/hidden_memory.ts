// A server that can't read the memory of shells: it has to press keys at their prompts. Under Yama's ptrace_scope=1 it
// can't read their calls either, and in gVisor nothing of what they sleep for.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { findDenoDir } from "./proof.ts";
import type { ShellLine } from "./shell_lines.ts";
import type { TestClient, World } from "./world.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

export function serveWithoutMemory(world: World): Promise<TestClient> {
  return serveWith(world, "hide_memory.ts");
}

export function serveUnderYama(world: World): Promise<TestClient> {
  return serveWith(world, "hide_traced.ts");
}

/** A server on a kernel that shows no sleeps. */
export function serveBlind(world: World): Promise<TestClient> {
  return serveWith(world, "hide_sleeps.ts");
}

async function serveWith(world: World, preload: string): Promise<TestClient> {
  const preloaded = new URL(preload, import.meta.url);
  const run = ["run", "-A", "--no-check", "--frozen", `--preload=${preloaded}`, MAIN];
  return await world.serve({
    command: Deno.execPath(),
    args: [...run, "--socket", world.socket, "--scope", "all"],
    env: { DENO_DIR: await findDenoDir() },
  });
}

/** The first server reads the memory of bash and zsh; the second has to press keys at their prompts. */
export async function serveBoth(world: World): Promise<readonly [TestClient, TestClient]> {
  // Keeps tmux there when the pane of a step closes.
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
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
