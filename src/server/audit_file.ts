// The audit log on disk: one line a call, appended as it comes.
import type { AuditLog } from "../policy/audit.ts";

/**
 * Opens the log, made 0600 where it does not exist.
 * @throws when it cannot be written
 */
export function openAuditFile(path: string, complain: (message: string) => void): AuditLog & Disposable {
  const file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  const encoder = new TextEncoder();
  return {
    append(line) {
      try {
        file.writeSync(encoder.encode(line + "\n"));
      } catch (error) {
        complain(`Cannot write the audit log "${path}": ${error instanceof Error ? error.message : error}`);
      }
    },
    [Symbol.dispose]: () => file.close(),
  };
}
