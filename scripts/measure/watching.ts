// Measures the delay between an event and the report of its watch.
import { delay, type Measure, repeat } from "./measure.ts";
import type { Reading } from "./statistics.ts";

const MODES = ["quick", "medium", "slow", "line", "bunch", "screen"];
/** Time for a watch to begin before its event is triggered; the first watch starts a worker. */
const ARMED_MS = 400;
const FIRST_ARMED_MS = 2000;

/** Time from the byte reaching the terminal to the result reaching the client, in every mode. */
export const triggers: Measure = async (rig, runs) => {
  const { pane, tty } = await rig.openPane("cat");
  const cases: [string, string, string][] = [
    ...MODES.map((mode): [string, string, string] => [`a line printed, mode ${mode}`, mode, "ready\r\n"]),
    ["a bell, mode quick", "quick", "\x07"],
    ["an unfinished line, mode quick", "quick", "\r\nready"],
  ];
  const found: Reading[] = [];
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
    found.push({ name, samples, note: name.startsWith("an") ? "goal +50" : "goal p50 6" });
  }
  return found;
};

/** Time from the kernel's event to the result: blocked on input, ended, back at the shell. */
export const processEvents: Measure = async (rig, runs) => {
  const cases: [string, string, (gate: string) => string, string][] = [
    ["waits for input", "user_input", (gate) => `sh -c 'read a <${gate}; read b'`, "goal 250"],
    ["exit", "exit", (gate) => `sh -c 'read a <${gate}; exit 3'`, "goal 100"],
    ["back at the shell", "shell", (gate) => `sh -c 'read a <${gate}'`, "goal 100"],
  ];
  const found: Reading[] = [];
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
    if (!samples.some(Number.isNaN)) found.push({ name, samples, note });
  }
  return found;
};
