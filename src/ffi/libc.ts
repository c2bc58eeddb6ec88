// The C library by FFI: every system call that this server makes itself; none of them can block.
import { AppError, messageOf } from "../errors.ts";
import { stat } from "../stat.ts";
import { cString } from "./c_string.ts";
import { ERRNO_SYMBOLS, readErrno } from "./errno.ts";
import { platformConstants } from "./platform.ts";

/** Facts about the platform that decide the layouts of the C library and the kernel. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/**
 * Thin calls into libc. Only buffers and integers cross the border, so `--allow-ffi=PATH` is enough (pointers would
 * need unscoped FFI). Results are those of C: -1 for failure, then `errno()`.
 */
export interface Libc {
  readonly path: string;
  readonly platform: Platform;
  /** Opens without waiting and without adopting a terminal. */
  open(path: string, access?: "read" | "write"): number;
  close(fd: number): void;
  read(fd: number, into: Uint8Array): number;
  readAt(fd: number, into: Uint8Array, offset: bigint): number;
  write(fd: number, bytes: Uint8Array): number;
  readLink(path: string): string | undefined;
  /** `tcgetattr`: fills a `struct termios`. */
  attributes(fd: number, into: Uint8Array): number;
  ioctl(fd: number, request: bigint, argument: Uint8Array): number;
  /** `poll` for POLLIN with no timeout: true also for an error or a hangup; undefined if it fails. */
  isReadable(fd: number): boolean | undefined;
  /** The same for POLLOUT. */
  isWritable(fd: number): boolean | undefined;
  kill(pid: number, signal: number): number;
  /** `getrlimit` and `setrlimit` with a `struct rlimit`. */
  getLimit(resource: number, into: BigUint64Array<ArrayBuffer>): number;
  setLimit(resource: number, limits: BigUint64Array<ArrayBuffer>): number;
  /** `setitimer`: SIGVTALRM ends this process once it has used this much more CPU time; 0: never. */
  endAfter(cpuSeconds: number): void;
  /** `clock_gettime` in milliseconds; 0 if there is no such clock. */
  clock(id: number): number;
  /** Linux's `syscall(number, integer, buffer, integer, integer, buffer)`. */
  syscall(number: number, args: SyscallArguments): number;
  /** macOS's `sysctl`: the bytes of a value; undefined if there is none. */
  sysctl(name: readonly number[], into: Uint8Array): Uint8Array | undefined;
  /** macOS's `proc_pidinfo`: number of bytes that were filled. */
  procPidInfo(pid: number, flavor: number, into: Uint8Array): number;
  errno(): number;
  unload(): void;
}

export type SyscallArguments = readonly [
  number | bigint,
  Uint8Array<ArrayBuffer> | null,
  (number | bigint)?,
  (number | bigint)?,
  (Uint8Array<ArrayBuffer> | null)?,
];

/** Paths of libc by `${os}-${arch}`; the launcher grants access to all that exist, except musl's. */
export const LIBC_CANDIDATES: Readonly<Record<string, readonly string[]>> = {
  "linux-x86_64": [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "/lib64/libc.so.6",
    "/usr/lib64/libc.so.6",
    "/usr/lib/libc.so.6",
    "/lib/ld-musl-x86_64.so.1",
  ],
  "linux-aarch64": [
    "/lib/aarch64-linux-gnu/libc.so.6",
    "/usr/lib/aarch64-linux-gnu/libc.so.6",
    "/lib64/libc.so.6",
    "/usr/lib64/libc.so.6",
    "/usr/lib/libc.so.6",
    "/lib/ld-musl-aarch64.so.1",
  ],
  "darwin-x86_64": ["/usr/lib/libSystem.B.dylib"],
  "darwin-aarch64": ["/usr/lib/libSystem.B.dylib"],
};

