// Decides whether a call is allowed, from its declaration: tier, switches, scope, own pane, ownership, paths, filter.
import { AppError, notFound } from "../errors.ts";
import type { CallerPlace } from "../tmux/caller.ts";
import { isByProgram, ownerValue } from "../tmux/ownership.ts";
import type { Effect, Target } from "../tool.ts";
import { type ResolvedTarget, resolveTarget } from "./resolved_target.ts";
import { denial, leaveOut } from "./denial.ts";
import { checkShellText, checkTexts } from "./shell_text.ts";
import type { DecisionContext } from "./decision_context.ts";
import { findClosedParameter, findClosingSetting, missingNames, SWITCH_KEYS } from "./switches.ts";
import { emptiedSessions, movesOrEnds } from "./emptied_sessions.ts";
import { checkOwnPane, ownServerDenial } from "./own_pane.ts";
import { checkPassword } from "./passwords.ts";
import { checkPath } from "./paths.ts";
import type { Policy } from "./policy.ts";
import { preconditionOf } from "./preconditions.ts";
import { checkKeysStay, checkNobodyAnswers, checkReady, pressesKeys } from "./pane_readiness.ts";
import { effectOn, grantFor } from "./tiers.ts";
import type { Decision, PolicyCall, PolicySettings, PolicySnapshot } from "./types.ts";

/**
 * Decides on one call before it does anything.
 * @throws {AppError} `denied` naming the setting, `not-found` for a missing target, `gone` for a dead pane,
 * `busy` for a pane that would swallow typed text
 */
export async function decide(call: PolicyCall, policy: Policy): Promise<Decision> {
  const { declaration, args } = call;
  const effect = effectOn(declaration, args);
  const targets = declaration.targets(args);
  const context = { call, policy, effect, verb: verbOf(call, effect), targets, preconditions: [], hints: [] };
  checkSettings(context);
  for (const target of targets) await checkBySettings(target, context);
  checkTexts(context);
  await call.admitted?.();
  for (const target of targets) await checkTarget(target, context);
  if (effect === "destroy" && targets.length === 0) checkOwned(false, "it", context);
  const endTyping = await checkShellText(context);
  const { preconditions, hints } = context;
  return { effect, targets, preconditions, hints, endTyping };
}

function verbOf({ declaration, args: { option } }: PolicyCall, effect: Effect): string {
  const { name } = declaration;
  const [first = "", second] = name.split("-");
  if (effect === "destroy" && name === "apply-workspace") return "destructively set options on";
  if (effect === "destroy") return second === "option" ? `destructively set ${option} on` : first;
  return effect === "input" && pressesKeys(declaration) ? "type into" : "use";
}

function checkSettings({ call, policy, effect }: DecisionContext): void {
  const { declaration, socketPath } = call;
  const { settings } = policy;
  const closing = findClosingSetting(declaration, settings);
  if (closing !== undefined) throw denial(`Cannot call ${declaration.name}`, closing);
  if (grantFor(settings.safety, effect) === "no") {
    throw denial(`Cannot call ${declaration.name} with these arguments`, `--safety ${settings.safety}`);
  }
  if (effect === "destroy" && declaration.effect !== "destroy") {
    checkMayEnd(`call ${declaration.name} with these arguments`, call, settings);
  }
  const closed = findClosedParameter(call, settings);
  if (closed !== undefined) {
    throw denial(`Cannot take ${closed.parameter}`, closed.setting, leaveOut(closed.parameter));
  }
  const missing = missingNames(call, settings);
  if (missing !== undefined) {
    const what = `Cannot call ${declaration.name} without ${missing.join(" or ")}`;
    throw denial(what, `${SWITCH_KEYS.allowList} = false`, `Give ${missing[0]}`);
  }
  policy.checkSocket(socketPath, call.host);
}

/** Checks the settings that disable ending things, for a tool that only some calls make end something. */
function checkMayEnd(what: string, { declaration }: PolicyCall, settings: PolicySettings): void {
  const closing = findClosingSetting({ ...declaration, groups: [...declaration.groups, "kill"] }, settings);
  if (closing !== undefined) throw denial(`Cannot ${what}`, closing);
}

