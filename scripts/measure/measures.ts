// What is measured, one function a thing; a thing whose tool the server lacks yields nothing.
import { fromFileUrl } from "@std/path";
import type { Operation } from "./adapter.ts";
import type { Rig } from "./rig.ts";
import { type Measurement, summarise } from "./statistics.ts";

export type Measure = (rig: Rig, runs: number) => Promise<Measurement[]>;

const MODES = ["quick", "medium", "slow", "line", "bunch", "screen"];

/** Long enough for a watch to be in place before its event is made; the first one starts a worker. */
const ARMED_MS = 400;
const FIRST_ARMED_MS = 2000;
const IDLE_MS = 10_000;
const CLOCK_TICKS = 100;
const PAGE_BYTES = 4096;

const coldStart: Measure = async (rig, runs) => {
  const own: number[] = [];
  const floor: number[] = [];
  for (let run = 0; run < runs; run++) {
    own.push(await rig.restart());
    floor.push(await importOnlyTheSdk());
  }
  const bare = summarise("  the SDK imported alone", floor);
  const started = summarise("cold start to initialize", own);
  return [{ ...started, note: `${(started.p50 / bare.p50).toFixed(2)} x the SDK alone` }, bare];
};

async function importOnlyTheSdk(): Promise<number> {
  const script = fromFileUrl(new URL("sdk_alone.ts", import.meta.url));
  const began = performance.now();
  await new Deno.Command(Deno.execPath(), { args: ["run", "--quiet", "--cached-only", script] }).output();
  return performance.now() - began;
}

/** What it costs an agent to have the server at all: by default, and with every tool. */
const toolList: Measure = async (rig) => {
  const found: Measurement[] = [];
  const { adapter, socket } = rig;
  const starts = [
    { name: "by default", args: adapter.defaultArgs(socket), goal: { all: 32, shown: 16 } },
    { name: "every tool", args: adapter.args(socket), goal: { all: 120, shown: 60 } },
  ];
  for (const { name, args, goal } of starts) {
    await rig.restart(args);
    const { all, shown, instructions } = await rig.sizes();
    found.push(
      summarise(`tools/list, ${name}`, [all], { unit: "bytes", note: `goal ${goal.all} KB` }),
      summarise(`  of it shown to a model`, [shown], { unit: "bytes", note: `goal ${goal.shown} KB` }),
      summarise(`  instructions`, [instructions], { unit: "bytes", note: "goal 2 KB" }),
    );
  }
  return found;
};

const primitives: Measure = async (rig, runs) => {
  const { pane } = await rig.openPane("cat");
  const found: Measurement[] = [];
  for (const [name, make] of Object.entries(rig.adapter.primitives)) {
    const operation = make(pane);
    if (rig.has(operation)) found.push(summarise(name, await repeat(runs, () => timed(rig, operation))));
  }
  return found;
};

const execute: Measure = async (rig, runs) => {
  const { pane } = await rig.openPane();
  const operation = rig.adapter.execute(pane, "true");
  if (!rig.has(operation)) return [];
  return [
    summarise("execute true", await repeat(runs, () => timed(rig, operation)), { note: "goal p50 25" }),
  ];
};

/** A million lines: the pane by itself, then with their reader. */
const longOutput: Measure = async (rig) => {
  const command = "seq 1 1000000";
  const { pane } = await rig.openPane();
  const operation = rig.adapter.execute(pane, command);
  if (!rig.has(operation)) return [];
  const alone = await repeat(3, () => runAlone(rig, command));
  const read = await repeat(3, () => timed(rig, operation));
  const bare = summarise(`  ${command} in a pane alone`, alone);
  const whole = summarise(`execute ${command}`, read);
  return [{ ...whole, note: `${(whole.p50 / bare.p50).toFixed(2)} x the pane alone, goal 1.5` }, bare];
};

async function runAlone(rig: Rig, command: string): Promise<number> {
  const gate = await rig.makeGate();
  const done = await rig.makeGate();
  await rig.openPane("sh", "-c", `read x <${gate.path}; ${command}; echo >${done.path}`);
  const began = await gate.open();
  await Deno.readTextFile(done.path);
  return performance.now() - began;
}

/** From the byte reaching the terminal to the result reaching the client, in every mode. */
const triggers: Measure = async (rig, runs) => {
  const { pane, tty } = await rig.openPane("cat");
  const cases: [string, string, string][] = [
    ...MODES.map((mode): [string, string, string] => [`a line printed, mode ${mode}`, mode, "ready\r\n"]),
    ["a bell, mode quick", "quick", "\x07"],
    ["an unfinished line, mode quick", "quick", "\r\nready"],
  ];
  const found: Measurement[] = [];
  for (const [name, mode, bytes] of cases) {
    const trigger = bytes === "\x07" ? "bell" : "pattern:ready";
    const operation = rig.adapter.watch?.(pane, trigger, mode);
    if (!rig.has(operation)) return [];
    const sample = async (armedMs: number): Promise<number> => {
      const fired = rig.call(operation);
      await delay(armedMs);
      const at = performance.now();
      await Deno.writeTextFile(tty, bytes);
      return await fired - at;
    };
    await sample(FIRST_ARMED_MS);
    const samples = await repeat(runs, () => sample(ARMED_MS));
    found.push(
      summarise(name, samples, { note: name.startsWith("an") ? "goal +50" : "goal p50 10, p95 50" }),
    );
  }
  return found;
};

