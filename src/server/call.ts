// The one path every tool call takes: read arguments, decide, run, present, encode; one catch at the end.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { didYouMean } from "../nearest.ts";
import { denial } from "../policy/denial.ts";
import type { Decision } from "../policy/types.ts";
import type {
  AnswerShare,
  Content,
  FoundEffects,
  Progress,
  Tool,
  ToolContext,
  ToolOutcome,
  ToolServices,
} from "../tool.ts";
import type { TaskCall } from "../durable/task_call.ts";
import type { AskPerson } from "../handover/handovers.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { AnswerLimit } from "./answer_limit.ts";
import { readArguments } from "./arguments.ts";
import { type CallContext, type Gate, outcomeOfFailure } from "./gate.ts";
import type { RegisteredTool, Registry } from "./registry.ts";
import type { ServedClient } from "./served_client.ts";
import { type CallResult, failure, outcomeOf, success, withPictures } from "./results.ts";

/** Selects the tmux server of a call; the default one if both are absent. */
export interface ServerSelector {
  socket?: string;
  host?: string;
}

export interface Call {
  name: string;
  args: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
  /** Absent if the caller wants no progress. */
  progress?(update: Progress): void;
  /** Absent if the client shows no forms. */
  askPerson?: AskPerson | undefined;
  /** Absent if no other server process can continue the call. */
  task?: TaskCall | undefined;
}

export interface CallServices {
  registry: Registry;
  gate: Gate;
  connect(where: ServerSelector): Tmux;
  /** Starts a worker before a waiting call needs it, which takes some 40 ms, 10 of them on this thread. */
  warm(): void;
  tools: ToolServices;
  limit: AnswerLimit;
  client: Pick<ServedClient, "spell" | "toolNamed" | "waitSeconds">;
}

/** Characters of an unknown name that the audit log keeps. */
const LONGEST_NAME = 128;

/** Time that an answer takes to reach stdout, with a margin. */
const WARM_DELAY_MS = 20;

/** Thrown for a name that no tool has: a protocol error, not a tool result. */
export class UnknownTool extends Error {}

/**
 * Runs one call. A failure of the tool is a result, not an exception.
 * @throws {UnknownTool} for a name that no tool has
 */
export async function runCall(call: Call, services: CallServices): Promise<CallResult> {
  const entry = services.registry.find(call.name);
  if (entry) return await new ToolCall(call, entry, services).run();
  throw await recordUnknown(call, services);
}

/** Records a call of an unknown tool, and returns the error, which names the tool that may be meant. */
async function recordUnknown({ name, args }: Call, services: CallServices): Promise<UnknownTool> {
  const startedAt = performance.now();
  const { registry, gate, client } = services;
  const outcome = new AppError("not-found", `Unknown tool "${excerpt(name, LONGEST_NAME)}"`);
  const names = registry.visible().map(({ tool }) => tool.name);
  const meant = name.length > LONGEST_NAME ? "" : didYouMean(name, names);
  await gate.recordAsked({ tool: name.slice(0, LONGEST_NAME), args }, { outcome, startedAt });
  return new UnknownTool(client.spell(`${outcome.message}. ${meant}tools/list has the tools of this server`));
}

class ToolCall {
  readonly #call: Call;
  readonly #entry: RegisteredTool;
  readonly #services: CallServices;
  readonly #startedAt = performance.now();
  /** Pictures that are sent with the answer. */
  readonly #pictures: Content[] = [];
  /** Server that the call names; the calls that it makes go to the same one. */
  #where: ServerSelector = {};
  /** Set once the arguments are read. */
  #context: CallContext | undefined;
  #decision: Decision | undefined;

  constructor(call: Call, entry: RegisteredTool, services: CallServices) {
    this.#call = call;
    this.#entry = entry;
    this.#services = services;
  }

