// Limits on open files, for this process and for its watches.
import type { Libc } from "../ffi/libc.ts";

const RLIMIT_NOFILE: Readonly<Record<string, number>> = { linux: 7, darwin: 8 };

/** Raises the soft limit to the hard one; returns the limit, or Infinity if it is unknown. */
export function raiseDescriptorLimit(libc: Libc): number {
  const resource = RLIMIT_NOFILE[libc.platform.os]!;
  const limits = new BigUint64Array(2);
  if (libc.getLimit(resource, limits) !== 0) return Infinity;
  const [soft = 0n, hard = 0n] = limits;
  const raised = soft < hard && libc.setLimit(resource, new BigUint64Array([hard, hard])) === 0;
  return Number(raised ? hard : soft);
}

/** Limit below which calls that run at the same time can use up all descriptors. */
const FEW = 512;

/**
 * Has Deno determine the bounds of its stack, which takes a descriptor and happens when the first module is parsed.
 * If a call loads that module while no descriptor is left, Deno 2.9 panics.
 */
export async function prepareForFew(limit: number): Promise<void> {
  // A module in a file may come from the cache, so that nothing is parsed.
  if (limit < FEW) await import("data:application/typescript,export%20const%20n:number=0");
}

/** Descriptors that the server has open without watches (25), and those that concurrent calls need briefly. */
const OTHERS = 44;
/** Descriptors of a worker's channels and event loop, measured on Linux with Deno 2.9, which panics if it gets none. */
const PER_WORKER = 10;
/** Descriptors that a worker opens while it starts. */
const WORKER_START = 4;
/** Descriptors of a watch: a control client in a separate session (3) and two processes. */
const PER_WATCH = 5;

/** True if a worker could start now: Deno 2.9 panics, and ends the server, if its event loop gets no descriptor. */
export function canStartWorker(libc: Libc): boolean {
  const fds: number[] = [];
  try {
    while (fds.length < PER_WORKER + WORKER_START) {
      const fd = libc.open("/");
      if (fd < 0) return false;
      fds.push(fd);
    }
    return true;
  } finally {
    for (const fd of fds) libc.close(fd);
  }
}

/** True if this many workers and watches fit under the limit. */
export function hasRoom(limit: number, { workers, watches }: { workers: number; watches: number }): boolean {
  return OTHERS + workers * PER_WORKER + watches * PER_WATCH <= limit;
}
