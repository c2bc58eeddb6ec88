// Progress notifications of one call: only on a token, and always increasing.
import type { Progress } from "../tool.ts";

interface Notifier {
  sendNotification(notification: {
    method: "notifications/progress";
    params: { progressToken: string | number; progress: number; total?: number; message: string };
  }): Promise<void>;
}

/** Reports to the caller that sent `token`; there is no reporter without one. */
export function progressReporter(
  token: string | number | undefined,
  notifier: Notifier,
): ((update: Progress) => void) | undefined {
  if (token === undefined) return undefined;
  let last = 0;
  return ({ elapsed, total, message }) => {
    const progress = Math.max(Math.round(elapsed * 1000) / 1000, Math.round((last + 0.001) * 1000) / 1000);
    last = progress;
    const params = { progressToken: token, progress, ...(total === undefined ? {} : { total }), message };
    // A client that is gone is noticed by the transport; progress is never worth an error of its own.
    notifier.sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
}