/** Checks a target as far as settings alone decide: on a host, a call that is denied so opens no connection. */
async function checkBySettings(target: Target, context: DecisionContext): Promise<void> {
  const { call, policy, effect, verb } = context;
  switch (target.kind) {
    case "socket":
      return policy.checkSocket(policy.services.resolveSocket(target.socket, call.host), call.host);
    case "path": {
      const { settings, services } = policy;
      const remote = call.host !== undefined && target.here !== true;
      return await checkPath({ ...target, remote }, { settings, ...services });
    }
    case "new-session":
      return checkNewSession(target.name, context);
    case "client":
      if (effect === "destroy") checkOwned(false, `client "${target.tty}"`, context);
      return;
    case "server": {
      const { safety } = policy.settings;
      if (effect !== "destroy" || safety === "destructive") return;
      throw denial(`Cannot ${verb} the tmux server, whoever started it`, `--safety ${safety}`);
    }
    default:
  }
}

async function checkTarget(target: Target, context: DecisionContext): Promise<void> {
  const { call } = context;
  switch (target.kind) {
    case "socket":
    case "path":
    case "new-session":
      return;
    case "service": {
      const row = (await call.live.snapshot()).panes.find(({ service }) => service === target.name);
      if (row === undefined || !context.policy.scope.limited) return;
      // The tool decides again, with the pane, once it knows what to do there.
      const pane = { kind: "pane", id: row.paneId } as const;
      return await checkObject(pane, { ...context, effect: "read" }, `service "${target.name}"`);
    }
    case "buffer":
      return await checkBuffer(target.name, context);
    case "client":
      return await checkClient(target.tty, context);
    default:
      if (needsLive(target, context)) await checkObject(target, context);
      if (movesOrEnds(target)) await checkEmptied(target, context);
  }
}

async function checkBuffer(name: string | undefined, context: DecisionContext): Promise<void> {
  const { call, policy, effect } = context;
  const destroys = effect === "destroy" && policy.settings.safety !== "destructive";
  if (!destroys && !policy.scope.limited) return;
  if (name === undefined) return policy.scope.denyBuffer("a buffer without its name");
  const named = `buffer "${name}"`;
  const stamp = await call.live.bufferStamp(name);
  const exists = stamp !== undefined;
  const owned = exists && policy.ownsBuffer(name, (await call.live.snapshot()).serverKey, stamp);
  if (policy.scope.limited && exists && !owned) policy.scope.denyBuffer(named);
  if (!destroys) return;
  if (!exists) throw notFound("buffer", name);
  checkOwned(owned, named, context);
}

function checkNewSession(name: string | undefined, { call, policy }: DecisionContext): void {
  const renames = call.declaration.groups.includes("rename");
  if (!renames && !policy.settings.allowCreate) {
    throw denial("Cannot create a session", "security.allow_create = false");
  }
  policy.scope.checkNewSession(name, renames ? "rename to" : "create session");
}

/** True if the decision needs a snapshot. Other calls without a scope don't: they fail if their target is gone. */
function needsLive(target: Target, context: DecisionContext): boolean {
  const { policy, effect } = context;
  if (target.kind === "server" && effect === "read") return false;
  return policy.scope.limited || effect === "input" || diverts(context);
}

/** True if keys that a person types may reach another program after the call. */
function diverts({ call: { declaration, args }, effect }: DecisionContext): boolean {
  const { groups, synchronizes, divertsKeys } = declaration;
  return effect === "destroy" || groups.includes("move") || synchronizes?.(args) === true ||
    divertsKeys?.(args) === true;
}

/** @param shownAs What a denial calls the object, if the caller did not name it itself */
async function checkObject(target: Target, context: DecisionContext, shownAs?: string): Promise<void> {
  const { call, policy, effect, verb } = context;
  const snapshot = await call.live.snapshot();
  if (target.kind === "pane" && target.kept && snapshot.panes.every(({ paneId }) => paneId !== target.id)) {
    return;
  }
  const found = resolveTarget(target, snapshot);
  if (found === undefined) {
    throw new AppError("internal", `Cannot decide on a target of kind "${target.kind}"`);
  }
  const resolved = { ...found, name: shownAs ?? found.name };
  policy.scope.check(verb, resolved, { snapshot, effect });
  const caller = effect === "destroy" || effect === "input" ? await call.live.caller() : undefined;
  if (caller !== undefined) await checkOwnAndTyped(resolved, { snapshot, caller }, context);
  if (effect === "destroy") await checkOwner(resolved, context);
  if (diverts(context)) checkKeysStay(verb, resolved, { snapshot, ends: effect === "destroy" });
  const inside = caller?.kind === "pane";
  const precondition = preconditionOf(resolved, { effect, snapshot, scope: policy.scope, inside });
  if (precondition !== undefined) context.preconditions.push(precondition);
}

