// Limits of a server that runs.
import { assert } from "@std/assert";
import type { TestClient } from "./world.ts";

/** Limits the server as `ulimit` would have, but after it has started. */
export async function prlimit({ transport }: TestClient, limit: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("prlimit", { args: [`--pid=${transport.pid}`, limit] })
    .output();
  assert(success, new TextDecoder().decode(stderr));
}
