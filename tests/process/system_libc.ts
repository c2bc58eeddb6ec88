// The C library of the machine the tests run on.

import { assert } from "@std/assert";
import { type Libc, LIBC_CANDIDATES, openLibc } from "../../src/ffi/libc.ts";

export function findSystemLibc(): string {
  const candidates = LIBC_CANDIDATES[`${Deno.build.os}-${Deno.build.arch}`] ?? [];
  const path = candidates.find((candidate) => {
    try {
      return Deno.statSync(candidate).isFile;
    } catch {
      return false;
    }
  });
  // macOS keeps its libraries in a cache, not on disk.
  const found = path ?? (Deno.build.os === "darwin" ? candidates[0] : undefined);
  assert(found, "no libc found");
  return found;
}

export function openSystemLibc(): Libc {
  return openLibc(findSystemLibc());
}
