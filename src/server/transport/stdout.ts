// Writes to stdout without blocking this thread if the client doesn't read.
import { delay } from "../../timer.ts";

/** Pause before writing again to a full pipe that another process has made non-blocking (ms). */
const FULL_MS = 5;

/** Settles when all bytes are written; rejects if the client has closed its end. */
export async function writeToStdout(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += await Deno.stdout.write(bytes.subarray(at));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      await delay(FULL_MS);
    }
  }
}
