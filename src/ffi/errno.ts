// Error number of the last call of the C library that failed.

/** Symbols that a library needs for `readErrno`; memcpy(3) reads memory without the permission for all of it. */
export const ERRNO_SYMBOLS = {
  errno: {
    name: Deno.build.os === "darwin" ? "__error" : "__errno_location",
    parameters: [],
    result: "usize",
  },
  memcpy: { parameters: ["buffer", "usize", "usize"], result: "usize" },
} as const;

export function readErrno(symbols: Deno.DynamicLibrary<typeof ERRNO_SYMBOLS>["symbols"]): number {
  const errno = new Int32Array(1);
  symbols.memcpy(errno, symbols.errno(), 4n);
  return errno[0] ?? 0;
}
