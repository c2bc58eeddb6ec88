// Numbers of the system calls that a program can wait in, by architecture.

/**
 * How to find what a call waits for: `read` names a descriptor in one argument; `poll`, `select` and `epoll` name a
 * set; `opaque` hides it (io_uring); `restart` continues a call that the kernel no longer names.
 */
export type WaitShape = "read" | "poll" | "select" | "epoll" | "opaque" | "restart" | "other";

export interface SystemCall {
  readonly name: string;
  readonly shape: WaitShape;
  /** Index of the argument that holds the descriptor of a `read`. */
  readonly fdArgument: number;
}

type SyscallRow = readonly [name: string, x86: number, arm: number, shape?: WaitShape];

/** Marks a call that arm64 never had: the older forms. */
const NONE = -1;

// From the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
// deno-fmt-ignore
const ROWS: readonly SyscallRow[] = [
  ["read", 0, 63, "read"],
  ["pread64", 17, 67, "read"],
  ["readv", 19, 65, "read"],
  ["sendfile", 40, 71, "read"],
  ["splice", 275, 76, "read"],
  ["preadv", 295, 69, "read"],
  ["preadv2", 327, 286, "read"],
  ["poll", 7, NONE, "poll"],
  ["ppoll", 271, 73, "poll"],
  ["select", 23, NONE, "select"],
  ["pselect6", 270, 72, "select"],
  ["epoll_wait", 232, NONE, "epoll"],
  ["epoll_pwait", 281, 22, "epoll"],
  ["epoll_pwait2", 441, 441, "epoll"],
  ["io_getevents", 208, 4, "opaque"],
  ["io_pgetevents", 333, 292, "opaque"],
  ["io_uring_enter", 426, 426, "opaque"],
  ["restart_syscall", 219, 128, "restart"],
  ["write", 1, 64],
  ["ioctl", 16, 29],
  ["pause", 34, NONE],
  ["nanosleep", 35, 101],
  ["connect", 42, 203],
  ["accept", 43, 202],
  ["sendto", 44, 206],
  ["recvfrom", 45, 207],
  ["sendmsg", 46, 211],
  ["recvmsg", 47, 212],
  ["wait4", 61, 260],
  ["msgrcv", 70, 188],
  ["fcntl", 72, 25],
  ["flock", 73, 32],
  ["rt_sigtimedwait", 128, 137],
  ["rt_sigsuspend", 130, 133],
  ["futex", 202, 98],
  ["getdents64", 217, 61],
  ["clock_nanosleep", 230, 115],
  ["waitid", 247, 95],
  ["accept4", 288, 242],
  ["recvmmsg", 299, 243],
  ["statx", 332, 291],
  ["pidfd_open", 434, 434],
  ["futex_waitv", 449, 449],
];

/** System calls of one architecture, looked up in both directions. */
export interface SyscallTable {
  /** Returns the system call with a number; an unlisted one is `other`, named `syscall N`. */
  describe(number: number): SystemCall;
  /** @throws if the table has no such call, which is a mistake of ours */
  numberOf(name: string): number;
  numbersOf(shape: WaitShape): number[];
}

/** Returns the table of an architecture by Deno's name for it; undefined if there is none. */
export function findSyscallTable(arch: string): SyscallTable | undefined {
  const column = ["", "x86_64", "aarch64"].indexOf(arch);
  if (column < 1) return undefined;
  const rows = ROWS.filter((row) => row[column] !== NONE);
  const calls = new Map(rows.map((row) => [row[column], systemCall(row[0], row[3])]));
  return {
    numbersOf: (shape) =>
      [...calls].filter(([, call]) => call.shape === shape).map(([number]) => Number(number)),
    describe: (number) => calls.get(number) ?? systemCall(`syscall ${number}`),
    numberOf(name) {
      const number = rows.find((row) => row[0] === name)?.[column];
      if (typeof number !== "number") throw new RangeError(`Cannot find the number of "${name}" on ${arch}`);
      return number;
    },
  };
}

function systemCall(name: string, shape: WaitShape = "other"): SystemCall {
  return { name, shape, fdArgument: name === "sendfile" ? 1 : 0 };
}

/** True for a program of 32 bits, whose calls have numbers of their own: its stack is in the first 4 GiB. */
export function isOf32Bits({ stack }: { stack: bigint }): boolean {
  return stack < 2n ** 32n;
}
