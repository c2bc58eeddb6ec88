// deno-lint-ignore-file no-console -- its output
// Kills client, server or both at random moments: what later servers then know is true, whole or flagged.
//   deno task soak:durable [--moments=500] [--seed=1]
import { parseArgs } from "node:util";
import { KillRounds, type Outcome } from "../support/kill_rounds.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { moments: { type: "string", default: "500" }, seed: { type: "string", default: "1" } },
});
const moments = Number(values.moments);
/** Moments on one tmux server. */
const TOGETHER = 10;
/** A seed of the command line stands for so many series. */
const SERIES = 1000;

const outcomes = new Map<Outcome, number>();
let failures = 0;

async function runSeries(seed: number, count: number): Promise<void> {
  await using rounds = await KillRounds.begin(seed);
  for (let round = 1; round <= count; round++) {
    for (const outcome of await rounds.round()) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
}

for (let done = 0; done < moments; done += TOGETHER) {
  const seed = Number(values.seed) * SERIES + done / TOGETHER;
  await runSeries(seed, Math.min(TOGETHER, moments - done)).catch((error) => {
    failures++;
    console.log(`Series ${seed} failed: ${error instanceof Error ? error.message : error}`);
  });
  console.log(`${Math.min(done + TOGETHER, moments)} of ${moments} moments`, Object.fromEntries(outcomes));
}
console.log(`${failures} series failed`);
if (failures > 0) Deno.exit(1);
