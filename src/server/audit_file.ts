// The audit log on disk: one line per call, appended as calls finish.
import { AppError, messageOf } from "../errors.ts";
import type { AuditLog } from "../policy/audit.ts";
import { checkRegularFile } from "../stat.ts";

/**
 * Opens the log, which only its owner can read. If the file is moved away, as `logrotate` does, a new one is created.
 * @throws {AppError} `invalid-argument` when it cannot be written
 */
export function openAuditFile(path: string, complain: (message: string) => void): AuditLog & Disposable {
  let file = openAppending(path);
  const encoder = new TextEncoder();
  let failing = false;
  // On a full disk, only the beginning of a line may have been written.
  let isTorn = false;
  return {
    append(line) {
      try {
        if (wasMoved(file, path)) {
          file = reopen(file, path);
          isTorn = false;
        }
        for (let rest = encoder.encode(`${isTorn ? "\n" : ""}${line}\n`); rest.length > 0;) {
          rest = rest.subarray(file.writeSync(rest));
          isTorn = rest.length > 0;
        }
        failing = false;
      } catch (error) {
        // Report the failure only once until the log can be written again.
        if (!failing) complain(failure(path, error));
        failing = true;
      }
    },
    [Symbol.dispose]: () => file.close(),
  };
}

/** True if the path now leads to another file, or to none. */
function wasMoved(file: Deno.FsFile, path: string): boolean {
  const opened = file.statSync();
  try {
    const { ino, dev } = Deno.statSync(path);
    return ino !== opened.ino || dev !== opened.dev;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}

function reopen(file: Deno.FsFile, path: string): Deno.FsFile {
  const next = openAppending(path);
  file.close();
  return next;
}

function openAppending(path: string): Deno.FsFile {
  checkRegularFile(path, { devices: true });
  let file: Deno.FsFile | undefined;
  try {
    file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
    const { isFile, mode } = file.statSync();
    if (isFile && ((mode ?? 0) & 0o077) !== 0) Deno.chmodSync(path, 0o600);
    return file;
  } catch (cause) {
    file?.close();
    throw new AppError("invalid-argument", failure(path, cause), { cause });
  }
}

function failure(path: string, error: unknown): string {
  return `Cannot write the audit log "${path}": ${messageOf(error)}`;
}