/** A session ends with its last window, whether that moves or ends: that is as killing it. */
async function checkEmptied(target: Target, context: DecisionContext): Promise<void> {
  const { call, policy, effect } = context;
  const snapshot = await call.live.snapshot();
  for (const id of emptiedSessions(target, snapshot)) {
    const session = resolveTarget({ kind: "session", id }, snapshot)!;
    checkMayEnd(`end ${session.name}`, call, policy.settings);
    // A pane or window that ends has been checked itself.
    if (effect !== "destroy") checkOwnPane("end", session, await call.live.caller());
    const own = ownerValue(policy.settings.instance);
    const owner = await call.live.sessionOwner(id);
    // Another server's session may be left with nothing but panes of ours, and nobody else could then end them.
    const owned = owner === own || isByProgram(owner) && session.rows.every((row) => row.owner === own);
    checkOwned(owned, session.name, { ...context, verb: "end" });
  }
}

/** Checks the target, and all panes that synchronized typing reaches. */
async function checkOwnAndTyped(
  resolved: ResolvedTarget,
  { snapshot, caller }: { snapshot: PolicySnapshot; caller: CallerPlace },
  context: DecisionContext,
): Promise<void> {
  const { call, policy, effect, verb } = context;
  const joins = call.declaration.synchronizes?.(call.args) === true;
  if (effect === "destroy" || joins) return checkOwnPane(joins ? "synchronize" : verb, resolved, caller);
  const presses = pressesKeys(call.declaration);
  if (presses) checkReady(resolved);
  if (resolved.kind === "pane" && await call.live.showsOwnServer(resolved.id)) {
    throw ownServerDenial(verb, resolved);
  }
  const together = snapshot.panes.filter(({ windowId, synchronized }) =>
    synchronized && resolved.rows.some((row) => row.synchronized && row.windowId === windowId)
  );
  for (const reached of [resolved, ...together.map((row) => resolvePane(row.paneId, snapshot))]) {
    if (reached.kind === "pane") checkOwnPane(verb, reached, caller);
    policy.scope.check(verb, reached, { snapshot, effect });
    if (!presses) continue;
    checkNobodyAnswers(reached);
    const hint = await checkPassword(verb, reached, { call, settings: policy.settings });
    if (hint !== undefined) context.hints.push(hint);
  }
}

function resolvePane(paneId: string, snapshot: PolicySnapshot): ResolvedTarget {
  return resolveTarget({ kind: "pane", id: paneId }, snapshot)!;
}

async function checkOwner(resolved: ResolvedTarget, context: DecisionContext): Promise<void> {
  const { call, policy } = context;
  if (policy.settings.safety === "destructive") return;
  const owner = await call.live.ownerOf(resolved.id);
  const own = ownerValue(policy.settings.instance);
  checkOwned(owner === own, resolved.name, context);
  const foreign = resolved.rows.find((row) =>
    resolved.kind !== "pane" && row.owner !== "" && row.owner !== own
  );
  if (foreign !== undefined) checkOwned(false, `${resolved.name} with pane "${foreign.paneId}"`, context);
}

async function checkClient(tty: string, context: DecisionContext): Promise<void> {
  const { call, policy, verb } = context;
  const id = await call.live.sessionOf(tty);
  if (id === undefined) throw notFound("client", tty);
  const snapshot = await call.live.snapshot();
  const session = resolveTarget({ kind: "session", id }, snapshot)!;
  policy.scope.check(verb, session, { snapshot, effect: "read" });
  checkKeysStay(verb, session, { snapshot, ends: false });
}

function checkOwned(owned: boolean, name: string, { policy, verb }: DecisionContext): void {
  const { safety } = policy.settings;
  if (owned || grantFor(safety, "destroy") === "yes") return;
  throw denial(`Cannot ${verb} ${name}, which this server did not create`, `--safety ${safety}`);
}
