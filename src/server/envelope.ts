// The envelope of a modern request: the version, client and capabilities in its `_meta`.
import type { JSONRPCMessage } from "./sdk.ts";
import { isObject } from "../json.ts";
import { invalidParams, type RequestError } from "./request_errors.ts";

export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
export const CLIENT_KEY = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel";

/** Protocol versions whose requests carry an envelope. */
export const MODERN_VERSIONS: readonly string[] = ["2026-07-28"];

/** Methods that only these versions have. */
export const MODERN_METHODS: ReadonlySet<string> = new Set([
  "server/discover",
  "subscriptions/listen",
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
  "skills/list",
  "skills/get",
]);

const UNSUPPORTED_VERSION = -32022;

/** RFC 5424 levels as MCP names them, the least severe first. */
export const LOG_LEVELS: readonly unknown[] = "debug info notice warning error critical alert emergency"
  .split(" ");

/** True if a message has an envelope, valid or not. */
export function hasEnvelope(message: JSONRPCMessage): boolean {
  const meta = metaOf(message);
  return meta !== undefined && [VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY].some((key) => key in meta);
}

/** Returns the error of an invalid envelope; undefined if it is valid. */
export function envelopeProblem(message: JSONRPCMessage): RequestError | undefined {
  const meta = metaOf(message) ?? {};
  const version = meta[VERSION_KEY];
  if (typeof version !== "string") {
    const expected = MODERN_VERSIONS.map((each) => JSON.stringify(each)).join(" or ");
    return invalid(VERSION_KEY, version, `expected ${expected}, or call initialize first`);
  }
  if (!MODERN_VERSIONS.includes(version)) {
    const expected = MODERN_VERSIONS.join(", ");
    const message = `Unsupported protocol version "${version.slice(0, 100)}": expected ${expected}`;
    return { code: UNSUPPORTED_VERSION, message, data: { supported: MODERN_VERSIONS, requested: version } };
  }
  const { [CAPABILITIES_KEY]: capabilities, [CLIENT_KEY]: client, [LOG_LEVEL_KEY]: level } = meta;
  if (!isObject(capabilities)) {
    return invalid(CAPABILITIES_KEY, capabilities, "expected an object, {} without capabilities");
  }
  if (client !== undefined && !isClient(client)) {
    return invalid(CLIENT_KEY, client, "expected an object with name and version");
  }
  if (level !== undefined && !LOG_LEVELS.includes(level)) {
    return invalid(LOG_LEVEL_KEY, level, `expected one of ${LOG_LEVELS.join(", ")}`);
  }
  return undefined;
}

export function clientNameOf(message: JSONRPCMessage): string | undefined {
  return nameOf(metaOf(message)?.[CLIENT_KEY]);
}

/** Name in a `clientInfo`, which may be anything. */
export function nameOf(clientInfo: unknown): string | undefined {
  return isObject(clientInfo) && typeof clientInfo.name === "string" ? clientInfo.name : undefined;
}

function isClient(value: unknown): boolean {
  return isObject(value) && typeof value.name === "string" && typeof value.version === "string";
}

function invalid(key: string, value: unknown, expected: string): RequestError {
  const what = value === undefined ? `Missing _meta["${key}"]` : `Invalid _meta["${key}"]`;
  return invalidParams(`${what}: ${expected}`);
}

function metaOf(message: JSONRPCMessage): Record<string, unknown> | undefined {
  const meta = "params" in message ? message.params?._meta : undefined;
  return isObject(meta) ? meta : undefined;
}