const SYMBOLS = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  pread: { parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  readlink: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  tcgetattr: { parameters: ["i32", "buffer"], result: "i32" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32" },
  kill: { parameters: ["i32", "i32"], result: "i32" },
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  setitimer: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  // Apple's arm64 passes variadic arguments on the stack, so six unused arguments fill the registers.
  ioctlPadded: {
    name: "ioctl",
    parameters: ["i32", "u64", "u64", "u64", "u64", "u64", "u64", "u64", "buffer"],
    result: "i32",
  },
  syscall: { parameters: ["i64", "i64", "buffer", "i64", "i64", "buffer"], result: "i64", optional: true },
  ...ERRNO_SYMBOLS,
  sysctl: {
    parameters: ["buffer", "u32", "buffer", "buffer", "buffer", "usize"],
    result: "i32",
    optional: true,
  },
  procPidInfo: {
    name: "proc_pidinfo",
    parameters: ["i32", "i32", "u64", "buffer", "i32"],
    result: "i32",
    optional: true,
  },
} as const satisfies Deno.ForeignLibraryInterface;

const ITIMER_VIRTUAL = 1;
const POLLIN = 1;
const POLLOUT = 4;

const DECODER = new TextDecoder();

function loadLibrary(path: string): Deno.DynamicLibrary<typeof SYMBOLS> {
  try {
    return Deno.dlopen(path, SYMBOLS);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AppError("unsupported", `Cannot load the C library "${path}": ${reason}`, {
      hint: `Start through scripts/tmux-mcp, or with --allow-ffi=${path}`,
      cause,
    });
  }
}

/**
 * Loads libc from its full path (a bare name is refused under scoped permissions).
 * @throws {AppError} `unsupported` if the file is not a library or `--allow-ffi` does not name it
 */
export function openLibc(path: string): Libc {
  const platform: Platform = Deno.build;
  const library = loadLibrary(path);
  const c = library.symbols;
  const { nonBlock, noCtty, closeOnExec } = platformConstants();
  const common = nonBlock | noCtty | closeOnExec;
  const padded = platform.os === "darwin" && platform.arch === "aarch64";
  const timespec = new Uint32Array(4);
  const bytesOf = (buffer: Uint8Array) => buffer as Uint8Array<ArrayBuffer>;
  const polls = (fd: number, events: number): boolean | undefined => {
    // Words of a `struct pollfd`: the descriptor, then the events and, above them, what came.
    const count = c.poll(new Int32Array([fd, events]), 1n, 0);
    return count < 0 ? undefined : count > 0;
  };
  return {
    path,
    platform,
    open: (file, access = "read") => c.open(cString(file), common | (access === "write" ? 1 : 0)),
    close: (fd) => void c.close(fd),
    read: (fd, into) => Number(c.read(fd, bytesOf(into), BigInt(into.length))),
    readAt: (fd, into, offset) => Number(c.pread(fd, bytesOf(into), BigInt(into.length), offset)),
    write: (fd, bytes) => Number(c.write(fd, bytesOf(bytes), BigInt(bytes.length))),
    readLink(file) {
      const into = new Uint8Array(4096);
      const length = Number(c.readlink(cString(file), into, 4096n));
      return length < 0 ? undefined : DECODER.decode(into.subarray(0, length));
    },
    attributes: (fd, into) => c.tcgetattr(fd, bytesOf(into)),
    ioctl: (fd, request, argument) =>
      padded
        ? c.ioctlPadded(fd, request, 0n, 0n, 0n, 0n, 0n, 0n, bytesOf(argument))
        : c.ioctl(fd, request, bytesOf(argument)),
    isReadable: (fd) => polls(fd, POLLIN),
    isWritable: (fd) => polls(fd, POLLOUT),
    kill: (pid, signal) => c.kill(pid, signal),
    getLimit: (resource, into) => c.getrlimit(resource, into),
    setLimit: (resource, limits) => c.setrlimit(resource, limits),
    // A `struct itimerval` of 64-bit words: interval and value, each in seconds and microseconds.
    endAfter: (seconds) =>
      void c.setitimer(ITIMER_VIRTUAL, new BigInt64Array([0n, 0n, BigInt(seconds), 0n]), null),
    clock(id) {
      // Words of a 64-bit `struct timespec`, the lower ones first.
      const failed = c.clock_gettime(id, timespec) !== 0;
      return failed ? 0 : timespec[0]! * 1000 + timespec[2]! / 1e6;
    },
    syscall: (number, [first, second, third = 0, fourth = 0, fifth = null]) =>
      c.syscall === null
        ? -1
        : Number(c.syscall(BigInt(number), BigInt(first), second, BigInt(third), BigInt(fourth), fifth)),
    sysctl(name, into) {
      const size = new BigUint64Array([BigInt(into.length)]);
      const mib = new Int32Array(name);
      if (c.sysctl === null) return undefined;
      const failed = c.sysctl(mib, mib.length, bytesOf(into), size, null, 0n) !== 0;
      return failed ? undefined : into.subarray(0, Number(size[0]));
    },
    procPidInfo: (pid, flavor, into) =>
      c.procPidInfo === null ? -1 : c.procPidInfo(pid, flavor, 0n, bytesOf(into), into.length),
    errno: () => readErrno(c),
    unload: () => library.close(),
  };
}

/**
 * Returns the full path of the C library: permissions name it that way, and refuse a bare name.
 * @throws {AppError} `unsupported` on an unknown system
 */
export function findLibc(): string {
  const candidates = LIBC_CANDIDATES[`${Deno.build.os}-${Deno.build.arch}`] ?? [];
  const found = candidates.find((path) => stat(path)?.isFile) ?? candidates[0];
  if (found !== undefined) return found;
  const what = `Cannot run on ${Deno.build.os}-${Deno.build.arch}: its C library is unknown`;
  throw new AppError("unsupported", what, { hint: "Use Linux with glibc on x86-64 or arm64" });
}
