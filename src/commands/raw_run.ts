// Types text into a pane as it is and collects what the pane prints, until its program waits for input again.
import type { PaneInspection } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import type { CommandEvent } from "./command_state.ts";
import type { TrackedCommand } from "./tracked_command.ts";
import { isRelay, isSamePrompt, looksLikePrompt, readsAhead } from "../watch/prompt_line.ts";
import { readFollowedScreen, textBefore } from "../watch/followed_screen.ts";
import { watchWaking } from "../watch/waking.ts";
import type { FoundPane } from "../watch/pane_refs.ts";
import type { FollowSpec } from "../watch/protocol.ts";
import type { FollowHandle } from "../watch/follow.ts";
import type { Supervisor } from "../watch/supervisor.ts";

export interface RawRunOptions {
  tracked: TrackedCommand;
  pane: FoundPane;
  supervisor: Supervisor;
  inspector: ProcessInspector;
  spec: FollowSpec;
  type(): Promise<void>;
}

const POLL_MS = 50;
/** Time (ms) without output after which a waiting pane counts as done: with a shell in front, and without. */
const QUIET_MS = 100;
const QUIET_UNSEEN_MS = 500;
/**
 * The same for a program that reads also while it works or that leads elsewhere: after what may be its prompt, and
 * after anything else.
 */
const QUIET_PROMPT_MS = 1000;
const QUIET_AHEAD_MS = 3000;

/** Types a command's text and follows the pane; settles once it is typed. It ends when the program waits again. */
export async function runRaw(options: RawRunOptions): Promise<void> {
  const { tracked, supervisor, spec, type } = options;
  let lastOutput = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const finish = (event: CommandEvent): void => {
    clearInterval(timer);
    tracked.leave(event).finally(() => handle.stop());
  };
  const handle: FollowHandle = supervisor.follow(spec, {
    bytes: ({ bytes }) => {
      lastOutput = performance.now();
      tracked.output.push(bytes);
    },
    gap: () => tracked.output.gap(),
    sized: ({ columns, rows }) => tracked.resize(columns, rows),
    ended: ({ ending }) => finish({ kind: "paneEnded", ...ending }),
    failed: ({ message: reason }) => finish({ kind: "failed", reason }),
  }, { isWatch: false });
  const line = async (): Promise<string | undefined> => {
    const { text, cursor } = await readFollowedScreen(handle, options.pane.paneId);
    return cursor && textBefore(text, cursor);
  };
  let before: Before | undefined;
  let isPolling = false;
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    const seen = lastOutput;
    const back = await isBack({ ...options, ...before, line }, performance.now() - seen).catch(() => false);
    isPolling = false;
    // A line can show what was printed since: then it was passed on before the line.
    if (back && lastOutput === seen && tracked.running) finish({ kind: "done" });
  };
  try {
    await handle.ready;
    before = await readBefore({ ...options, line });
    tracked.take({ kind: "output" });
    await type();
  } catch (error) {
    finish({ kind: "notRun" });
    throw error;
  }
  lastOutput = performance.now();
  // Polling must not begin earlier: a line editor also waits between two keys.
  if (tracked.running) timer = setInterval(poll, POLL_MS);
}

interface RawPane extends RawRunOptions {
  /** Returns the text before the cursor on its line, once all that was printed before is passed on. */
  line(): Promise<string | undefined>;
}

/** A pane before anything was typed. */
interface Before {
  hasWoken(): Promise<boolean>;
  asked: string | undefined;
}

/** Returns undefined if the program can't be inspected. */
async function readBefore({ inspector, pane, line }: RawPane): Promise<Before | undefined> {
  try {
    const [inspection, asked] = await Promise.all([inspector.inspect(pane), line()]);
    return { hasWoken: await watchWaking(inspector, inspection), asked };
  } catch {
    return undefined;
  }
}

async function isBack(options: RawPane & Partial<Before>, quietMs: number): Promise<boolean> {
  if (quietMs < QUIET_MS) return false;
  const inspection = await options.inspector.inspect(options.pane);
  if (!inspection.waitingForInput || !await isQuiet(inspection, options, quietMs)) return false;
  return await options.hasWoken?.() !== false;
}

async function isQuiet(
  inspection: PaneInspection,
  { line, asked }: RawPane & Partial<Before>,
  quietMs: number,
): Promise<boolean> {
  if (inspection.shell !== undefined) return true;
  if (quietMs < QUIET_UNSEEN_MS) return false;
  if (quietMs >= QUIET_AHEAD_MS || !(readsAhead(inspection) || isRelay(inspection))) return true;
  const shown = await line() ?? "";
  return asked !== undefined && isSamePrompt(shown, asked) ||
    quietMs >= QUIET_PROMPT_MS && looksLikePrompt(shown);
}
