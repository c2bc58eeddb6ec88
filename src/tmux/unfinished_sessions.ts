// Sessions that are still being built under a temporary name, and the stamp by which a later process finds those that a
// killed one has left.
import { ifTrue } from "./conditions.ts";
import type { TmuxGateway } from "./gateway.ts";

/** Beginning of the temporary names. */
const UNFINISHED = "tmux-mcp-workspace-";
/** Option of such a session: the process that builds it. */
const BUILDER = "@tmux_mcp_builder";

/** Returns a name for a session, or for a window of an existing one, until a call has finished or claimed it. */
export function temporaryName(): string {
  return UNFINISHED + crypto.randomUUID().slice(0, 8);
}

/** Marks a session as this process's to finish or to end, where other processes can tell whether it is dead. */
export async function markUnfinished(tmux: TmuxGateway, sessionId: string): Promise<void> {
  const { processStamp } = tmux;
  if (processStamp !== undefined) await tmux.run([["set-option", "-t", sessionId, BUILDER, processStamp]]);
}

/** Removes the stamp from a session that has got its name, if it is still there. */
export async function unmarkFinished(tmux: TmuxGateway, sessionId: string): Promise<void> {
  await tmux.runUntilMissing([["has-session", "-t", sessionId], [
    "set-option",
    "-u",
    "-t",
    sessionId,
    BUILDER,
  ]]);
}

/** Ends the sessions that killed processes have left under their temporary names. */
export async function endUnfinished(tmux: TmuxGateway, isDead: (stamp: string) => boolean): Promise<void> {
  const fields = { id: "#{session_id}", stamp: `#{${BUILDER}}` };
  for (const { id, stamp } of await tmux.rows.list(fields, ["list-sessions"])) {
    if (stamp === "" || !isDead(stamp)) continue;
    // A new name takes effect before the stamp is removed.
    const isUnfinished = `#{m:${UNFINISHED}*,#{session_name}}`;
    await tmux.run([ifTrue(`${id}:`, isUnfinished, { then: [["kill-session", "-t", id]] })]);
  }
}
