// The line at a pane's cursor: shows if a program that reads the terminal while it works is back at its prompt.
import { READS_IN_THREAD } from "../process/classify.ts";
import { type PaneInspection, readerOf } from "../process/probe.ts";
import { isRelayProgram } from "../process/relay_programs.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { textBefore } from "./followed_screen.ts";

/** Evidence of an event loop; if its calls are hidden, the kernel's function shows it. */
const EVENT_LOOP = /^(epoll|probably: .* asleep in (do_epoll|ep_))/;

/** Returns the text before the cursor on its line; undefined if the cursor's place is unknown. */
export async function lineAtCursor(tmux: Tmux, paneId: string): Promise<string | undefined> {
  const { text, cursor } = await tmux.capture.styled(paneId);
  return cursor && textBefore(text, cursor);
}

/** A prompt that only seems to end with another: lua's `>> ` for more lines, and its `> `. */
const REPEATED = /^(\S)\1+$/;

/** True if two prompts are the same, apart from numbers in them (`In [2]: `) and from output before one on its line. */
export function isSamePrompt(first: string, second: string): boolean {
  const [one, other] = [first, second].map((text) => text.trimEnd().replace(/\d+/g, "0")) as [string, string];
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (shorter !== "" && longer.endsWith(shorter) && !REPEATED.test(longer));
}

/** Exit code that mksh shows before its prompt, and a folder, up to the sign after it. */
const CODE = /^\d+\|/;
const FOLDER = /[~/][^\s$#%>]*/g;

/** True if two prompts are the same, apart from the folder and the exit code that they show. */
export function isSamePromptElsewhere(first: string, second: string): boolean {
  const [one, other] = [first, second].map((text) => text.replace(CODE, "").replaceAll(FOLDER, "/"));
  return one === other && first.trim() !== "";
}

export function looksLikePrompt(line: string): boolean {
  return /[#$%>:?)\]] $/.test(line);
}

/** True if it reads the terminal also while it works (an event loop, a thread for keys), and shows a prompt when done. */
export function readsAhead({ evidence, inputKind }: PaneInspection): boolean {
  return EVENT_LOOP.test(evidence) || (inputKind === "raw" && evidence.includes(READS_IN_THREAD));
}

/** True if the program passes the terminal on to where this kernel can't see, and itself always waits. */
export function isRelay(inspection: PaneInspection): boolean {
  return isRelayProgram(readerOf(inspection).name);
}
