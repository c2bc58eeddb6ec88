// What is written to the client: stdout, without making this thread wait for a client that does not read.
import { Writable } from "node:stream";

/** How long a pipe that somebody made non-blocking is left alone when it is full (ms). */
const FULL_MS = 5;

/** `process.stdout` blocks its thread while a pipe is full: tmux's answers came meanwhile, and counted as late. */
export function clientOutput(): Writable {
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      writeAll(chunk).then(() => done(), done);
    },
  });
  // The SDK has one for each answer that waits for room.
  return output.setMaxListeners(0);
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += await Deno.stdout.write(bytes.subarray(at));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      await new Promise((resolve) => setTimeout(resolve, FULL_MS));
    }
  }
}
