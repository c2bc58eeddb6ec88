// Types input into a REPL: as one paste if the program takes pastes, else line by line.
import type { PaneInspection } from "../../process/probe.ts";
import type { ProcessInspector } from "../../process/process_inspector.ts";
import type { ServerSnapshot } from "../../tmux/server_snapshot.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { newBufferName, pasteCommand } from "../../tmux/paste.ts";
import { isAtLeast } from "../../tmux_exec/version.ts";
import { refuseLongLines } from "../../tmux/long_lines.ts";
import { keepBlocksOpen } from "./blocks.ts";
import { isRelay, type PromptPattern } from "./readiness.ts";
import type { ReplStep } from "./run.ts";
import { delay } from "../../timer.ts";

export interface InputPlace {
  tmux: Tmux;
  paneId: string;
  /** The inspection that found the program waiting. */
  before: PaneInspection;
  pattern: PromptPattern | undefined;
  snapshot: ServerSnapshot;
  signal: AbortSignal;
}

/** Time (ms) within which a program wakes up after an empty paste. */
const WAKE_MS = 20;

/** Returns the steps that type `input`; each is taken when the one before is done. A newline at its end is Enter. */
export async function inputSteps(input: string, place: InputPlace): Promise<ReplStep[]> {
  const { tmux, paneId, snapshot, before, pattern, signal } = place;
  const text = input.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const lines = text.split("\n");
  await refuseLongLines(paneId, text, () => Promise.resolve(before.inputKind));
  // A program that does not show when it has taken a line gets all lines at once, as if a person had pasted them.
  const unseen = lines.length > 1 && (isRelay(before) || !before.waitingForInput);
  if (unseen || (/[\n\t]/.test(text) && await takesPastes(place))) {
    const type = () => tmux.input.paste(paneId, text, { snapshot, bracketed: true, enter: true });
    return [{ typed: lines, type, pattern }];
  }
  return keepBlocksOpen(lines, before).map((line, index) => ({
    typed: [line],
    type: async () => void await tmux.input.type(paneId, { text: line }, { snapshot, enter: true, signal }),
    pattern: index === lines.length - 1 ? pattern : undefined,
  }));
}

/**
 * True if the program asked for bracketed pastes. tmux reports that from 3.7 on. Earlier versions put the brackets
 * around an empty paste if the program asked for them, and write nothing if not: a program that wakes up received
 * some.
 */
async function takesPastes({ tmux, paneId, before, snapshot }: InputPlace): Promise<boolean> {
  if (isAtLeast(snapshot.version, 3, 7)) {
    return (await tmux.run([["display-message", "-p", "-t", paneId, "#{bracket_paste_flag}"]])).trim() ===
      "1";
  }
  const pid = before.foregroundPid;
  const { inspector } = tmux.machine;
  if (await wakes(inspector, pid) !== false) return false;
  const buffer = newBufferName();
  return await wakes(inspector, pid, () =>
    tmux.run([
      ["set-buffer", "-b", buffer, "\n"],
      pasteCommand({ paneId, buffer, flags: ["-p", "-s", ""], once: true }),
    ])) === true;
}

/**
 * True if a process wakes up within a short time; undefined if that is unknown. Beside load a process that was
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
