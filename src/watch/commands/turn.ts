// Lets one server at a time type a command into a pane: what two type at once runs as neither.
import { AppError } from "../../errors.ts";
import type { Tmux } from "../../tmux/tmux.ts";

/** Of a pane: when somebody began to type a command into it, in seconds since 1970. */
const TYPING_SINCE = "@tmux_mcp_typing_since";
/** Whoever has not come to an end after this time was killed (s): a shell that starts is waited for for a minute. */
const STALE_SECONDS = 120;

/**
 * Takes the pane's turn; to be given back by what is answered, once the command's output begins or it was not run.
 * @throws {AppError} `busy` while another server has it
 */
export async function takeTurn(tmux: Tmux, paneId: string): Promise<() => void> {
  const pane = ["-p", "-t", paneId];
  const now = Math.floor(Date.now() / 1000);
  const take = (...flags: string[]): Promise<unknown> =>
    tmux.run([["set-option", ...flags, ...pane, TYPING_SINCE, `${now}`]]);
  try {
    await take("-o");
  } catch (error) {
    if (!/already set/.test(String(error))) throw error;
    const since = Number(await tmux.run([["display-message", ...pane, `#{${TYPING_SINCE}}`]]));
    if (now - since < STALE_SECONDS) throw taken(paneId);
    await take();
  }
  const own = tmux.outlivingCall();
  return () => void own.run([["set-option", "-qu", ...pane, TYPING_SINCE]]).catch(() => {});
}

function taken(paneId: string): AppError {
  return new AppError(
    "busy",
    `Cannot run a command in pane "${paneId}": another server is typing one there`,
    { hint: "Call again, or use another pane" },
  );
}
