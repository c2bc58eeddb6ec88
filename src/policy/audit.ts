// The audit record of a call: the tool, its targets and its arguments, with only length and hash of typed or read text.
import { byteLength, sha256Of } from "../bytes.ts";
import { isObject } from "../json.ts";
import type { Effect, Target } from "../tool.ts";
import { PLAIN_TRIGGERS } from "../vocabulary.ts";
import type { PolicyCall } from "./types.ts";

/** Appends records, one line each. Opening an unwritable log throws; a write that fails later is reported on stderr. */
export interface AuditLog {
  append(line: string): void;
}

export interface Audited extends Pick<PolicyCall, "args" | "socketPath" | "host"> {
  readonly tool: string;
  readonly effect: Effect;
  readonly targets: readonly Target[];
  /** `ok`, or the error code of the failure. */
  readonly outcome: string;
  /** The setting that denied the call. The message isn't recorded, because it may contain payload. */
  readonly denied?: string | undefined;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Arguments that name things, which are written as they are; any other text counts as payload. */
const NAMES = new Set(
  `paneId windowId sessionId sourcePaneId targetPaneId targetSessionId commandId watchId clientTty socket host name
  newName path outputPath startDirectory option scope target direction layout corner mode output theme
  action shell channel cursor from to buffer matchId uri`.split(/\s+/),
);

const NAME_LISTS = new Set(["paneIds", "buffers", "extraSocketPaths"]);

/** Lists of triggers without text from the caller; `pattern:` has some. */
const TEXTLESS = new RegExp(
  `^(?:\\s*(?:${[...PLAIN_TRIGGERS, "port"].join("|")}|(?:idle|port):[\\d.]+)\\s*(?:,|$))*$`,
);

const SHOWN = 256;

/** Returns one line of the log, without a newline. */
export async function auditRecord(call: Audited): Promise<string> {
  const args = await Promise.all(
    Object.entries(call.args).map(async ([key, value]) => [await keyShown(key), await shown(key, value)]),
  );
  return JSON.stringify({
    time: new Date(call.startedAt).toISOString(),
    tool: call.tool,
    effect: call.effect,
    targets: call.targets.map(targetName),
    socket: call.socketPath === "" ? undefined : call.socketPath,
    host: call.host,
    decision: call.denied === undefined ? "allowed" : "denied",
    outcome: call.outcome === "ok" ? "ok" : "error",
    code: call.outcome === "ok" ? undefined : call.outcome,
    denied: call.denied,
    durationMs: Math.round(call.durationMs),
    args: Object.fromEntries(args),
  });
}

function targetName(target: Target): string {
  const { kind, ...rest } = target;
  return [kind, ...Object.values(rest)].join(":").slice(0, SHOWN);
}

/** Key as it is logged: the name of an unknown argument can be any text. */
async function keyShown(key: string): Promise<string> {
  return /^\w{1,64}$/.test(key) ? key : `sha256:${(await digest(key)).sha256}`;
}

async function shown(key: string, value: unknown): Promise<unknown> {
  if (typeof value === "boolean" || typeof value === "number" || value === null) return value;
  if (isName(value) && NAMES.has(key)) return value;
  if (Array.isArray(value) && NAME_LISTS.has(key) && value.length <= SHOWN && value.every(isName)) {
    return value;
  }
  if (key === "triggers" && [value].flat().every((each) => isName(each) && TEXTLESS.test(each))) return value;
  if (key === "environment" && isEnvironment(value)) return await environmentShown(value);
  return await digest(typeof value === "string" ? value : JSON.stringify(value) ?? "");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= SHOWN;
}

/** True if all keys look like variable names; otherwise the object may be anything. */
function isEnvironment(value: unknown): value is object {
  return isObject(value) && Object.keys(value).every((name) => /^[A-Za-z_]\w{0,127}$/.test(name));
}

async function environmentShown(environment: object): Promise<unknown> {
  const entries = Object.entries(environment)
    .map(async ([name, value]) => [name, await digest(String(value))]);
  return Object.fromEntries(await Promise.all(entries));
}

async function digest(text: string): Promise<{ length: number; sha256: string }> {
  return { length: byteLength(text), sha256: await sha256Of(text) };
}
