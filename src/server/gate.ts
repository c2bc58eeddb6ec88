// Stands between callers and tmux: lets policy decide on live facts, keeps answers in scope, remembers new
// objects, logs.
import { AppError, hasCode } from "../errors.ts";
import { type Audited, type AuditLog, auditRecord } from "../policy/audit.ts";
import { decide } from "../policy/decide.ts";
import { Denial } from "../policy/denial.ts";
import type { Policy } from "../policy/policy.ts";
import { keepToView, withoutContents, withoutNumber } from "../policy/redaction.ts";
import { effectOn } from "../policy/tiers.ts";
import type { Decision, Declaration } from "../policy/types.ts";
import type { Group, Progress, Target, ToolContext, VisibleScope } from "../tool.ts";
import type { Owned } from "../tmux/ownership.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { InboxEvent } from "../watch/inbox.ts";
import { liveFacts, readBuffers } from "./live_facts.ts";

/** One call, resource read or listing in progress. */
export interface CallContext {
  declaration: Declaration;
  args: Readonly<Record<string, unknown>>;
  tmux: Tmux;
  /** Snapshot of the tmux server, shared by the decision and the handler. */
  snapshot(): Promise<ServerSnapshot>;
  /** Stamps of the buffers before the call, by name. */
  buffers(): Promise<ReadonlyMap<string, string>>;
}

/** The part of an audit line that is known before the call ends. */
type AuditedCall = Omit<Audited, "outcome" | "denied" | "startedAt" | "durationMs">;

/**
 * Groups of calls whose results are only about the object that was decided on when the call, its watch or its command
 * began. The pane may have moved or ended since, or be on another tmux server.
 */
const DECIDED: ReadonlySet<Group> = new Set(["all", "execute", "raw-input", "wait", "watch"]);

/** Groups of calls that create panes. */
const MAKING: ReadonlySet<Group> = new Set(["create", "split", "execute"]);

const CANCELLED = Symbol("cancelled");

/** Outcome of a call that failed; what an aborted signal throws is its reason, which can be any text. */
export function outcomeOfFailure(error: unknown, { aborted }: AbortSignal): unknown {
  return aborted && !(error instanceof AppError) ? CANCELLED : error;
}

export interface GateOptions {
  policy: Policy;
  audit?: AuditLog;
  /** Called before a call uses a tmux server that settings let it use. */
  admitted?(tmux: Tmux): void;
  /** Logs each finished call in one line. */
  report?(line: string, failed: boolean): void;
}

