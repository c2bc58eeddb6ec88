// The one path every tool call takes: read arguments, decide, run, encode; one catch at the end.
import { AppError } from "../errors.ts";
import type { Progress, Tool, ToolContext } from "../tool.ts";
import type { Survey } from "../tmux/survey.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { readArguments } from "./arguments.ts";
import type { Registry } from "./registry.ts";
import { type CallResult, failure, success } from "./results.ts";

/** Which tmux server a call is aimed at; neither means the server's own. */
export interface Where {
  socket?: string;
  host?: string;
}

export interface Call {
  name: string;
  args: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
  /** Absent when the caller wants none. */
  progress?(update: Progress): void;
}

/** What one call is decided on. */
export interface DecisionRequest {
  tool: Tool;
  args: Record<string, unknown>;
  where: Where;
  tmux: Tmux;
  /** What there is on that server, looked up once for the whole call. */
  survey(): Promise<Survey>;
  signal: AbortSignal;
}

/** What every call's handler is given besides its own tmux, signal and progress. */
export type ToolServices = Omit<ToolContext, "tmux" | "survey" | "signal" | "progress">;

export interface CallServices {
  registry: Registry;
  /** The tmux server for a place; throws `denied` or `invalid-argument`. */
  connect(where: Where): Tmux;
  /** Throws `denied`, `not-found`, `busy` or `gone` where the call may not or cannot go on. */
  decide(request: DecisionRequest): Promise<void>;
  tools: ToolServices;
}

/** A name that no tool has: a protocol error, not a tool result. */
export class UnknownTool extends Error {}

export async function runCall(call: Call, services: CallServices): Promise<CallResult> {
  const entry = services.registry.find(call.name);
  if (!entry) throw new UnknownTool(`Unknown tool "${call.name}"`);
  try {
    if (entry.removedBy !== undefined) throw removed(call.name, entry.removedBy);
    const { tool } = entry;
    const { socket, host, ...args } = readArguments(call.name, call.args, {
      schema: entry.input,
      wire: entry.wire.inputSchema,
    });
    const where = { ...(socket ? { socket: String(socket) } : {}), ...(host ? { host: String(host) } : {}) };
    const { signal } = call;
    const tmux = services.connect(where).during(signal);
    let surveyed: Promise<Survey> | undefined;
    const survey = (): Promise<Survey> => surveyed ??= tmux.survey();
    await services.decide({ tool, args, where, tmux, survey, signal });
    const { progress } = call;
    const context = { ...services.tools, tmux, survey, signal, ...(progress && { progress }) };
    return success(tool, await tool.run(args, context));
  } catch (error) {
    return failure(error);
  }
}

function removed(name: string, setting: string): AppError {
  return new AppError("denied", `Cannot call ${name}: removed by ${setting}`, {
    hint: "Ask the person who runs this server to change that setting",
  });
}
