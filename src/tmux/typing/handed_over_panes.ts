// Panes that are handed over to a person, into which no call types, and the options that say so.
import { type AppError, personAnswers } from "../../errors.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { failIf } from "../conditions.ts";
import { equals } from "../row_codec.ts";

/** Option of a pane and its window: what its program waits for, for a status line. */
export const WAITING = "@tmux_mcp_waiting";

/** Option of a pane: time until which it is the person's unless renewed (s since 1970), and the process that set it. */
export const HANDOVER = "@tmux_mcp_handover";

const REFUSAL = "handed-over";

/**
 * Returns the command that makes a pane the person's for some seconds. `processStamp` identifies the process that sets
 * the option.
 */
export function handOver(
  paneId: string,
  { seconds, processStamp }: { seconds: number; processStamp: string | undefined },
): Command {
  const until = Math.ceil(Date.now() / 1000 + seconds);
  return ["set-option", "-p", "-t", paneId, HANDOVER, [until, processStamp ?? ""].join(" ").trim()];
}

/** Reads the option: the time until which it holds (s since 1970), and its process. */
export function readHandover(option: string): { until: number; processStamp: string } {
  const [, until = "0", processStamp = ""] = /^(\d+) ?(.*)$/.exec(option) ?? [];
  return { until: Number(until), processStamp };
}

/** A pane, and if a person is answering there. */
export interface HandoverFacts {
  paneId: string;
  handedOver: boolean;
  /** The option. */
  handover: string;
}

/** True if the option says that a person is answering now, and its process can still notice that. */
export function isHandedOver(option: string, isDead: (processStamp: string) => boolean): boolean {
  const { until, processStamp } = readHandover(option);
  return until > Date.now() / 1000 && !isDead(processStamp);
}

/** Returns a format that is true of a pane that the process with this stamp was the last to hand over. */
export function isOwnHandover(processStamp: string | undefined): string {
  return equals(`#{s/^[0-9]+ ?//:${HANDOVER}}`, processStamp ?? "");
}

/**
 * Returns a command that keeps keys out of an answer that a person has begun since the call was allowed, when the pane
 * was as it is given.
 */
export function refuseHandedOver({ paneId, handedOver, handover }: HandoverFacts): Command {
  const isLater = `#{e|>:#{s/ .*//:${HANDOVER}},${Math.floor(Date.now() / 1000)}}`;
  const isBegun = handedOver ? isLater : `#{?${equals(`#{${HANDOVER}}`, handover)},0,${isLater}}`;
  return failIf(paneId, [isBegun, `${REFUSAL} ${paneId}`]);
}

/** Returns the error for a message of tmux that `refuseHandedOver` caused; undefined for any other message. */
export function findHandoverFailure(message: string): AppError | undefined {
  const [, paneId] = new RegExp(`${REFUSAL} (%\\d+)`).exec(message) ?? [];
  return paneId === undefined ? undefined : personAnswers(`type into pane "${paneId}"`);
}
