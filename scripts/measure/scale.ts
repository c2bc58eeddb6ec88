// Measures the cost of many watches, many panes and a pane that never stops printing, and how long other
// calls wait.
import type { Operation } from "./adapter.ts";
import { delay, type Measure, repeat, timed, timedAgain } from "./measure.ts";
import type { Rig } from "./rig.ts";
import type { Reading } from "./statistics.ts";
import { cpuShare, usageOf } from "./usage.ts";

const COUNTS = [1, 10, 50, 200];
const IDLE_MS = 5000;
/**
 * Number of samples. V8 collects garbage from starting the watches once, some 20 seconds later; that affects
 * at most one sample.
 */
const IDLE_LOOKS = 5;
const BUSY_MS = 5000;
const LINE_EVERY_MS = 100;
/** Program that neither reads its terminal nor ends. */
const QUIET_PROGRAM = "exec sleep 600";
const TRIGGERS = "exit,user_input,error,pattern:ready";

/** Watches on many panes, ten per session: first idle, then with printed lines, then all fire. */
export const watches: Measure = async (rig) => {
  const found: Reading[] = [];
  for (const count of COUNTS) found.push(...await watchMany(rig, count));
  return found;
};

async function watchMany(rig: Rig, count: number): Promise<Reading[]> {
  const panes = await rig.openPanes(count, QUIET_PROGRAM);
  const operations = panes.map(({ pane }) => rig.adapter.watch?.(pane, TRIGGERS, "medium"));
  const known = operations.filter((operation) => rig.has(operation));
  if (known.length < count) return [];
  await rig.restart();
  const fired = known.map((operation) => rig.call(operation));
  const arming = await callsMeanwhile(rig, 20);
  await rig.armed();
  const idle = await repeat(IDLE_LOOKS, () => cpuShare(rig.serverPid, IDLE_MS));
  const { rss, pss } = await usageOf(rig.serverPid);
  const busy = await printing(panes.map(({ tty }) => tty), rig);
  const at = performance.now();
  for (const { tty } of panes) await Deno.writeTextFile(tty, "ready\r\n");
  const latencies = (await Promise.all(fired)).map((time) => time - at);
  await rig.clear();
  const what = `${count} watches`;
  return [
    { name: `${what}, idle: CPU`, samples: idle, unit: "% of a core", note: count < 200 ? "" : "goal 1.5" },
    { name: `${what}: RSS`, samples: [rss], unit: "MB", note: count === 10 ? "goal 120" : "" },
    { name: `${what}: PSS`, samples: [pss], unit: "MB", note: count < 200 ? "" : "goal 500" },
    { name: `${what}, 10 lines/s each: CPU`, samples: [busy.cpu], unit: "% of a core" },
    { name: `${what} begin: another call`, samples: arming, note: "goal p95 50" },
    { name: `${what}, 10 lines/s each: another call`, samples: busy.calls, note: "goal p95 50" },
    { name: `${what} told at once: result`, samples: latencies },
  ];
}

/** Prints lines on every terminal for a while, and makes calls meanwhile. */
async function printing(terminals: string[], rig: Rig): Promise<{ cpu: number; calls: number[] }> {
  const over = new AbortController();
  const writing = (async () => {
    while (!over.signal.aborted) {
      const next = delay(LINE_EVERY_MS);
      for (const tty of terminals) await Deno.writeTextFile(tty, "compiling module 17 of 99\r\n");
      await next;
    }
  })();
  const [cpu, calls] = await Promise.all([cpuShare(rig.serverPid, BUSY_MS), callsMeanwhile(rig, 20)]);
  over.abort();
  await writing;
  return { cpu, calls };
}

/** Times of a cheap call, repeated over some two seconds. */
async function callsMeanwhile(rig: Rig, count: number): Promise<number[]> {
  const operation = Object.values(rig.adapter.primitives)[0]?.("");
  if (!rig.has(operation)) return [];
  return await repeat(count, async () => {
    await delay(100);
    return await timed(rig, operation);
  });
}

/** A pane that prints as fast as it can, watched. */
export const flood: Measure = async (rig) => {
  const { pane } = await rig.openPane("yes 0123456789012345678901234567890123456789");
  const operation = rig.adapter.watch?.(pane, "pattern:^never$", "medium");
  if (!rig.has(operation)) return [];
  const before = await usageOf(rig.serverPid);
  const watching = rig.call(operation);
  const calls = await callsMeanwhile(rig, 80);
  const after = await usageOf(rig.serverPid);
  await rig.tmux("kill-pane", "-t", pane);
  await watching.catch(() => {});
  return [
    { name: "a pane that floods, watched: another call", samples: calls, note: "goal p95 50" },
    { name: "  memory it adds", samples: [after.pss - before.pss], unit: "MB" },
  ];
};

const MANY_PANES = 1000;
const SCREEN = "for i in $(seq 1 50); do echo row $i of fifty; done; exec sleep 600";

export const manyPanes: Measure = async (rig, runs) => {
  const found: Reading[] = [];
  const calls: [string, string, (pane: string) => Operation | undefined][] = [
    ["search", "goal 150 at 100", () => rig.adapter.search?.("row 4[0-9] of")],
    ["list", "", () => rig.adapter.list?.()],
    ["snapshot of one", "", (pane) => rig.adapter.snapshot?.(pane)],
  ];
  for (const count of [100, MANY_PANES]) {
    const panes = await rig.openPanes(count, SCREEN, 50);
    await delay(1000);
    for (const [name, note, make] of calls) {
      const operation = make(panes[0]!.pane);
      if (!rig.has(operation)) continue;
      const samples = await timedAgain(rig, operation, Math.min(runs, 10));
      found.push({ name: `${name}, ${count} panes`, samples, note });
    }
    await rig.clear();
  }
  return found;
};
