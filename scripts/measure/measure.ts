// The interface of a measure, and loops that measures share.
import type { Operation } from "./adapter.ts";
import type { Rig } from "./rig.ts";
import type { Reading } from "./statistics.ts";

/** Measures one thing; returns nothing if the server lacks the tool. */
export type Measure = (rig: Rig, runs: number) => Promise<Reading[]>;

export async function repeat(runs: number, sample: () => Promise<number>): Promise<number[]> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) samples.push(await sample());
  return samples;
}

/** Times of a call, after a first call with cold caches. */
export async function timedAgain(rig: Rig, operation: Operation, runs: number): Promise<number[]> {
  await rig.call(operation);
  return await repeat(runs, () => timed(rig, operation));
}

export async function timed(rig: Rig, operation: Operation): Promise<number> {
  const began = performance.now();
  return await rig.call(operation) - began;
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
