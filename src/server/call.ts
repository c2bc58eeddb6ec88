// The one path every tool call takes: read arguments, decide, run, present, encode; one catch at the end.
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { didYouMean } from "../nearest.ts";
import { denial } from "../policy/denial.ts";
import type { Decision } from "../policy/types.ts";
import type { Content, Progress, Tool, ToolContext } from "../tool.ts";
import type { TaskCall } from "../watch/durable/task_call.ts";
import type { AskPerson } from "../watch/handover/handovers.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { AnswerLimit } from "./answer_limit.ts";
import { readArguments } from "./arguments.ts";
import type { CallContext, Gate } from "./gate.ts";
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

/** Services that every handler gets in addition to its own tmux, signal and progress. */
export type ToolServices = Omit<
  ToolContext,
  | "tmux"
  | "callTool"
  | "attach"
  | "decideOn"
  | "snapshot"
  | "sees"
  | "fit"
  | "signal"
  | "progress"
  | "askPerson"
  | "task"
>;

export interface CallServices {
  registry: Registry;
  gate: Gate;
  /** The tmux server for a place. */
  connect(where: ServerSelector): Tmux;
  /** Starts a worker before a waiting call needs it, which takes some 40 ms, 10 of them on this thread. */
  warm(): void;
  tools: ToolServices;
  limit: AnswerLimit;
  client: Pick<ServedClient, "spell" | "toolNamed">;
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
  const startedAt = performance.now();
  const { gate } = services;
  if (!entry) {
    const names = services.registry.visible().map(({ tool }) => tool.name);
    const outcome = new AppError("not-found", `Unknown tool "${excerpt(call.name, LONGEST_NAME)}"`);
    const meant = call.name.length > LONGEST_NAME ? "" : didYouMean(call.name, names).trimEnd();
    await gate.recordAsked({ tool: call.name.slice(0, LONGEST_NAME), args: call.args }, {
      outcome,
      startedAt,
    });
    throw new UnknownTool(
      services.client.spell(meant === "" ? outcome.message : `${outcome.message}. ${meant}`),
    );
  }
  let callContext: CallContext | undefined;
  let decision: Decision | undefined;
  const pictures: Content[] = [];
  try {
    const begun = begin(call, entry, services);
    callContext = begun.callContext;
    if (entry.tool.waits) services.warm();
    if (entry.removedBy !== undefined) throw removed(call.name, entry.removedBy);
    const first = decision = await gate.decide(callContext);
    const decided = (further: Decision): void => {
      decision = { ...first, targets: [...first.targets, ...further.targets] };
    };
    const answer = withHint(
      entry.tool,
      await gate.present(
        callContext,
        await run(entry.tool, call, { ...begun, decision: first, decided, pictures, services }),
      ),
      first.hints[0],
    );
    await gate.record(callContext, { outcome: "ok", startedAt, decision });
    return withPictures(success(entry.tool, answer, services), pictures, services);
  } catch (error) {
    decision?.abandon();
    // A tool that the client lacks is refused before its arguments are checked.
    const outcome = entry.removedBy === undefined ? error : removed(call.name, entry.removedBy);
    if (callContext) await gate.record(callContext, { outcome, startedAt, decision });
    else {
      const { name: tool, effect } = entry.tool;
      await gate.recordAsked({ tool, args: call.args, effect }, { outcome, startedAt });
    }
    return failure(outcome, {
      removedBy: (name) => services.registry.removedBy(name),
      spell: (text) => services.client.spell(text),
    });
  } finally {
    // After a read, a client is likely to watch or run something next. The answer goes out first.
    if (callContext) setTimeout(() => services.warm(), WARM_DELAY_MS);
  }
}

interface Begun {
  callContext: CallContext;
  where: ServerSelector;
}

function begin(call: Call, entry: RegisteredTool, { connect, gate }: CallServices): Begun {
  const { socket, host, ...args } = readArguments(call.name, call.args, {
    schema: entry.input,
    wire: entry.wire.inputSchema,
  });
  const where = { ...(socket ? { socket: String(socket) } : {}), ...(host ? { host: String(host) } : {}) };
  const tmux = connect(where).during(call.signal);
  return { callContext: gate.callContext({ declaration: entry.tool, args, tmux }), where };
}

function run(
  tool: Tool,
  { signal, progress, askPerson, task }: Call,
  { callContext, where, decision, decided, pictures, services }: Begun & {
    decision: Decision;
    /** Receives pictures that are sent with the answer. */
    pictures: Content[];
    /** Adds a decision that is made while the call runs to the log. */
    decided(further: Decision): void;
    services: CallServices;
  },
): Promise<unknown> {
  const { gate, tools, limit, client } = services;
  return gate.within(callContext, decision, (tmux) =>
    tool.run(callContext.args, {
      ...tools,
      ...gate.inspector(callContext),
      fit: (max, view) => limit.fit(max, view),
      decideOn: async ({ effect, groups, targets, shellText, synchronizes = false }, act) => {
        const found = {
          ...{ effect, groups: [...new Set([...tool.groups, ...groups])] },
          ...{ targets: () => targets, shellText: () => shellText, effectOf: () => effect },
          synchronizes: () => synchronizes,
        };
        const further = { ...callContext, declaration: { ...callContext.declaration, ...found } };
        const allowed = await gate.decide(further);
        decided(allowed);
        return await gate.within(further, allowed, act);
      },
      callTool: async (named, args) =>
        outcomeOf(
          await runCall(
            {
              name: client.toolNamed(named),
              args: { ...where, ...args },
              signal,
              askPerson,
              ...(progress && { progress }),
            },
            services,
          )
            .catch(asAppError),
        ),
      attach: (picture) => void pictures.push(picture),
      tmux,
      signal,
      ...(progress && { progress: gate.progress(progress) }),
      ...(askPerson && { askPerson }),
      // Commands on other machines have no records on disk.
      ...(task && callContext.tmux.machine.host === undefined && { task }),
    }));
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
  return denial(`Cannot call ${name}`, `removed by ${setting}`);
}
