// Asks the person at the client with a form without fields, which they accept or decline.
import type { AskPerson } from "../handover/handovers.ts";
import {
  type ClientCapabilities,
  ElicitResultSchema,
  type Notification,
  type Protocol,
  type Request,
  type Result,
} from "./sdk.ts";
import { isObject } from "../json.ts";
import { LONGEST_MS, onAbort } from "../timer.ts";

export function formRequest(message: string) {
  return {
    method: "elicitation/create" as const,
    params: { message, requestedSchema: { type: "object" as const, properties: {} } },
  };
}

/** True if a client shows forms. A client from before 2025-11-25 that takes any elicitation takes forms. */
export function showsForms({ elicitation: taken }: Pick<ClientCapabilities, "elicitation">): boolean {
  return taken !== undefined && (taken.form !== undefined || taken.url === undefined);
}

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];

/** Reason why responses to the forms open under these keys are invalid; undefined if they are valid. */
export function formsProblem(responses: unknown, open: readonly string[]): string | undefined {
  if (!isObject(responses)) {
    return "Invalid inputResponses: expected an object with an answer for each key of inputRequests";
  }
  for (const key of open) {
    const { [key]: response } = responses;
    if (response === undefined || isObject(response) && ACTIONS.includes(response.action)) continue;
    return `Invalid inputResponses["${key}"]: expected an object whose action is ${ACTIONS.join(", ")}`;
  }
  return undefined;
}

/** Meaning of a closed form; dismissing it counts as declining. */
export function readForm(action: unknown): "done" | "declined" {
  return action === "accept" ? "done" : "declined";
}

/** A form without fields has no content, so whatever a client puts there is not read. */
const FORM_RESULT = ElicitResultSchema.pick({ action: true });

/** Function that asks the person; undefined if the client shows no forms. */
export function elicitation(
  server: Pick<Protocol<Request, Notification, Result>, "request">,
  capabilities: ClientCapabilities,
): AskPerson | undefined {
  if (!showsForms(capabilities)) return undefined;
  return async (message, signal) => {
    // The SDK would cancel even a request that is answered, with the signal's own reason.
    const closing = new AbortController();
    using _ = onAbort(signal, () => closing.abort("The form is not needed any more"));
    try {
      signal.throwIfAborted();
      const { action } = await server.request(formRequest(message), FORM_RESULT, {
        signal: closing.signal,
        // The signal ends the wait.
        timeout: LONGEST_MS,
      });
      return readForm(action);
    } catch {
      return "unasked";
    }
  };
}
