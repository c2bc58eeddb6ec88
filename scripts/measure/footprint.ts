// Measures memory and CPU of idle servers, and of one with a pane that prints at a steady rate.
import { SDK_ALONE, useBareDeno } from "./floors.ts";
import { delay, type Measure, repeat } from "./measure.ts";
import type { Reading } from "./statistics.ts";
import { type Usage, usageOf } from "./usage.ts";

/** Time after which a server has finished starting. */
const SETTLE_MS = 3000;
const TEN = 10;
const LIST_MS = 5000;
const PRINT_MS = 3000;
/** Prints 200 lines per second; with a `sleep` per line, and so one more fork, it was 163. */
const STEADY_PROGRAM =
  "exec {quiet}<> <(:); while :; do echo compiling module 17 of 99; read -rt 0.0048 -u $quiet; done";

/** A server that has listed its tools. */
export const idle: Measure = async (rig, runs) => {
  const usages: Usage[] = [];
  const sdk: Usage[] = [];
  const bare: Usage[] = [];
  const workers: Usage[] = [];
  for (let run = 0; run < Math.min(runs, 5); run++) {
    await rig.restart();
    await delay(SETTLE_MS);
    usages.push(await usageOf(rig.serverPid));
    const { client, pid } = await rig.start({ adapter: SDK_ALONE });
    await delay(SETTLE_MS);
    sdk.push(await usageOf(pid));
    await client.close();
    bare.push(await useBareDeno(SETTLE_MS, 0));
    workers.push(await useBareDeno(SETTLE_MS, TEN));
  }
  const pings = await repeat(Math.max(runs, 200), async () => {
    const began = performance.now();
    await rig.ping();
    return performance.now() - began;
  });
  const alone = "  the SDK's server alone: RSS";
  const rss = (name: string, found: Usage[]): Reading => ({
    name,
    samples: found.map(({ rss }) => rss),
    unit: "MB",
  });
  return [
    { ...rss("an idle server: RSS", usages), over: alone, note: "goal 65" },
    { name: "  PSS", samples: usages.map(({ pss }) => pss), unit: "MB" },
    rss(alone, sdk),
    rss("  a bare Deno: RSS", bare),
    rss("  a bare Deno with ten workers: RSS", workers),
    { name: "ping", samples: pings, note: "goal 0.35" },
  ];
};

/** Ten agents, each with its own server on the same tmux. */
export const servers: Measure = async (rig) => {
  const began = performance.now();
  const started = await Promise.all(Array.from({ length: TEN }, () => rig.start()));
  const took = performance.now() - began;
  // If ten clients ask at once, tmux-mcp-rs doesn't answer some of them, but it has done the work.
  await Promise.allSettled(started.map(({ client }) => client.listTools(undefined, { timeout: LIST_MS })));
  await delay(SETTLE_MS);
  const usages = await Promise.all(started.map(({ pid }) => usageOf(pid)));
  await Promise.all(started.map(({ client }) => client.close()));
  const sum = (values: number[]): number => values.reduce((one, other) => one + other, 0);
  return [
    { name: "ten servers at once: all initialized", samples: [took] },
    { name: "  RSS of all", samples: [sum(usages.map(({ rss }) => rss))], unit: "MB" },
    { name: "  PSS of all", samples: [sum(usages.map(({ pss }) => pss))], unit: "MB" },
    { name: "  CPU of all so far", samples: [sum(usages.map((each) => each.seconds))], unit: "s" },
  ];
};

/** CPU time of the server and tmux for a watched pane, and of tmux alone for the same pane. */
export const steady: Measure = async (rig) => {
  const tmuxPid = Number(await rig.tmux("display-message", "-p", "#{pid}"));
  const { pane } = await rig.openPane(`bash -c '${STEADY_PROGRAM}'`);
  const operation = rig.adapter.watch?.(pane, "pattern:^never$", "medium");
  if (!rig.has(operation)) return [];
  const spent = async (pids: number[]): Promise<number> => {
    const seconds = async (): Promise<number> => {
      const usages = await Promise.all(pids.map((pid) => usageOf(pid, { alone: pid === tmuxPid })));
      return usages.reduce((sum, usage) => sum + usage.seconds, 0);
    };
    const before = await seconds();
    await delay(PRINT_MS);
    return await seconds() - before;
  };
  const alone = await spent([tmuxPid]);
  const watching = rig.call(operation);
  await delay(1000);
  const watched = await spent([tmuxPid, rig.serverPid]);
  await rig.tmux("kill-pane", "-t", pane);
  await watching.catch(() => {});
  return [
    {
      name: "a watch on 200 lines/s: CPU of server and tmux in 3 s",
      samples: [watched],
      unit: "s",
      note: "goal 0.12",
    },
    { name: "  of tmux alone", samples: [alone], unit: "s" },
  ];
};
