// Types text into a pane as it is and collects what the pane prints, until its program waits for input again.
import type { ProcessInspector } from "../process/process_inspector.ts";
import type { CommandEvent } from "./command_state.ts";
import type { TrackedCommand } from "./tracked_command.ts";
import { Waking } from "../watch/waking.ts";
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
  /** Types the text. */
  type(): Promise<void>;
}

const POLL_MS = 50;
/** Time (ms) without output after which a waiting pane counts as done; a pane behind ssh always appears to wait. */
const QUIET_MS = 100;
const QUIET_UNSEEN_MS = 500;

/**
 * Types a command's text and follows the pane; settles when the text is typed. The command ends when the program waits
 * again.
 */
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
    failed: () => finish({ kind: "failed" }),
  }, { isWatch: false });
  let waking: Waking | undefined;
  let isPolling = false;
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    const back = await isBack({ ...options, waking }, performance.now() - lastOutput).catch(() => false);
    isPolling = false;
    if (back && tracked.running) finish({ kind: "done" });
  };
  try {
    [waking] = await Promise.all([wakingOf(options), handle.ready]);
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

/** Returns undefined if the program can't be inspected. */
async function wakingOf({ inspector, pane }: RawRunOptions): Promise<Waking | undefined> {
  try {
    return await Waking.before(inspector, await inspector.inspect(pane));
  } catch {
    return undefined;
  }
}

async function isBack(
  { inspector, pane, waking }: RawRunOptions & { waking: Waking | undefined },
  quietMs: number,
): Promise<boolean> {
  if (quietMs < QUIET_MS) return false;
  const { waitingForInput, shell } = await inspector.inspect(pane);
  const waits = waitingForInput && (shell !== undefined || quietMs >= QUIET_UNSEEN_MS);
  return waits && await waking?.hasWoken() !== false;
}