export class Gate {
  readonly policy: Policy;
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.policy = options.policy;
    this.#options = options;
  }

  /** Context of a call, with its single snapshot of the server, which includes owners if the decision needs them. */
  callContext(request: Omit<CallContext, "snapshot" | "buffers">): CallContext {
    const { declaration, args, tmux } = request;
    let snapshot: Promise<ServerSnapshot> | undefined;
    let buffers: Promise<Map<string, string>> | undefined;
    const ownersOf = effectOn(declaration, args) === "destroy"
      ? declaration.targets(args).filter(isOwned)
      : [];
    return {
      ...request,
      snapshot: () => snapshot ??= tmux.snapshot({ ownersOf }),
      buffers: () => buffers ??= readBuffers(tmux),
    };
  }

  /**
   * Decides on a call before it does anything.
   * @throws {AppError} `denied` naming the setting, `not-found`, `gone` or `busy`
   */
  async decide(callContext: CallContext): Promise<Decision> {
    const { declaration, args, tmux, snapshot, buffers } = callContext;
    return await decide({
      declaration,
      args,
      socketPath: tmux.socketPath,
      host: tmux.machine.host,
      live: liveFacts({ tmux, snapshot, buffers }),
      admitted: async () => {
        this.#options.admitted?.(tmux);
        if (declaration.madeBuffers !== undefined) await buffers();
        if (this.#admits(declaration)) await snapshot();
      },
    }, this.policy);
  }

  /** Runs `act` with a tmux server that is bound to the decision: tmux checks the preconditions again in every step. */
  async within<T>(
    { tmux, snapshot }: CallContext,
    { preconditions, endTyping }: Decision,
    act: (tmux: Tmux, typed: () => void) => Promise<T> | T,
  ): Promise<T> {
    const { serverKey } = preconditions.length === 0 ? { serverKey: "" } : await snapshot();
    const bound = tmux.bound(preconditions, serverKey);
    let isWhole = false;
    try {
      const result = await act(bound.tmux, () => endTyping(true));
      isWhole = true;
      return result;
    } finally {
      endTyping(isWhole);
      // Work that outlives the call stays allowed even if its objects are renamed later.
      bound.lift();
    }
  }

  /** Part of a handler's context: the server as this client sees it, without what is out of scope. */
  view({ snapshot, buffers }: CallContext): Pick<ToolContext, "snapshot" | "sees"> {
    const { scope } = this.policy;
    const inScope = async (): Promise<ServerSnapshot> => {
      const whole = await snapshot();
      return { ...whole, panes: scope.rowsOf(whole) };
    };
    return { snapshot: scope.limited ? inScope : snapshot, sees: this.#sees({ snapshot, buffers }) };
  }

  #sees({ snapshot, buffers }: Pick<CallContext, "snapshot" | "buffers">): VisibleScope {
    const { policy } = this;
    const view = async () => policy.scope.limited ? policy.scope.view(await snapshot()) : undefined;
    return {
      panes: async () => (await view())?.paneIds,
      rows: async <T extends object>(rows: readonly T[]) => keepToView(rows, await view(), "hidden") as T[],
      buffer: async (name) =>
        !policy.scope.limited ||
        policy.ownsBuffer(name, (await snapshot()).serverKey, (await buffers()).get(name)),
      socket: (path, host) => policy.seesSocket(path, host),
      contents: policy.settings.allowCapture,
      passwords: policy.settings.typePasswords,
      only: policy.settings.safety === "readonly",
    };
  }

  /** Returns the answer as this client may see it. Objects that the call created are in scope and owned from now on. */
  async present(callContext: CallContext, answer: unknown): Promise<unknown> {
    await this.#remember(callContext, answer);
    const { settings } = this.policy;
    const read = settings.allowCapture ? answer : withoutContents(answer);
    const shown = settings.allowList ? read : withoutNumber(read);
    if (!this.policy.scope.limited || typeof answer !== "object") return shown;
    const { effect, groups } = callContext.declaration;
    if (groups.some((group) => DECIDED.has(group)) && !groups.includes("create")) return shown;
    // A call may itself have ended what it was allowed to change.
    const gone = effect === "read" ? "hidden" : "shown";
    return keepToView(shown, this.policy.scope.view(await callContext.tmux.snapshot()), gone);
  }

  /** Wraps a progress reporter so that it shows only what this client may see: messages quote pane output. */
  progress(report: (update: Progress) => void): (update: Progress) => void {
    if (this.policy.settings.allowCapture) return report;
    return (update) => report({ ...update, message: "Still running" });
  }

  /** The event to push for a finished watch, as this client may see it. */
  pushed(event: InboxEvent): InboxEvent {
    return this.policy.settings.allowCapture ? event : withoutContents(event) as InboxEvent;
  }

  /**
   * Writes the audit line of a call that began at `startedAt` (`performance.now()`); `outcome` is `ok`, or as
   * `outcomeOfFailure` returns it.
   */
  async record(callContext: CallContext, { outcome, startedAt, decision }: {
    outcome: unknown;
    startedAt: number;
    decision: Decision | undefined;
  }): Promise<void> {
    const { declaration, args, tmux } = callContext;
    await this.#record({
      tool: declaration.name,
      args,
      effect: decision?.effect ?? declaration.effect,
      targets: decision?.targets ?? targetsOf(declaration, args),
      socketPath: tmux.socketPath,
      host: tmux.machine.host,
    }, { outcome, startedAt });
  }

  /** Writes the audit line of a call without a decision: unreadable arguments, unknown names, prompts. */
  async recordAsked(
    { effect = "read", targets = [], socketPath = "", ...asked }:
      & Pick<AuditedCall, "tool" | "args">
      & { [Key in "effect" | "targets" | "socketPath" | "host"]?: AuditedCall[Key] | undefined },
    finished: { outcome: unknown; startedAt: number },
  ): Promise<void> {
    await this.#record({ ...asked, effect, targets, socketPath }, finished);
  }

  async #record(
    asked: AuditedCall,
    { outcome, startedAt }: { outcome: unknown; startedAt: number },
  ): Promise<void> {
    const { audit } = this.#options;
    const { tool, effect } = asked;
    const failed = outcome === "ok" ? undefined : codeOf(outcome);
    const durationMs = performance.now() - startedAt;
    this.#options.report?.(`${tool} ${failed ?? "ok"} in ${Math.round(durationMs)} ms`, failed !== undefined);
    if (!audit || !this.policy.records(effect, failed === "denied")) return;
    audit.append(
      await auditRecord({
        ...asked,
        outcome: failed ?? "ok",
        ...(failed === "denied" ? { denied: outcome instanceof Denial ? outcome.setting : "policy" } : {}),
        startedAt: Date.now() - durationMs,
        durationMs,
      }),
    );
  }

  async #remember(callContext: CallContext, answer: unknown): Promise<void> {
    const { effect, madeBuffers } = callContext.declaration;
    if (effect === "read" || typeof answer !== "object" || answer === null) return;
    if (madeBuffers !== undefined) await this.#rememberBuffers(callContext, madeBuffers);
    if (this.#admits(callContext.declaration)) await this.#rememberPanes(callContext, answer);
  }

  /** True for a tool whose new panes a scope takes in. */
  #admits({ effect, groups }: Declaration): boolean {
    return effect !== "read" && this.policy.scope.listsPanes && groups.some((group) => MAKING.has(group));
  }

  /** The panes of the answer, without those that were there before the call. */
  async #rememberPanes({ tmux, snapshot }: CallContext, answer: object): Promise<void> {
    const [before, { serverKey }] = [await snapshot(), await tmux.snapshot()];
    const known = before.serverKey === serverKey ? before.panes.map(({ paneId }) => paneId) : [];
    const paneIds = paneIdsIn(answer).filter((paneId) => !known.includes(paneId));
    this.policy.remember({ serverKey, paneIds });
  }

  async #rememberBuffers(
    { args, tmux, snapshot, buffers }: CallContext,
    madeBuffers: NonNullable<Declaration["madeBuffers"]>,
  ): Promise<void> {
    const { serverKey } = await snapshot();
    const before = await buffers();
    const owns = (name: string): boolean => this.policy.ownsBuffer(name, serverKey, before.get(name));
    // Somebody else's buffer stays theirs even if the call changes its contents.
    const names = madeBuffers(args, owns).filter((name) => !before.has(name) || owns(name));
    const stamps = await readBuffers(tmux);
    this.policy.remember({ serverKey, buffers: new Map(names.map((name) => [name, stamps.get(name)])) });
  }
}

function codeOf(outcome: unknown): string {
  if (outcome === CANCELLED) return "cancelled";
  return outcome instanceof AppError ? outcome.code : "internal";
}

function paneIdsIn(answer: object): string[] {
  return Object.entries(answer).flatMap(([key, value]) => {
    if (key === "paneId" && typeof value === "string") return [value];
    return typeof value === "object" && value !== null ? paneIdsIn(value) : [];
  });
}

/** True if policy allows a call; a denied listing is then empty instead of failing. */
export async function isAllowed(gate: Gate, callContext: CallContext): Promise<boolean> {
  try {
    await gate.decide(callContext);
    return true;
  } catch (error) {
    if (hasCode(error, "denied")) return false;
    throw error;
  }
}

/** Targets of a call; empty if its arguments are too invalid to name them. */
function targetsOf({ targets }: Declaration, args: CallContext["args"]): readonly Target[] {
  try {
    return targets(args);
  } catch {
    return [];
  }
}

function isOwned(target: Target): target is Target & Owned {
  return target.kind === "session" || target.kind === "window" || target.kind === "pane";
}
