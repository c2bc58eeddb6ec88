// Opens regular files only: opening a FIFO waits for its other end, however long.
import { AppError } from "./errors.ts";

/**
 * @param devices Whether a device such as `/dev/null` will do.
 * @throws {AppError} `invalid-argument` where something else than a regular file is; what is not there may be made
 */
export function checkRegularFile(path: string, { devices = false } = {}): void {
  const found = stat(path);
  if (found === undefined || found.isFile || (devices && found.isCharDevice)) return;
  const what = found.isDirectory ? "a folder" : "no regular file";
  throw new AppError("invalid-argument", `Cannot open "${path}": it is ${what}`, {
    hint: "Give the path of a file",
  });
}

/** Undefined for a path that cannot be inspected: opening it will fail. */
function stat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
