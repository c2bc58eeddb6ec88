// Tells whether a program has asked for bracketed pastes.
import type { ProcessInspector } from "../../process/process_inspector.ts";
import { delay } from "../../timer.ts";
import { isAtLeast } from "../../tmux_exec/version.ts";
import { newBufferName, pasteOnce } from "./paste.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import type { Tmux } from "../tmux.ts";

/** Time (ms) within which a program wakes up after an empty paste; under load, tmux and the program may take longer. */
const WAKE_MS = 20;
const PASTES = 3;

/**
 * True if the program asked for bracketed pastes. tmux reports that from 3.7 on. Earlier versions put the brackets
 * around an empty paste if the program asked for them, and write nothing if not: a program that wakes up received
 * some. `awake` if it wakes up without one; undefined if that can't be seen.
 */
export async function takesPastes(
  tmux: Tmux,
  { paneId, pid, snapshot }: { paneId: string; pid: number; snapshot: ServerSnapshot },
): Promise<boolean | "awake" | undefined> {
  if (isAtLeast(snapshot.version, 3, 7)) {
    return (await tmux.run([["display-message", "-p", "-t", paneId, "#{bracket_paste_flag}"]])).trim() ===
      "1";
  }
  const { inspector } = tmux.machine;
  const woke = await wakes(inspector, pid);
  if (woke !== false) return woke && "awake";
  const buffer = newBufferName();
  const paste = () =>
    tmux.run([
      ["set-buffer", "-b", buffer, "\n"],
      ...pasteOnce({ paneId, buffer, flags: ["-p", "-s", ""] }),
    ]);
  for (let pastes = 1;; pastes++) {
    const answered = await wakes(inspector, pid, paste);
    if (answered !== false || pastes === PASTES) return answered;
  }
}

/**
 * True if a process wakes up within a short time; undefined if that is unknown. Under load, a process that was
 * woken may not have slept again by then.
 */
async function wakes(
  inspector: ProcessInspector,
  pid: number,
  act: () => Promise<unknown> = () => Promise.resolve(),
): Promise<boolean | undefined> {
  const slept = await inspector.sleeps(pid);
  if (slept === undefined) return undefined;
  await act();
  await delay(WAKE_MS);
  return await inspector.sleeps(pid) !== slept || await inspector.sleep?.(pid) === "awake";
}
