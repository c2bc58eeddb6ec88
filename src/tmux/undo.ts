// Undoing what a call did on a tmux server that may not answer just then.
import { isOutOfReach } from "../errors.ts";

/**
 * Pause (ms) before the next attempt. It doubles up to an hour: on a host that refuses the login, each attempt is
 * another failed one.
 */
const AGAIN_MS = 1000;
const MAX_AGAIN_MS = 3_600_000;

/**
 * Undoes something, and settles after the first attempt: with false if tmux did not answer. Others then follow in the
 * background until it does; any other failure leaves nothing to undo.
 */
export async function undoWhenReached(undo: () => Promise<unknown>, pauseMs = AGAIN_MS): Promise<boolean> {
  try {
    await undo();
  } catch (error) {
    if (isOutOfReach(error)) {
      const again = (): void => void undoWhenReached(undo, Math.min(2 * pauseMs, MAX_AGAIN_MS));
      Deno.unrefTimer(setTimeout(again, pauseMs));
      return false;
    }
  }
  return true;
}
