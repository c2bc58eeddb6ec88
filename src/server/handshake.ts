// Answers `initialize` before the SDK and the tools are loaded, which takes longer than all before it. The server
// handles the same request later, and its answer, which is the same, is not sent.
import type { Options } from "../config.ts";
import { effectiveSettings } from "../policy/effective_settings.ts";
import { findRemoval, type ToolFacts } from "../policy/visibility.ts";
import { introduce, type Introduction } from "./introduction.ts";
import { instructionsFor } from "./instructions.ts";
import { ServedClient } from "./served_client.ts";

/** As in the SDK, which is not loaded yet. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** What was read from stdin before the transport took it over. */
export interface FirstInput {
  readonly bytes: Uint8Array;
  /** Id of the request that has its answer. */
  readonly answered?: string | number;
}

export interface HandshakeOptions {
  readonly options: Options;
  /** Every tool that there is with these options. */
  readonly tools: readonly ToolFacts[];
  readonly version: string;
  /** As `Deno.stdin` reads. */
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<void>;
}

interface InitializeRequest {
  id: string | number;
  params: { protocolVersion: string; clientInfo: { name: string } };
}

const NEWLINE = 10;
/** A first line that is longer is left to the server. */
const MAX_BYTES = 64 * 1024;

/** Reads the client's first line, and answers it if it is a plain `initialize`. */
export async function shakeHands(options: HandshakeOptions): Promise<FirstInput> {
  const bytes = await readFirstLine(options);
  const request = findInitialize(bytes);
  if (request === undefined) return { bytes };
  const answer = { result: answerTo(request, options), jsonrpc: "2.0", id: request.id };
  try {
    await options.write(new TextEncoder().encode(JSON.stringify(answer) + "\n"));
  } catch {
    // The client has gone, which the transport finds out too.
  }
  return { bytes, answered: request.id };
}

/** The first line and whatever came with it; less at the end of the input. */
async function readFirstLine({ read }: HandshakeOptions): Promise<Uint8Array> {
  const buffer = new Uint8Array(MAX_BYTES);
  let length = 0;
  while (length < MAX_BYTES) {
    // The transport reads on, and meets the same failure.
    const count = await read(buffer.subarray(length)).catch(() => null);
    if (count === null) break;
    const hasLine = buffer.subarray(length, length + count).includes(NEWLINE);
    length += count;
    if (hasLine) break;
  }
  return buffer.slice(0, length);
}

/** Undefined for anything that the server might answer in another way. */
function findInitialize(bytes: Uint8Array): InitializeRequest | undefined {
  const end = bytes.indexOf(NEWLINE);
  const message = end < 0 ? undefined : parse(bytes.subarray(0, end));
  if (!isObject(message) || !hasOnly(message, ["jsonrpc", "id", "method", "params"])) return undefined;
  const { jsonrpc, id, method, params } = message;
  const isRequest = jsonrpc === "2.0" && method === "initialize" &&
    (typeof id === "string" || Number.isSafeInteger(id));
  if (!isRequest || !isObject(params)) return undefined;
  if (!hasOnly(params, ["protocolVersion", "capabilities", "clientInfo"])) return undefined;
  const { protocolVersion, capabilities, clientInfo } = params;
  const isPlain = typeof protocolVersion === "string" && isCapabilities(capabilities) &&
    isObject(clientInfo) &&
    typeof clientInfo.name === "string" && typeof clientInfo.version === "string" &&
    Object.entries(clientInfo).every(([key, value]) =>
      typeof value === "string" || key === "icons" && Array.isArray(value)
    );
  return isPlain ? message as unknown as InitializeRequest : undefined;
}

function parse(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasOnly(value: object, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}

/** Objects in objects are all that capabilities hold, except for one flag. */
function isCapabilities(value: unknown): boolean {
  return isObject(value) &&
    Object.values(value).every((each) =>
      isObject(each) &&
      Object.entries(each).every(([key, of]) =>
        key === "listChanged" ? typeof of === "boolean" : isObject(of)
      )
    );
}

function answerTo(
  { params }: InitializeRequest,
  { options, tools, version }: HandshakeOptions,
): Introduction & { protocolVersion: string } {
  const settings = effectiveSettings(options);
  const visible = tools.filter((tool) => findRemoval(tool, settings) === undefined);
  const client = new ServedClient(options, (name) => tools.some((tool) => tool.name === name));
  client.introduced(params.clientInfo.name);
  const { protocolVersion: asked } = params;
  return {
    protocolVersion: PROTOCOL_VERSIONS.includes(asked) ? asked : PROTOCOL_VERSIONS[0]!,
    ...introduce({
      version,
      instructions: client.spell(instructionsFor(new Set(visible.map(({ name }) => name)), options.channel)),
      channel: options.channel,
    }),
  };
}
