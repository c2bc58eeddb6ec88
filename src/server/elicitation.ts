// Asks the person at the client, by a form without a field: it can be accepted or declined, and nothing typed into it.
import type { AskPerson } from "../watch/handover/handovers.ts";
import type { Server } from "./protocol_server.ts";
import { type ClientCapabilities, ElicitResultSchema } from "./sdk.ts";

/** A person may take as long as the call lets them; `signal` ends it (ms). */
const PATIENCE_MS = 2 ** 31 - 1;

/** Undefined where the client shows no forms. */
export function elicitation(
  server: Pick<Server, "request">,
  { elicitation: taken }: ClientCapabilities,
): AskPerson | undefined {
  // A client of before 2025-11-25 that takes any takes forms.
  if (taken === undefined || (taken.form === undefined && taken.url !== undefined)) return undefined;
  return async (message, signal) => {
    const params = { message, requestedSchema: { type: "object" as const, properties: {} } };
    try {
      const { action } = await server.request(
        { method: "elicitation/create", params },
        ElicitResultSchema,
        { signal, timeout: PATIENCE_MS },
      );
      return action === "accept" ? "done" : "declined";
    } catch {
      return "unasked";
    }
  };
}
