// Decides how a Tab in a workspace's line reaches a shell: pasted, or as the key.
import { AppError } from "../errors.ts";
import { pollUntil } from "../timer.ts";
import { takesPastes } from "../tmux/typing/bracketed_paste.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Watches } from "../watch/watches.ts";

interface TabTyping {
  tmux: Tmux;
  watches: Pick<Watches, "state">;
  snapshot: ServerSnapshot;
  signal: AbortSignal;
}

/** Time for a shell that keeps waking up, as for an asynchronous prompt, to sleep (ms). */
const SLEEP_MS = 5000;
const POLL_MS = 25;
/** Shells whose pastes keep a Tab; fish drops it, and ksh and mksh know no pastes. */
const KEEP_PASTED_TABS: ReadonlySet<string> = new Set(["bash", "zsh", "sh"]);

/**
 * True for a shell that completes words at a typed Tab and keeps a pasted one, even if it is unknown whether it takes
 * pastes. A shell without a line editor, or any other program, gets the key.
 * @throws {AppError} `unsupported` for a shell that keeps neither
 */
export async function pastesTabs(paneId: string, typing: TabTyping): Promise<boolean> {
  let found: Awaited<ReturnType<typeof checkPastes>>;
  const isAsleep = async (): Promise<boolean> => (found = await checkPastes(paneId, typing)) !== "awake";
  await pollUntil(isAsleep, { ms: SLEEP_MS, pauseMs: POLL_MS, signal: typing.signal });
  return found !== false;
}

async function checkPastes(paneId: string, { tmux, watches, snapshot }: TabTyping) {
  const { shell, inputKind, foregroundPid: pid } = await watches.state(tmux, paneId);
  if (shell === undefined || inputKind === "line") return false;
  const keeps = KEEP_PASTED_TABS.has(shell) && await takesPastes(tmux, { paneId, pid, snapshot });
  if (keeps !== false) return keeps;
  throw new AppError("unsupported", `Cannot type a Tab into ${shell} in pane "${paneId}"`, {
    hint: "Write \\t or spaces in the workspace, then apply it again: the remaining lines are typed",
  });
}