/** From the kernel's event to the result: blocked on input, ended, back at the shell. */
const processEvents: Measure = async (rig, runs) => {
  const cases: [string, string, (gate: string) => string, string][] = [
    ["waits for input", "user_input", (gate) => `sh -c 'read a <${gate}; read b'`, "goal 250"],
    ["exit", "exit", (gate) => `sh -c 'read a <${gate}; exit 3'`, "goal 100"],
    ["back at the shell", "shell", (gate) => `sh -c 'read a <${gate}'`, "goal 100"],
  ];
  const found: Measurement[] = [];
  for (const [name, trigger, command, note] of cases) {
    const samples = await repeat(runs, async () => {
      const { pane } = await rig.openPane();
      const gate = await rig.makeGate();
      const operation = rig.adapter.startAndWatch?.(pane, command(gate.path), trigger);
      if (!rig.has(operation)) return NaN;
      const fired = rig.call(operation);
      await delay(ARMED_MS * 2);
      const at = await gate.open();
      const latency = await fired - at;
      await rig.tmux("kill-pane", "-t", pane);
      return latency;
    });
    if (!samples.some(Number.isNaN)) found.push(summarise(name, samples, { note }));
  }
  return found;
};

/** What watches cost that nothing happens in. */
const idleWatches: Measure = async (rig) => {
  const found: Measurement[] = [];
  for (const count of [1, 8]) {
    const panes = await Promise.all(Array.from({ length: count }, () => rig.openPane("cat")));
    const operations = panes.map(({ pane }) => rig.adapter.watch?.(pane, "pattern:never", "medium"));
    if (!operations.every((operation) => rig.has(operation))) return [];
    await rig.restart();
    const before = await usage(rig.serverPid);
    const watching = operations.map((operation) => rig.call(operation));
    await delay(1000);
    const start = await usage(rig.serverPid);
    await delay(IDLE_MS);
    const end = await usage(rig.serverPid);
    const share = (end.seconds - start.seconds) / (IDLE_MS / 1000) * 100;
    const each = (end.megabytes - before.megabytes) / count;
    found.push(
      summarise(`${count} idle watches: CPU of one core`, [share / count], {
        unit: "% each",
        note: "goal 0.5",
      }),
      summarise(`${count} idle watches: memory`, [each], { unit: "MB each", note: "goal 15" }),
    );
    for (const { pane } of panes) await rig.tmux("kill-pane", "-t", pane);
    await Promise.allSettled(watching);
  }
  return found;
};

async function usage(pid: number): Promise<{ seconds: number; megabytes: number }> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  const [user = 0, system = 0] = fields.slice(11, 13);
  return { seconds: (user + system) / CLOCK_TICKS, megabytes: (fields[21] ?? 0) * PAGE_BYTES / 1e6 };
}

/** Fifty at once: from the first write to the last result. */
const manyWatches: Measure = async (rig) => {
  const panes: { pane: string; tty: string }[] = [];
  while (panes.length < 50) panes.push(await rig.openPane("cat"));
  const operations = panes.map(({ pane }) => rig.adapter.watch?.(pane, "pattern:ready", "quick"));
  const known = operations.filter((operation): operation is Operation => rig.has(operation));
  if (known.length < panes.length) return [];
  const fired = known.map((operation) => rig.call(operation));
  await delay(5000);
  const at = performance.now();
  await Promise.all(panes.map(({ tty }) => Deno.writeTextFile(tty, "ready\r\n")));
  const latencies = (await Promise.all(fired)).map((time) => time - at);
  for (const { pane } of panes) await rig.tmux("kill-pane", "-t", pane);
  return [summarise("50 watches, all told at once", latencies)];
};

const MANY_PANES = 100;

/** One search over many panes, each with a screen of text. */
const search: Measure = async (rig, runs) => {
  const operation = rig.adapter.search?.("row 4[0-9] of");
  if (!rig.has(operation)) return [];
  const script = "for i in $(seq 1 50); do echo row $i of fifty; done; exec cat";
  const panes = await Promise.all(Array.from({ length: MANY_PANES }, () => rig.openPane(script)));
  const samples = await repeat(runs, () => timed(rig, operation));
  for (const { pane } of panes) await rig.tmux("kill-pane", "-t", pane);
  return [summarise(`search ${MANY_PANES} panes`, samples, { note: "goal 150" })];
};

export const MEASURES: Readonly<Record<string, Measure>> = {
  start: coldStart,
  list: toolList,
  primitives,
  search,
  execute,
  output: longOutput,
  triggers,
  events: processEvents,
  idle: idleWatches,
  many: manyWatches,
};

async function repeat(runs: number, sample: () => Promise<number>): Promise<number[]> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) samples.push(await sample());
  return samples;
}

async function timed(rig: Rig, operation: Operation): Promise<number> {
  const began = performance.now();
  return await rig.call(operation) - began;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
