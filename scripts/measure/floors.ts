// Floors for the server's numbers: less code in the same Deno, measured next to it.
import { fromFileUrl } from "@std/path";
import type { Adapter } from "./adapter.ts";
import { delay } from "./measure.ts";
import { type Usage, usageOf } from "./usage.ts";

/** Flags that the launcher also uses. */
const RUN = [
  "run",
  "--quiet",
  "--cached-only",
  "--v8-flags=--max-semi-space-size=2,--optimize-for-size",
  "-A",
];

/** A server of the official SDK without tools. */
export const SDK_ALONE: Adapter = {
  name: "the SDK's server alone",
  command: Deno.execPath(),
  args: () => [...RUN, pathOf("sdk_alone.ts")],
  defaultArgs: () => [...RUN, pathOf("sdk_alone.ts")],
  // The rig's home doesn't have the packages.
  env: () => ({ DENO_DIR: Deno.env.get("DENO_DIR") ?? "" }),
  primitives: {},
};

/** Memory of Deno with idle workers, once it has settled. */
export async function useBareDeno(settleMs: number, workers: number): Promise<Usage> {
  const args = [...RUN, pathOf("bare_deno.ts"), `${workers}`];
  const child = new Deno.Command(Deno.execPath(), { args, stdin: "piped" }).spawn();
  await delay(settleMs);
  const usage = await usageOf(child.pid);
  await child.stdin.close();
  await child.status;
  return usage;
}

function pathOf(name: string): string {
  return fromFileUrl(new URL(name, import.meta.url));
}
