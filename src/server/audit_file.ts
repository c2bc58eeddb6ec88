// The audit log on disk: one line a call, appended as it comes.
import { AppError } from "../errors.ts";
import type { AuditLog } from "../policy/audit.ts";

/**
 * Opens the log, made 0600 where it does not exist.
 * @throws {AppError} `invalid-argument` when it cannot be written
 */
export function openAuditFile(path: string, complain: (message: string) => void): AuditLog & Disposable {
  const file = openAppending(path);
  const encoder = new TextEncoder();
  let failing = false;
  return {
    append(line) {
      try {
        writeAll(file, encoder.encode(line + "\n"));
        failing = false;
      } catch (error) {
        // Once, until it can be written again.
        if (!failing) complain(failure(path, error));
        failing = true;
      }
    },
    [Symbol.dispose]: () => file.close(),
  };
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
}

function openAppending(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  } catch (cause) {
    throw new AppError("invalid-argument", failure(path, cause), { cause });
  }
}

function failure(path: string, error: unknown): string {
  return `Cannot write the audit log "${path}": ${error instanceof Error ? error.message : error}`;
}
