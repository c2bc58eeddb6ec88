// Cost of having the server at all: its start, and the bytes that its client is sent before any work.
import { fromFileUrl } from "@std/path";
import type { Measure } from "./measure.ts";
import type { Reading } from "./statistics.ts";

export const coldStart: Measure = async (rig, runs) => {
  const initialized: number[] = [];
  const listed: number[] = [];
  const called: number[] = [];
  const floor: number[] = [];
  const operation = Object.values(rig.adapter.primitives)[0]?.("");
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    initialized.push(await rig.restart());
    listed.push(performance.now() - began);
    if (rig.has(operation)) called.push(await rig.call(operation) - began);
    floor.push(await importOnlyTheSdk());
  }
  const bare = "  the SDK imported alone";
  return [
    { name: "cold start to initialize", samples: initialized, over: bare, note: "goal 105" },
    { name: "  to tools/list", samples: listed },
    ...(called.length === 0 ? [] : [{ name: "  to the answer of a first call after it", samples: called }]),
    { name: bare, samples: floor },
  ];
};

async function importOnlyTheSdk(): Promise<number> {
  const script = fromFileUrl(new URL("sdk_alone.ts", import.meta.url));
  const began = performance.now();
  await new Deno.Command(Deno.execPath(), { args: ["run", "--quiet", "--cached-only", script] }).output();
  return performance.now() - began;
}

/** By default, and with every tool. */
export const toolList: Measure = async (rig) => {
  const found: Reading[] = [];
  const { adapter, socket } = rig;
  const starts = [
    { name: "by default", args: adapter.defaultArgs(socket), goal: { all: 42, shown: 14 } },
    { name: "every tool", args: adapter.args(socket), goal: { all: 116, shown: 44 } },
  ];
  for (const { name, args, goal } of starts) {
    await rig.restart(args);
    const { all, shown, instructions } = await rig.sizes();
    const bytes = (what: string, size: number, kilobytes: number): Reading => ({
      name: `${what}, ${name}`,
      samples: [size],
      unit: "bytes",
      note: `goal ${kilobytes} KB`,
    });
    found.push(
      bytes("tools/list", all, goal.all),
      bytes("  of it shown to a model", shown, goal.shown),
      bytes("  instructions", instructions, 2),
    );
  }
  return found;
};