  async run(): Promise<CallResult> {
    const { gate, warm } = this.#services;
    try {
      const context = this.#context = this.#begin();
      const answer = await this.#answer(context);
      await gate.record(context, { outcome: "ok", startedAt: this.#startedAt, decision: this.#decision });
      return withPictures(success(this.#entry.tool, answer, this.#services), this.#pictures, this.#services);
    } catch (error) {
      return await this.#fail(error);
    } finally {
      // After a read, a client is likely to watch or run something next. The answer goes out first.
      if (this.#context) setTimeout(() => warm(), WARM_DELAY_MS);
    }
  }

  #begin(): CallContext {
    const { name, args: given, signal } = this.#call;
    const { tool, input, wire } = this.#entry;
    const { socket, host, ...args } = readArguments(name, given, { schema: input, wire: wire.inputSchema });
    this.#where = {
      ...(socket ? { socket: String(socket) } : {}),
      ...(host ? { host: String(host) } : {}),
    };
    const { connect, gate } = this.#services;
    return gate.callContext({ declaration: tool, args, tmux: connect(this.#where).during(signal) });
  }

  async #answer(context: CallContext): Promise<unknown> {
    const { gate, warm } = this.#services;
    const { tool, removedBy } = this.#entry;
    if (tool.waits) warm();
    if (removedBy !== undefined) throw removed(tool.name, removedBy);
    const decision = this.#decision = await gate.decide(context);
    const answer = await gate.within(context, decision, (tmux) => {
      return tool.run(context.args, this.#toolContext(context, tmux));
    });
    return withHint(tool, await gate.present(context, answer), decision.hints[0]);
  }

  #toolContext(context: CallContext, tmux: Tmux): ToolContext {
    const { gate, tools, limit } = this.#services;
    const { signal, progress, askPerson, task } = this.#call;
    return {
      ...tools,
      ...gate.view(context),
      fit: limit.fit.bind(limit),
      part: (value, most) => limit.part(value, most),
      decideOn: (found, act) => this.#decideOn(context, found, act),
      callTool: (name, args, share) => this.#callTool(name, args, share),
      attach: (picture) => void this.#pictures.push(picture),
      tmux,
      signal,
      ...(progress && { progress: gate.progress(progress) }),
      ...(askPerson && { askPerson }),
      // Commands on other machines have no records on disk.
      ...(task && tmux.machine.host === undefined && { task }),
    };
  }

  async #decideOn<T>(
    context: CallContext,
    { effect, groups = [], targets, shellText, synchronizes = false, divertsKeys = false, parameters = [] }:
      FoundEffects,
    act: (tmux: Tmux, typed: () => void) => Promise<T>,
  ): Promise<T> {
    const { gate } = this.#services;
    const { args, tmux } = context;
    // Reads a snapshot of its own, with the owners of what was found.
    const found = gate.callContext({
      args: { ...args, ...Object.fromEntries(parameters.map((name) => [name, true])) },
      tmux,
      declaration: {
        ...context.declaration,
        effect,
        groups: [...new Set([...context.declaration.groups, ...groups])],
        targets: () => targets,
        shellText: () => shellText,
        effectOf: () => effect,
        synchronizes: () => synchronizes,
        divertsKeys: () => divertsKeys,
      },
    });
    const decision = await gate.decide(found);
    // The log names the targets of both decisions.
    const first = this.#decision!;
    this.#decision = { ...first, targets: [...first.targets, ...decision.targets] };
    return await gate.within(found, decision, act);
  }

  async #callTool(
    name: string,
    args: Record<string, unknown>,
    { beside, parts }: AnswerShare,
  ): Promise<ToolOutcome> {
    const { task: _, progress, ...mine } = this.#call;
    const named = this.#services.client.toolNamed(name);
    // Its own timeout is not this call's.
    const report = ({ message }: Progress): void =>
      progress?.({ elapsed: (performance.now() - this.#startedAt) / 1000, message });
    const completed = { ...this.#where, ...this.#timeoutOf(named, args), ...args };
    const call = { ...mine, ...(progress && { progress: report }), name: named, args: completed };
    // The call itself counts what it leaves out: with a later cut, its cursor would be past the text that was cut.
    const limit = this.#services.limit.share(beside, parts);
    return outcomeOf(await runCall(call, { ...this.#services, limit }).catch(asAppError));
  }

  /**
   * The timeout of a nested call that names none: its default, but no longer than the client waits for this one. A
   * task has no limit, and slow typing needs its time.
   */
  #timeoutOf(name: string, args: Record<string, unknown>): { timeout?: number } {
    if (this.#call.task !== undefined || "delayMs" in args) return {};
    const { registry, client } = this.#services;
    const timeout = registry.find(name)?.input.shape.timeout;
    if (!(timeout instanceof z.ZodDefault)) return {};
    const left = client.waitSeconds * 1000 - (performance.now() - this.#startedAt);
    const seconds = Math.max(Math.floor(left), 0) / 1000;
    return { timeout: Math.min(timeout.def.defaultValue as number, seconds) };
  }

  async #fail(error: unknown): Promise<CallResult> {
    const { registry, gate, client } = this.#services;
    const { tool, removedBy } = this.#entry;
    const [startedAt, decision] = [this.#startedAt, this.#decision];
    // A tool that the client lacks is refused before its arguments are checked.
    const reason = removedBy === undefined ? error : removed(tool.name, removedBy);
    const outcome = outcomeOfFailure(reason, this.#call.signal);
    if (this.#context) await gate.record(this.#context, { outcome, startedAt, decision });
    else {
      const asked = {
        tool: tool.name,
        args: this.#call.args,
        effect: tool.effect,
        targets: [],
        socketPath: this.#where.socket,
        host: this.#where.host,
      };
      await gate.recordAsked(asked, { outcome, startedAt });
    }
    return failure(reason, { client, registry, showsContents: gate.policy.settings.allowCapture });
  }
}

/** Within `call-tools`, an unknown tool is a failure of the nested call. */
function asAppError(error: unknown): never {
  throw error instanceof UnknownTool ? new AppError("not-found", error.message) : error;
}

/** Adds the decision's hint to an answer without one, if the tool's output has that field. */
function withHint({ output }: Tool, answer: unknown, hint: string | undefined): unknown {
  if (hint === undefined || output === "text" || !("hint" in output.shape)) return answer;
  return { hint, ...answer as Record<string, unknown> };
}

function removed(name: string, setting: string): AppError {
  return denial(`Cannot call ${name}, which is removed`, setting);
}
