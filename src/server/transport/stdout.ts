// Writes to stdout without making this thread wait for a client that does not read.
import { delay } from "../../timer.ts";

/** Pause before another write to a full pipe that somebody made non-blocking (ms). */
const FULL_MS = 5;

/** Settles when all bytes are written; rejects when the client has closed its end. */
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
