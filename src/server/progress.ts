// Progress notifications of one call: only on a token, and always increasing.
import type { Progress } from "../tool.ts";
import type { RequestContext } from "./requests.ts";
import { bestEffort } from "../promises.ts";

/** Reports to a caller that sent a progress token; there is no reporter without one. */
export function progressReporter(
  { progressToken, notify }: Pick<RequestContext, "progressToken" | "notify">,
): ((update: Progress) => void) | undefined {
  if (progressToken === undefined) return undefined;
  let last = 0;
  return ({ elapsed, total, message }) => {
    const progress = Math.max(Math.round(elapsed * 1000) / 1000, Math.round((last + 0.001) * 1000) / 1000);
    last = progress;
    const params = { progressToken, progress, ...(total === undefined ? {} : { total }), message };
    // The transport notices a client that is gone; failed progress is not an error.
    bestEffort(notify({ method: "notifications/progress", params }));
  };
}
