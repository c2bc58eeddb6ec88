// Removes output of panes from a task that another server process recorded, and whose client may read panes.
import { withoutContents } from "../../policy/redaction.ts";
import { isObject } from "../../json.ts";
import type { TaskState } from "./task.ts";

const LEFT_OUT = "Left out: security.allow_capture = false";

/** The state without pane output (`allow_capture = false`): in the result, in progress, in forms. */
export function withoutOutput({ inputRequests: _, ...state }: TaskState): TaskState {
  const { statusMessage, result, ...rest } = state as TaskState;
  // Progress and forms quote a pane; only the process that runs the task takes answers to the forms.
  if (rest.status === "working" || rest.status === "input_required") return { ...rest, status: "working" };
  return {
    ...rest,
    ...(statusMessage !== undefined && { statusMessage }),
    ...(result !== undefined && { result: resultWithoutOutput(result) }),
  };
}

function resultWithoutOutput(result: unknown): Record<string, unknown> {
  const { structuredContent, ...rest } = Object(result) as Record<string, unknown>;
  if (!isObject(structuredContent)) return { ...rest, content: [{ type: "text", text: LEFT_OUT }] };
  const shown = withoutContents(withoutNested(structuredContent));
  return { ...rest, content: [{ type: "text", text: JSON.stringify(shown) }], structuredContent: shown };
}

/** A call of several tools without their results: any of these may be the contents of a pane. */
function withoutNested({ results, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(results)) return results === undefined ? rest : { results, ...rest };
  return { results: results.map(withoutResult), ...rest };
}

function withoutResult(call: unknown): unknown {
  const { result: _, ...rest } = Object(call) as Record<string, unknown>;
  return rest;
}
