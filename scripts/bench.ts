// Measures a server through a real client and prints a table, or JSON.
import { ADAPTERS } from "./measure/adapter.ts";
import { MEASURES } from "./measure/measures.ts";
import { Rig } from "./measure/rig.ts";
import { formatTable, type Measurement } from "./measure/statistics.ts";

const USAGE = `scripts/bench [--json] [--runs=N] [--server=${Object.keys(ADAPTERS).join("|")}] [MEASURE…]
measures: ${Object.keys(MEASURES).join(" ")} (all)`;

interface Wanted {
  json: boolean;
  runs: number;
  server: string;
  measures: string[];
}

function parseArguments(argv: readonly string[]): Wanted {
  const valueOf = (flag: string): string | undefined =>
    argv.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3);
  const measures = argv.filter((word) => !word.startsWith("--"));
  const unknown = measures.filter((name) => !(name in MEASURES));
  if (unknown.length > 0) throw new Error(`No measure "${unknown[0]}"\n${USAGE}`);
  return {
    json: argv.includes("--json"),
    runs: Number(valueOf("runs") ?? 20),
    server: valueOf("server") ?? "tmux-mcp",
    measures: measures.length === 0 ? Object.keys(MEASURES) : measures,
  };
}

async function measure({ server, measures, runs }: Wanted): Promise<Measurement[]> {
  const adapter = ADAPTERS[server];
  if (adapter === undefined) throw new Error(`No server "${server}"\n${USAGE}`);
  const found: Measurement[] = [];
  for (const name of measures) {
    await using rig = await Rig.open(adapter);
    const results = await MEASURES[name]!(rig, runs);
    if (results.length === 0) say(`${name}: the server has no tool for it`);
    found.push(...results);
  }
  return found;
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes("--help")) return say(USAGE);
  const wanted = parseArguments(argv);
  const found = await measure(wanted);
  const text = wanted.json ? JSON.stringify(found, null, 2) : formatTable(found);
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) await main(Deno.args);
