// CPU time and memory of a process and its descendants, as Linux counts them.

export interface Usage {
  /** CPU time (user and system) of the live processes. */
  seconds: number;
  /** Resident set size (MB), as in `ps`: a shared page counts for each process. */
  rss: number;
  /** Proportional set size (MB): a shared page counts once. */
  pss: number;
}

const CLOCK_TICKS = 100;

/**
 * @param options.alone Leaves out descendants
 */
export async function usageOf(root: number, { alone = false }: { alone?: boolean } = {}): Promise<Usage> {
  const sum = { seconds: 0, rss: 0, pss: 0 };
  for (const pid of alone ? [root] : await treeOf(root)) {
    const stat = await read(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
    sum.seconds += ((fields[11] ?? 0) + (fields[12] ?? 0)) / CLOCK_TICKS;
    const memory = await read(`/proc/${pid}/smaps_rollup`);
    sum.rss += Number(/^Rss:\s+(\d+)/m.exec(memory)?.[1] ?? 0) / 1024;
    sum.pss += Number(/^Pss:\s+(\d+)/m.exec(memory)?.[1] ?? 0) / 1024;
  }
  return sum;
}

/** Share of one core that a tree used over a time, in percent. */
export async function cpuShare(root: number, ms: number): Promise<number> {
  const before = await usageOf(root);
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, ms));
  const elapsed = performance.now() - began;
  return (await usageOf(root)).seconds * 100_000 / elapsed - before.seconds * 100_000 / elapsed;
}

async function treeOf(root: number): Promise<number[]> {
  const tree = [root];
  for (const pid of tree) {
    for await (const thread of threads(pid)) {
      const children = await read(`/proc/${pid}/task/${thread}/children`);
      tree.push(...children.split(" ").filter((word) => word !== "").map(Number));
    }
  }
  return tree;
}

async function* threads(pid: number): AsyncGenerator<string> {
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) yield name;
  } catch {
    // The process has ended.
  }
}

/** Reads a file; empty if the process has ended. */
async function read(path: string): Promise<string> {
  return await Deno.readTextFile(path).catch(() => "");
}
