// Measures the speed at which a pane's output is read: from tmux's text to bytes, to lines, to matches.
import { fromFileUrl, join } from "@std/path";
import { type Measure, repeat } from "./measure.ts";
import type { Reading } from "./statistics.ts";

/** Measured in a separate process from the checkout's own files; other servers yield nothing. */
export const decode: Measure = async (rig) => {
  const { root } = rig.adapter;
  if (root === undefined) return [];
  const found: Record<string, number[]> = {};
  await repeat(3, async () => {
    for (const [name, speed] of Object.entries(await run(root))) (found[name] ??= []).push(speed);
    return 0;
  });
  return Object.entries(found).map(([name, samples]): Reading => ({ name, samples, unit: "MB/s" }));
};

/** Megabytes per second of CPU time, by step. */
async function run(root: string): Promise<Record<string, number>> {
  const script = fromFileUrl(new URL("decode_alone.ts", import.meta.url));
  const config = join(root, "deno.json");
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-lock", "--config", config, script, root],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
