// Progress notifications of one call: only with a token, and always increasing.
import type { Progress } from "../tool.ts";
import type { RequestContext } from "./requests.ts";
import { bestEffort } from "../promises.ts";

/** Reporter for a caller that sent a progress token; undefined without one. */
export function progressReporter(
  { progressToken, notify }: Pick<RequestContext, "progressToken" | "notify">,
): ((update: Progress) => void) | undefined {
  if (progressToken === undefined) return undefined;
  let last = 0;
  return ({ elapsed, total, message }) => {
    const progress = Math.max(Math.round(elapsed * 1000) / 1000, Math.round((last + 0.001) * 1000) / 1000);
    last = progress;
    const params = { progressToken, progress, ...(total === undefined ? {} : { total }), message };
    // Failed progress isn't an error: the transport notices a client that is gone.
    bestEffort(notify({ method: "notifications/progress", params }));
  };
}
