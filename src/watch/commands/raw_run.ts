// Types text into a pane as it is and gathers what the pane shows, until its program waits for input again.
import type { ProcessInspector } from "../../process/process_inspector.ts";
import type { CommandEvent } from "./command_state.ts";
import type { CommandRecord } from "./record.ts";
import type { FoundPane } from "../pane_refs.ts";
import type { FollowSpec } from "../protocol.ts";
import type { FollowHandle } from "../follow.ts";
import type { Supervisor } from "../supervisor.ts";

export interface RawRunOptions {
  record: CommandRecord;
  pane: FoundPane;
  supervisor: Supervisor;
  inspector: ProcessInspector;
  spec: FollowSpec;
  /** Types it. */
  type(): Promise<void>;
}

const POLL_MS = 50;
/** A pane that waits for input is done once it has been quiet for this long; behind ssh it always waits (ms). */
const QUIET_MS = 100;
const QUIET_UNSEEN_MS = 500;

/** Types a record's text and follows the pane; settles when it is typed. The record ends when the program waits again. */
export async function runRaw(options: RawRunOptions): Promise<void> {
  const { record, supervisor, spec, type } = options;
  let lastOutput = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const over = (event: CommandEvent): void => {
    clearInterval(timer);
    record.leave(event).finally(() => handle.stop());
  };
  const handle: FollowHandle = supervisor.follow(supervisor.newWatchId(), spec, {
    bytes: ({ bytes }) => {
      lastOutput = performance.now();
      record.output.push(bytes);
    },
    gap: () => record.output.gap(),
    ended: ({ ending }) => over({ kind: "paneEnded", exitCode: ending.exitCode }),
    failed: () => over({ kind: "failed" }),
  }, { isWatch: false });
  let isPolling = false;
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    const back = await isBack(options, performance.now() - lastOutput).catch(() => false);
    isPolling = false;
    if (back && record.running) over({ kind: "done" });
  };
  try {
    await handle.ready;
    record.take({ kind: "output" });
    await type();
  } catch (error) {
    over({ kind: "notRun" });
    throw error;
  }
  lastOutput = performance.now();
  // Not before: a line editor waits for the next key too.
  if (record.running) timer = setInterval(poll, POLL_MS);
}

async function isBack({ inspector, pane }: RawRunOptions, quietMs: number): Promise<boolean> {
  if (quietMs < QUIET_MS) return false;
  const { waitingForInput, shell } = await inspector.inspect(pane);
  return waitingForInput && (shell !== undefined || quietMs >= QUIET_UNSEEN_MS);
}
