// Has a person answer programs: within calls that wait for a program, and as the tool `ask-person`.
import * as z from "zod";
import { paneGone } from "../errors.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import type { HandedOver, Handover, WaitingProgram } from "../watch/handed_over.ts";
import type { TrackedCommand } from "../commands/tracked_command.ts";
import type { HandoverRequest } from "../handover/handovers.ts";
import { paneId, timeout } from "./params.ts";
import { handedOver, waiting } from "./shapes.ts";
import { reportWaiting } from "./waiting_progress.ts";

export type OnInput = "return" | "wait" | "person";

/** Questions during a waiting call: the one it ended with, and those that a person was asked to answer. */
export interface Asked {
  waiting?: WaitingProgram | undefined;
  handedOver?: HandedOver[];
  hint?: string;
}

/** Waits until a command ends, asks a question that nobody answers, or a time is reached (`performance.now()`). */
export async function untilSettled(
  tracked: TrackedCommand,
  { until, onInput }: { until: number; onInput: OnInput },
  context: ToolContext,
): Promise<Asked> {
  const { signal } = context;
  const asked: HandedOver[] = [];
  for (;;) {
    const seconds = Math.max(until - performance.now(), 0) / 1000;
    const waits = onInput === "wait" ? "wait" : "return";
    const waiting = await tracked.wait({ seconds, onInput: waits, signal });
    const answer = { waiting, ...(asked.length > 0 && { handedOver: asked }) };
    if (!waiting) return answer;
    if (onInput !== "person") return { ...answer, ...askHint(waiting) };
    const question = { tmux: tracked.tmux, paneId: tracked.paneId, waiting, until };
    const { handedOver, gone, over, hint } = await askPerson(question, context);
    if (handedOver) asked.push(handedOver);
    const waitsAgain = gone ? performance.now() < until : over || handedOver?.outcome === "answered";
    if (waitsAgain) continue;
    return { ...answer, ...(asked.length > 0 && { handedOver: asked }), ...(hint !== undefined && { hint }) };
  }
}

/** Hands a question to a person, within the limits of one call. */
export async function askPerson(
  request: Omit<HandoverRequest, "signal" | "askPerson" | "quotes">,
  { handovers, signal, askPerson, sees }: ToolContext,
): Promise<Handover> {
  return await handovers.ask({ ...request, quotes: sees.contents, signal, askPerson });
}

function askHint({ inputKind }: WaitingProgram): { hint?: string } {
  return inputKind === "password"
    ? { hint: 'Have a person type it: call get-command-result with onInput: "person"' }
    : {};
}

export const askPersonTool = defineTool({
  name: "ask-person",
  title: "Ask a person",
  description: "Have a person answer the program that waits in a pane, such as a password prompt. " +
    "You never see what they type. " +
    'For longer waits, use start-and-watch with onInput: "person" and background.',
  scope: "agentic",
  groups: ["wait"],
  effect: "change",
  waits: true,
  input: z.strictObject({
    paneId,
    message: z.string().min(1).max(500).describe("What the person should do, and why"),
    timeout: timeout(50),
  }),
  output: z.strictObject({
    paneId: z.string(),
    status: z.enum(["answered", "waiting", "unanswered"]),
    waiting: waiting.optional(),
    handedOver: handedOver.optional(),
    hint: z.string().optional(),
  }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, message, timeout }, context) {
    const until = performance.now() + timeout * 1000;
    using _ = reportWaiting(context, { paneId, total: timeout, message: () => "nobody has answered yet" });
    const question = { tmux: context.tmux, paneId, message, until };
    const { waiting, handedOver, gone, over, hint } = await askPerson(question, context);
    if (gone) throw paneGone(paneId);
    const answered = handedOver?.outcome === "answered";
    return {
      paneId,
      status: answered ? "answered" as const : over ? "unanswered" as const : "waiting" as const,
      ...(handedOver && { handedOver: [handedOver] }),
      ...(answered || over ? {} : { waiting, ...(hint !== undefined && { hint }) }),
    };
  },
});
