// Facts about the file or folder at a path.
import { AppError } from "./errors.ts";

/** Returns undefined if nothing is there, or nothing that can be inspected. Links are followed. */
export function stat(path: string | URL): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}

/** False if nothing is at the path; one that this process is not permitted to inspect may hold something. */
export function mayExist(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.NotCapable;
  }
}

/**
 * Checks that a path is a regular file, or nothing yet: opening a FIFO would wait for its other end without a limit.
 * @param devices True if a device such as `/dev/null` is acceptable.
 * @throws {AppError} `invalid-argument` for anything else
 */
export function checkRegularFile(path: string, { devices = false } = {}): void {
  const found = stat(path);
  // Opening a path that can't be inspected will fail.
  if (found === undefined || found.isFile || (devices && found.isCharDevice)) return;
  const what = found.isDirectory ? "a folder" : "not a regular file";
  throw new AppError("invalid-argument", `Cannot open "${path}": it is ${what}`, {
    hint: "Give the path of a file",
  });
}
