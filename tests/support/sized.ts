// Tests that try more than every run has time for: the gate tries some of it, and `deno task soak:whole` all.

const isWhole = Deno.args.includes("--whole");

export function sized<T>({ gate, soak }: { gate: T; soak: T }): T {
  return isWhole ? soak : gate;
}
