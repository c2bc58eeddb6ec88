// Handles `initialize` and `server/discover` before the SDK and the tools are loaded, because loading takes longer than
// everything before it. The server handles the same request again later, and its identical answer is dropped.
import type { Options } from "../config.ts";
import { effectiveSettings } from "../policy/effective_settings.ts";
import { findRemoval, type ToolFacts } from "../policy/visibility.ts";
import { findFirstRequest, type FirstRequest } from "./first_request.ts";
import { discovery, introduce, type Introduction } from "./introduction.ts";
import { instructionsFor } from "./instructions.ts";
import { ServedClient } from "./served_client.ts";

/** Same as in the SDK, which isn't loaded yet. */
export const PROTOCOL_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** Bytes read from stdin before the transport took it over. */
export interface FirstInput {
  readonly bytes: Uint8Array;
  /** The request that has been answered, and a member that only its result has. */
  readonly answered?: { readonly id: string | number; readonly member: string };
}

export interface HandshakeOptions {
  readonly options: Options;
  /** All tools that exist with these options. */
  readonly tools: readonly ToolFacts[];
  readonly version: string;
  /** Pane that this program runs in, if it serves that pane's tmux server. */
  readonly ownPane?: string | undefined;
  /** Same as `Deno.stdin.read`. */
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<void>;
}

const NEWLINE = 10;
/** Maximum bytes of a first line; a longer one is left to the server. */
const MAX_BYTES = 64 * 1024;

/** Reads the client's first line, and answers it if it is a plain `initialize` or `server/discover`. */
export async function shakeHands(options: HandshakeOptions): Promise<FirstInput> {
  const bytes = await readFirstLine(options);
  const end = bytes.indexOf(NEWLINE);
  const request = end < 0 ? undefined : findFirstRequest(bytes.subarray(0, end));
  const result = request && resultOf(request, options);
  if (request === undefined || result === undefined) return { bytes };
  const answer = { result, jsonrpc: "2.0", id: request.id };
  try {
    await options.write(new TextEncoder().encode(JSON.stringify(answer) + "\n"));
  } catch {
    // The client is gone, which the transport will notice.
  }
  const member = request.method === "initialize" ? "protocolVersion" : "supportedVersions";
  return { bytes, answered: { id: request.id, member } };
}

/** The first line and any bytes that came with it; without a newline if the input has ended. */
async function readFirstLine({ read }: HandshakeOptions): Promise<Uint8Array> {
  const buffer = new Uint8Array(MAX_BYTES);
  let length = 0;
  while (length < MAX_BYTES) {
    // The transport keeps reading, and gets the same failure.
    const count = await read(buffer.subarray(length)).catch(() => null);
    if (count === null) break;
    const hasLine = buffer.subarray(length, length + count).includes(NEWLINE);
    length += count;
    if (hasLine) break;
  }
  return buffer.slice(0, length);
}

function resultOf(request: FirstRequest, server: HandshakeOptions): Record<string, unknown> | undefined {
  const { channel, tasksAfterSeconds } = server.options;
  const introduction = introduceTo(request.clientName, server);
  if (request.method === "server/discover") {
    // With a channel, the server serves sessions only.
    return channel ? undefined : discovery(introduction, { takesTasks: tasksAfterSeconds !== 0 });
  }
  const { protocolVersion: asked } = request;
  const protocolVersion = PROTOCOL_VERSIONS.includes(asked) ? asked : PROTOCOL_VERSIONS[0]!;
  return { protocolVersion, ...introduction };
}

function introduceTo(
  clientName: string | undefined,
  { options, tools, version, ownPane }: HandshakeOptions,
): Introduction {
  const settings = effectiveSettings(options);
  const visible = tools.filter((tool) => findRemoval(tool, settings) === undefined);
  const client = new ServedClient(options, (name) => tools.some((tool) => tool.name === name));
  client.introduced(clientName);
  return introduce({
    version,
    instructions: client.spell(instructionsFor(new Set(visible.map(({ name }) => name)), options, ownPane)),
    channel: options.channel,
  });
}
