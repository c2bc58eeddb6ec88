// Measures the fixed cost of the server: its start, and the bytes that it sends before any work.
import type { Client } from "../../tests/support/sdk.ts";
import type { Operation } from "./adapter.ts";
import { SDK_ALONE } from "./floors.ts";
import type { Measure } from "./measure.ts";
import type { Reading } from "./statistics.ts";

export const coldStart: Measure = async (rig, runs) => {
  const initialized: number[] = [];
  const listed: number[] = [];
  const called: number[] = [];
  const floor: number[] = [];
  const operation = Object.values(rig.adapter.primitives)[0]?.("");
  for (let run = 0; run < runs; run++) {
    initialized.push(await rig.restart());
    listed.push(await timed(() => rig.start(), async (client) => void await client.listTools()));
    if (rig.has(operation)) {
      called.push(await timed(() => rig.start(), (client) => callOnce(client, operation)));
    }
    floor.push(await timed(() => rig.start({ adapter: SDK_ALONE })));
  }
  const bare = "  the SDK's server alone";
  return [
    { name: "cold start to initialize", samples: initialized, over: bare, note: "goal 105" },
    { name: "  to tools/list", samples: listed },
    ...(called.length === 0
      ? []
      : [{ name: "  to the answer of a first call", samples: called, note: "goal 130" }]),
    { name: bare, samples: floor },
  ];
};

/** Time from the start of another server to the answer of its client's first requests (ms). */
async function timed(
  start: () => Promise<{ client: Client }>,
  ask: (client: Client) => Promise<void> = async () => {},
): Promise<number> {
  const began = performance.now();
  const { client } = await start();
  await ask(client);
  const took = performance.now() - began;
  await client.close();
  return took;
}

async function callOnce(client: Client, { tool, args }: Operation): Promise<void> {
  const { isError } = await client.callTool({ name: tool, arguments: args });
  if (isError) throw new Error(`${tool} failed`);
}

/** Sizes with the default tools and with every tool. */
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
