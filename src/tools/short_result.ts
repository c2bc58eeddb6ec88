// The short form of a watch's result: what its other fields say already is left out.
import type { WatchResult } from "../watch/inbox.ts";

/** A shorter quote costs no more than the number of its line. */
const LONGEST_QUOTE = 24;
/** In a longer output, finding the line costs a reader more than the quote. */
const MAX_LINES = 10;

/** Result for most callers: without the details of `pane-state`, unless `isVerbose`. */
export function shortResult<R extends WatchResult>(result: R, isVerbose = false) {
  if (isVerbose) return result;
  const short = withoutQuote(result);
  if (short.paneState === undefined) return short;
  const { panePid: _, foregroundPid: __, evidence: ___, inputKind, ...state } = short.paneState;
  return { ...short, paneState: { ...state, ...(state.waitingForInput && { inputKind }) } };
}

/** The result with the number of the matched line, instead of the line itself, if its output has that line. */
export function withoutQuote<R extends Partial<WatchResult>>(result: R): R {
  const { event, detail = "", output = "" } = result;
  const quote = event?.startsWith("pattern:") ? detail.match(/^Matched: (.*)/s)?.[1] : undefined;
  if (quote === undefined || quote.length <= LONGEST_QUOTE) return result;
  const lines = output.split("\n");
  const begin = quote.replace(/…$/, "");
  const at = lines.findIndex((line) =>
    line.trim() === quote || line.trim().startsWith(begin) && begin !== quote
  );
  if (at < 0 || lines.length > MAX_LINES) return result;
  return { ...result, detail: `Matched: line ${at + 1} of ${lines.length}` };
}
