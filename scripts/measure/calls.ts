// Measures the time of single calls, and the calls and bytes of common tasks.
import { timeBareClient } from "./bare_client.ts";
import { delay, type Measure, repeat, timed, timedAgain } from "./measure.ts";
import type { Rig } from "./rig.ts";
import type { Reading } from "./statistics.ts";
import { usageOf } from "./usage.ts";

const NEW_PANES = 10;
/** Time after which a new shell is at its prompt. */
const AT_PROMPT_MS = 500;

export const primitives: Measure = async (rig, runs) => {
  const { pane } = await rig.openPane("cat");
  const found: Reading[] = [];
  for (const [name, make] of Object.entries(rig.adapter.primitives)) {
    const operation = make(pane);
    if (rig.has(operation)) found.push({ name, samples: await timedAgain(rig, operation, runs) });
  }
  return found;
};

export const execute: Measure = async (rig, runs) => {
  const { pane } = await rig.openPane();
  const operation = rig.adapter.execute?.(pane, "true");
  if (!rig.has(operation)) return [];
  const samples = await timedAgain(rig, operation, runs);
  const first = await repeat(Math.min(runs, NEW_PANES), async () => {
    const { pane } = await rig.openPane();
    await delay(AT_PROMPT_MS);
    return await timed(rig, rig.adapter.execute!(pane, "true"));
  });
  const bare = "  true typed by a bare control client";
  return [
    { name: "execute true", samples, over: bare, note: "goal p50 7" },
    { name: bare, samples: await timeBareClient(rig, pane, runs) },
    { name: "  the first in a pane", samples: first, note: "goal p50 25" },
  ];
};

/**
 * A million lines: the pane alone and with its reader, in alternation. CPU time is affected least by other
 * programs.
 */
export const longOutput: Measure = async (rig) => {
  const command = "seq 1 1000000";
  const { pane } = await rig.openPane();
  const operation = rig.adapter.execute?.(pane, command);
  if (!rig.has(operation)) return [];
  const tmuxPid = Number(await rig.tmux("display-message", "-p", "#{pid}"));
  const cpu = { alone: [] as number[], tmux: [] as number[], server: [] as number[] };
  const alone: number[] = [];
  const read: number[] = [];
  for (let run = 0; run < 3; run++) {
    cpu.alone.push(await cpuMs(tmuxPid, async () => void alone.push(await runAlone(rig, command))));
    cpu.server.push(
      await cpuMs(rig.serverPid, async () => {
        cpu.tmux.push(await cpuMs(tmuxPid, async () => void read.push(await timed(rig, operation))));
      }),
    );
  }
  const bare = `  ${command} in a pane alone`;
  const bareCpu = "  CPU of tmux for the pane alone";
  return [
    { name: `execute ${command}`, samples: read, over: bare, note: "goal 1.5" },
    { name: bare, samples: alone },
    { name: "  CPU of tmux for it", samples: cpu.tmux, over: bareCpu },
    { name: bareCpu, samples: cpu.alone },
    { name: "  CPU of the server for it", samples: cpu.server },
  ];
};

/** CPU time that a process used while `act` ran. */
async function cpuMs(pid: number, act: () => Promise<void>): Promise<number> {
  const before = await usageOf(pid);
  await act();
  return ((await usageOf(pid)).seconds - before.seconds) * 1000;
}

async function runAlone(rig: Rig, command: string): Promise<number> {
  const gate = await rig.makeGate();
  const done = await rig.makeGate();
  await rig.openPane("sh", "-c", `read x <${gate.path}; ${command}; echo >${done.path}`);
  const began = await gate.open();
  await Deno.readTextFile(done.path);
  return performance.now() - began;
}

/** Bytes that an agent writes and reads for a task, and the number of calls. */
export const workflows: Measure = async (rig) => {
  const found: Reading[] = [];
  for (const [name, make] of Object.entries(rig.adapter.workflows ?? {})) {
    const { pane } = await rig.openPane();
    await delay(300);
    const operations = make(pane);
    if (!operations.every((operation) => rig.has(operation))) continue;
    let bytes = 0;
    for (const operation of operations) bytes += await rig.weigh(operation);
    await rig.tmux("kill-pane", "-t", pane);
    found.push(
      { name, samples: [operations.length], unit: "calls" },
      { name: `  ${name}: arguments and answers`, samples: [bytes], unit: "bytes" },
    );
  }
  return found;
};
