// Refuses everything but regular files: opening a FIFO would wait for its other end without a limit.
import { AppError } from "./errors.ts";
import { stat } from "./stat.ts";

/**
 * Checks that a path is a regular file, or nothing yet.
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
