// Handles requests about tools.
import { type CallServices, runCall, UnknownTool } from "./call.ts";
import type { Effect, Progress } from "../tool.ts";
import type { ServedClient } from "./served_client.ts";
import type { RequestContext, RequestHandlers } from "./requests.ts";
import { ErrorCode, McpError } from "./sdk.ts";
import { bestEffort } from "../promises.ts";

export interface ToolRequestOptions {
  services: CallServices & { client: ServedClient };
  /** Called when a call begins that may create or remove something. */
  changes(): void;
  /** Called when such a call has succeeded. */
  changed(): void;
}

/** Effects that change the list of resources. Typed text may create objects too; the next poll finds them. */
const CHANGING: ReadonlySet<Effect> = new Set(["change", "destroy"]);

export function serveTools(requests: RequestHandlers, options: ToolRequestOptions): void {
  const { services } = options;
  requests.handle(
    "tools/list",
    () => ({
      tools: services.registry.visible().map((entry) => services.client.spellDescriptions(entry.wire)),
    }),
  );
  requests.handle("tools/call", async ({ name: named, arguments: args = {} }, context) => {
    services.tools.watches.acknowledge();
    const name = services.client.toolNamed(named);
    const progress = progressReporter(context);
    try {
      const { signal, askPerson, task } = context;
      const call = { name, args, signal, askPerson, task, ...(progress && { progress }) };
      const isChange = CHANGING.has(services.registry.find(name)?.tool.effect ?? "read");
      if (isChange) options.changes();
      const result = await runCall(call, services);
      if (isChange) options.changed();
      return result;
    } catch (error) {
      if (error instanceof UnknownTool) throw new McpError(ErrorCode.InvalidParams, error.message);
      throw error;
    }
  });
}

/**
 * Reporter for a caller that sent a progress token, with numbers that only rise; undefined without a token. A cancelled
 * call may take its time to end, and reports nothing meanwhile.
 */
function progressReporter(
  { progressToken, notify, signal }: Pick<RequestContext, "progressToken" | "notify" | "signal">,
): ((update: Progress) => void) | undefined {
  if (progressToken === undefined) return undefined;
  let last = 0;
  return ({ elapsed, total, message }) => {
    if (signal.aborted) return;
    const progress = Math.max(Math.round(elapsed * 1000) / 1000, Math.round((last + 0.001) * 1000) / 1000);
    last = progress;
    const params = { progressToken, progress, ...(total === undefined ? {} : { total }), message };
    // Failed progress isn't an error: the transport notices a client that is gone.
    bestEffort(notify({ method: "notifications/progress", params }));
  };
}
