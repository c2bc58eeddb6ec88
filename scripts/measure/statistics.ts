// Numbers of a run, and how they are shown.

/** One measured thing; times in milliseconds unless the unit says otherwise. */
export interface Measurement {
  name: string;
  unit: string;
  runs: number;
  p50: number;
  p95: number;
  max: number;
  /** What it is to be compared with. */
  note?: string;
}

export function summarise(name: string, samples: readonly number[], { unit = "ms", note }: {
  unit?: string;
  note?: string;
} = {}): Measurement {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    name,
    unit,
    runs: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    max: sorted.at(-1) ?? NaN,
    ...(note === undefined ? {} : { note }),
  };
}

/** The nearest-rank quantile of sorted numbers. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export function formatTable(measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ name, unit, runs, p50, p95, max, note }) => [
    name,
    ...[p50, p95, max].map(formatNumber),
    unit,
    String(runs),
    note ?? "",
  ]);
  const all = [["", "p50", "p95", "max", "unit", "runs", ""], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row.map((text, column) =>
      column >= 1 && column <= 3 ? text.padStart(widths[column]!) : text.padEnd(widths[column]!)
    )
      .join("  ").trimEnd();
  return all.map(line).join("\n");
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}
