// The read that a thread sleeps in.
import type { ReadSleep } from "../probe.ts";
import type { BlockedCall } from "./proc.ts";
import type { SystemCall } from "./syscalls.ts";

interface SleepingThread {
  blocked: BlockedCall | undefined;
  /** The call that it is blocked in; undefined if its machine's calls are unknown. */
  call: SystemCall | undefined;
  /** Start address of the stack; 0 if the kernel hides it. */
  stack: string;
  /** Identity of the program's file. */
  program: string;
}

/** Returns the read that a thread sleeps in; `awake` if it is in none. */
export function readSleep({ blocked, call, stack, program }: SleepingThread): ReadSleep | "awake" {
  if (blocked === undefined || call?.shape === "other") return "awake";
  const began = BigInt(stack);
  const [fd = 0n, buffer = 0n, wanted] = blocked.args;
  const isOnStack = buffer >= blocked.stack && buffer < began;
  return {
    ...(call?.name === "read" && { wantedBytes: Number(wanted), fd: Number(fd), isOnStack }),
    ...(began > blocked.stack && { depth: Number(began - blocked.stack) }),
    program,
  };
}
