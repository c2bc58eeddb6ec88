// Splits commands that type into batches that tmux takes.
import { MAX_WORDS } from "../../tmux_exec/argv.ts";
import type { Command } from "../../tmux_exec/exec.ts";

/** Maximum size (bytes) of the arguments in one batch; tmux takes 16 KB. */
const BATCH_BYTES = 12_000;
/** Maximum number of words in a batch, with room for the check of the pane before them and the mark after them. */
const BATCH_WORDS = MAX_WORDS - 20;

export function batchesOf(commands: readonly Command[]): Command[][] {
  const batches: Command[][] = [];
  let [room, words] = [0, 0];
  for (const command of commands) {
    const size = command.reduce((sum, argument) => sum + argument.length + 1, 2);
    if (size > room || command.length + 1 > words) {
      batches.push([]);
      [room, words] = [BATCH_BYTES, BATCH_WORDS];
    }
    batches.at(-1)!.push(command);
    room -= size;
    words -= command.length + 1;
  }
  return batches;
}
