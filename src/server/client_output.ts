// What is written to the client, as the SDK's transport wants it.
import { Writable } from "node:stream";
import { writeToStdout } from "./stdout.ts";

/** `process.stdout` blocks its thread while a pipe is full: tmux's answers came meanwhile, and counted as late. */
export function clientOutput(): Writable {
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      writeToStdout(chunk).then(() => done(), done);
    },
  });
  // The SDK has one for each answer that waits for room.
  return output.setMaxListeners(0);
}
