// Waits for the port of a service whose command has returned and left its program in the background.
import { unlessGone } from "../errors.ts";
import { describeListening, type TakenPort } from "../process/listening.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { delay } from "../timer.ts";
import { findPanes, type FoundPane } from "../watch/pane_refs.ts";
import { findListener } from "./taken_port.ts";

const POLL_MS = 100;
/** Looks that find no program before none is left: the kernel's list of children can skip one as another ends. */
const LOOKS = 2;
/** Longest wait for any port (ms), as for a program in front. */
const QUIET_MS = 3000;

export interface BackgroundSearch {
  paneId: string;
  /** How the command ended. */
  detail: string;
  pattern?: string | undefined;
  /** The port that means ready; absent if any does. */
  port?: number | undefined;
  /** Time of `performance.now()` at which the command was typed. */
  typedAt: number;
  until: number;
  signal: AbortSignal;
}

export interface BackgroundProgram {
  ready?: true;
  event?: string;
  detail: string;
}

/** Returns undefined if no program is left that could be the service. */
export async function findBackground(
  tmux: Tmux,
  search: BackgroundSearch,
): Promise<BackgroundProgram | undefined> {
  // The pane may have ended with the command.
  const [pane] = await unlessGone(findPanes(tmux, [search.paneId])) ?? [];
  if (pane === undefined || pane.dead) return undefined;
  const { port, pattern } = search;
  if (port !== undefined || pattern === undefined) return await awaitPort(tmux, pane, search);
  const left = "a program of it runs in the background";
  return await isLeft(tmux, pane, search) ? { detail: advice(search, left) } : undefined;
}

function advice({ detail }: BackgroundSearch, found: string): string {
  return `${detail}, but ${found}: start it in the foreground, without \`&\` or a daemon mode`;
}

async function awaitPort(
  tmux: Tmux,
  pane: FoundPane,
  search: BackgroundSearch,
): Promise<BackgroundProgram | undefined> {
  const { port, signal } = search;
  const { inspector } = tmux.machine;
  const until = port === undefined ? Math.min(search.until, performance.now() + QUIET_MS) : search.until;
  for (let looks = 0;;) {
    const ports = await inspector.listening?.(pane) ?? [];
    const found = ports.find((each) => port === undefined || each.port === port);
    const event = port === undefined ? "port" : `port:${port}`;
    if (found) return { ready: true, event, detail: describeListening(found) };
    looks = await isLeft(tmux, pane, search) ? 0 : looks + 1;
    if (performance.now() > until || looks === LOOKS) break;
    await delay(POLL_MS, signal);
    signal.throwIfAborted();
  }
  const [outside] = port === undefined ? [] : await inspector.taken?.(port) ?? [];
  return outside && { detail: advice(search, await describeOutside(tmux, outside)) };
}

/** True if the pane has programs that began after the command was typed. */
async function isLeft(
  { machine: { inspector } }: Tmux,
  pane: FoundPane,
  { typedAt }: BackgroundSearch,
): Promise<boolean> {
  const pids = await inspector.youngerThan?.(pane, performance.now() - typedAt) ?? [];
  return pids.length > 0;
}

async function describeOutside(tmux: Tmux, outside: TakenPort): Promise<string> {
  const { program = "a program" } = await findListener(tmux, outside);
  return `${program} listens on port ${outside.port} outside of its pane`;
}
