// Reads a client's first request, if the answer to it doesn't depend on the server's state.
import { CAPABILITIES_KEY, CLIENT_KEY, MODERN_VERSIONS, VERSION_KEY } from "./envelope.ts";
import { isObject, parseJson } from "../json.ts";

export type FirstRequest =
  & { readonly id: string | number }
  & (
    | { readonly method: "initialize"; readonly protocolVersion: string; readonly clientName: string }
    | { readonly method: "server/discover"; readonly clientName: string | undefined }
  );

/** Capabilities that are flags; all others are objects. */
const FLAGS: readonly string[] = ["listChanged", "applyDefaults"];
/** Capabilities with arbitrary names and contents. */
const OPEN: readonly string[] = ["experimental", "extensions"];

/** The request on a line; undefined for anything that the server might answer differently. */
export function findFirstRequest(line: Uint8Array): FirstRequest | undefined {
  const message = parseJson(new TextDecoder().decode(line));
  if (!isObject(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0" || !isId(id) || !isObject(params)) return undefined;
  if (method === "initialize") return findInitialize(id, params);
  if (method === "server/discover") return findDiscover(id, params);
  return undefined;
}

function findInitialize(id: string | number, params: Record<string, unknown>): FirstRequest | undefined {
  const { protocolVersion, capabilities, clientInfo, ...others } = params;
  const isPlain = typeof protocolVersion === "string" && areCapabilities(capabilities) &&
    isClient(clientInfo) && hasOnly(others, []);
  return isPlain ? { id, method: "initialize", protocolVersion, clientName: clientInfo.name } : undefined;
}

function findDiscover(id: string | number, params: Record<string, unknown>): FirstRequest | undefined {
  const { _meta: meta, ...others } = params;
  if (!isObject(meta) || !hasOnly(others, [])) return undefined;
  const { [VERSION_KEY]: version, [CAPABILITIES_KEY]: capabilities, [CLIENT_KEY]: client, ...more } = meta;
  const isPlain = typeof version === "string" && MODERN_VERSIONS.includes(version) &&
    areCapabilities(capabilities) && hasOnly(more, []);
  if (!isPlain || !(client === undefined || isClient(client))) return undefined;
  return { id, method: "server/discover", clientName: client?.name };
}

function hasOnly(value: object, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function isClient(value: unknown): value is { name: string } {
  return isObject(value) && typeof value.name === "string" && typeof value.version === "string" &&
    Object.entries(value).every(([key, each]) =>
      key === "icons" ? Array.isArray(each) && each.every(isIcon) : typeof each === "string"
    );
}

function isIcon(value: unknown): boolean {
  return isObject(value) && typeof value.src === "string" && hasOnly(value, ["src", "mimeType"]) &&
    (value.mimeType === undefined || typeof value.mimeType === "string");
}

function areCapabilities(value: unknown): boolean {
  return isObject(value) &&
    Object.entries(value).every(([name, each]) =>
      OPEN.includes(name) ? isObject(each) && Object.values(each).every(isObject) : areSettings(each)
    );
}

/** The server itself answers deeper ones, which would overflow the stack here. */
const MAX_DEPTH = 8;

function areSettings(value: unknown, depth = MAX_DEPTH): boolean {
  return depth > 0 && isObject(value) &&
    Object.entries(value).every(([key, each]) =>
      FLAGS.includes(key) ? typeof each === "boolean" : areSettings(each, depth - 1)
    );
}
