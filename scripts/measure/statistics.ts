// Numbers of a run for one or several servers, and their text form.

/** Result of one measure on one server; times in milliseconds unless the unit says otherwise. */
export interface Reading {
  name: string;
  samples: readonly number[];
  unit?: string;
  /** Value for comparison. */
  note?: string;
  /** Name of a reading of the same run; this one is shown as a multiple of its p50. */
  over?: string;
}

export interface Quantiles {
  runs: number;
  p50: number;
  p95: number;
  max: number;
}

/** One measured thing on every server that has it. */
export interface Measurement {
  name: string;
  unit: string;
  note?: string;
  servers: Record<string, Quantiles>;
  /** The first server's p50 as a multiple of each other server's. */
  ratios: Record<string, number>;
}

/** Combines the readings of all servers, in order of first appearance. */
export function compare(found: Readonly<Record<string, readonly Reading[]>>): Measurement[] {
  const [first = "", ...others] = Object.keys(found);
  const names = new Set(Object.values(found).flat().map(({ name }) => name));
  return [...names].map((name) => {
    const servers: Record<string, Quantiles> = {};
    for (const [server, readings] of Object.entries(found)) {
      const samples = readings.filter((reading) => reading.name === name).flatMap((each) => each.samples);
      if (samples.length > 0) servers[server] = summarise(samples);
    }
    const ratios = Object.fromEntries(
      others.filter((other) => servers[first] && servers[other])
        .map((other) => [other, servers[first]!.p50 / servers[other]!.p50]),
    );
    const { unit = "ms", note, over } = Object.values(found).flat().find((each) => each.name === name)!;
    const base = summarise(
      (found[first] ?? []).filter((each) => each.name === over).flatMap((each) => each.samples),
    );
    const notes = [
      ...(over !== undefined && servers[first]
        ? [`${(servers[first].p50 / base.p50).toFixed(2)} x ${over.trim()}`]
        : []),
      ...(note === undefined ? [] : [note]),
    ];
    return { name, unit, servers, ratios, ...(notes.length === 0 ? {} : { note: notes.join(", ") }) };
  });
}

export function summarise(samples: readonly number[]): Quantiles {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    runs: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    max: sorted.at(-1) ?? NaN,
  };
}

/** Nearest-rank quantile of sorted numbers. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

const TEXT_COLUMNS = new Set(["", "unit", "note"]);

export function formatTable(measurements: readonly Measurement[]): string {
  const servers = [...new Set(measurements.flatMap((each) => Object.keys(each.servers)))];
  const heads = servers.length === 1 ? ["p50", "p95", "max"] : [
    ...servers.flatMap((server) => [`${server} p50`, "p95"]),
    ...servers.slice(1).map((name) => `/ ${name}`),
  ];
  const header = ["", ...heads, "unit", "runs", "note"];
  const rows = measurements.map((each) => [
    each.name,
    ...(servers.length === 1 ? figures(each, servers[0]!) : comparison(each, servers)),
    each.unit,
    String(Math.max(...Object.values(each.servers).map(({ runs }) => runs))),
    each.note ?? "",
  ]);
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row.map((text, column) =>
      TEXT_COLUMNS.has(header[column]!) ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
    ).join("  ").trimEnd();
  return all.map(line).join("\n");
}

function figures({ servers }: Measurement, name: string): string[] {
  const { p50, p95, max } = servers[name]!;
  return [p50, p95, max].map(formatNumber);
}

function comparison(each: Measurement, servers: readonly string[]): string[] {
  const cells = servers.flatMap((name) => [each.servers[name]?.p50, each.servers[name]?.p95]);
  const ratios = servers.slice(1).map((name) => each.ratios[name]?.toFixed(2) ?? "-");
  return [...cells.map((value) => formatNumber(value ?? NaN)), ...ratios];
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}
