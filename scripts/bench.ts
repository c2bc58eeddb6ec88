// Measures a server through a real client, optionally next to other servers, and prints a table or JSON.
import { fromFileUrl, resolve, toFileUrl } from "@std/path";
import { type Adapter, tmuxMcp } from "./measure/adapter.ts";
import { Checkout } from "./measure/checkout.ts";
import { MEASURES } from "./measure/measures.ts";
import { Rig } from "./measure/rig.ts";
import { compare, formatTable, type Measurement, type Reading } from "./measure/statistics.ts";

const USAGE = `scripts/bench [--json] [--runs=N] [--rounds=N] [--against=COMMIT]… [--peer=ADAPTER]… [MEASURE…]

  --runs     how often each thing is measured in all (20)
  --rounds   in how many turns, the servers taking them in alternation (1; 4 with several servers)
  --against  measure a commit of this repository beside this checkout, and print the ratios
  --peer     measure another server beside it: a file whose default export is an Adapter (scripts/measure/adapter.ts)
measures: ${Object.keys(MEASURES).join(" ")} (all)`;

/** Error on the command line, reported in one line without a stack. */
class UsageError extends Error {}

interface Wanted {
  json: boolean;
  runs: number;
  rounds: number;
  against: string[];
  peers: string[];
  measures: string[];
}

function parseArguments(argv: readonly string[]): Wanted {
  const valuesOf = (flag: string): string[] =>
    argv.filter((word) => word.startsWith(`--${flag}=`)).map((word) => word.slice(flag.length + 3));
  const measures = argv.filter((word) => !word.startsWith("--"));
  const unknown = measures.find((name) => !(name in MEASURES)) ??
    argv.find((word) => !/^([^-]|--(json|help)$|--(runs|rounds|against|peer)=.)/.test(word));
  if (unknown !== undefined) {
    throw new UsageError(`Cannot measure "${unknown}". Measures: ${Object.keys(MEASURES).join(" ")}`);
  }
  const count = (flag: string, usual: number): number => {
    const text = valuesOf(flag)[0] ?? `${usual}`;
    if (/^[1-9]\d*$/.test(text)) return Number(text);
    throw new UsageError(`Bad value "${text}" for --${flag}: it must be a whole number above 0`);
  };
  const against = valuesOf("against");
  const peers = valuesOf("peer");
  return {
    json: argv.includes("--json"),
    runs: count("runs", 20),
    rounds: count("rounds", against.length + peers.length > 0 ? 4 : 1),
    against,
    peers,
    measures: measures.length === 0 ? Object.keys(MEASURES) : measures,
  };
}

async function loadAdapter(file: string): Promise<Adapter> {
  const { default: adapter } = await import(toFileUrl(resolve(file)).href).catch((error) => {
    throw new UsageError(`Cannot use "${file}": ${error.message}`);
  });
  if (typeof adapter?.command === "string") return adapter;
  throw new UsageError(`Cannot use "${file}": its default export is no adapter`);
}

async function checkOut(commit: string): Promise<Checkout> {
  return await Checkout.of(commit).catch((error) => {
    throw new UsageError(`Cannot measure against "${commit}": ${error.message}`);
  });
}

/** Measures one server after the other, in reverse order in every second round. */
async function measure({ measures, runs, rounds }: Wanted, adapters: Adapter[]): Promise<Measurement[]> {
  const found: Record<string, Reading[]> = Object.fromEntries(adapters.map(({ name }) => [name, []]));
  for (const name of measures) {
    for (let round = 0; round < rounds; round++) {
      for (const adapter of round % 2 === 0 ? adapters : adapters.toReversed()) {
        say(`${name}, ${adapter.name}`);
        await using rig = await Rig.open(adapter);
        found[adapter.name]!.push(...await MEASURES[name]!(rig, Math.ceil(runs / rounds)));
      }
    }
  }
  return compare(found);
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function main(argv: readonly string[]): Promise<void> {
  if (argv.includes("--help")) return say(USAGE);
  const wanted = parseArguments(argv);
  const own = tmuxMcp("tmux-mcp", fromFileUrl(new URL("../", import.meta.url)));
  await using checkouts = new AsyncDisposableStack();
  const others: Adapter[] = [];
  for (const commit of wanted.against) {
    others.push(tmuxMcp(commit, checkouts.use(await checkOut(commit)).folder));
  }
  for (const peer of wanted.peers) others.push(await loadAdapter(peer));
  const found = await measure(wanted, [own, ...others]);
  const text = wanted.json ? JSON.stringify(found, null, 2) : formatTable(found);
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(error.message);
    Deno.exit(2);
  }
}
