// The answer to `initialize` that is given before the server is loaded.
import { assertEquals } from "@std/assert";
import { completeOptions, type Options } from "../../src/config.ts";
import { MODERN_VERSIONS } from "../../src/server/envelope.ts";
import { type FirstInput, PROTOCOL_VERSIONS, shakeHands } from "../../src/server/handshake.ts";
import { SUPPORTED_PROTOCOL_VERSIONS } from "../../src/server/sdk.ts";

const CLIENT_INFO = { name: "t", version: "1" };
const PARAMS = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: CLIENT_INFO };

function line(message: unknown): string {
  return JSON.stringify(message) + "\n";
}

function initialize(params: Record<string, unknown> = {}, message: Record<string, unknown> = {}): string {
  return line({ jsonrpc: "2.0", id: 1, method: "initialize", params: { ...PARAMS, ...params }, ...message });
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
};

function discover(meta: Record<string, unknown> = {}, message: Record<string, unknown> = {}): string {
  const params = { _meta: { ...META, ...meta } };
  return line({ jsonrpc: "2.0", id: 1, method: "server/discover", params, ...message });
}

interface Exchange extends FirstInput {
  text: string;
  // deno-lint-ignore no-explicit-any -- an answer of any shape
  sent: any[];
}

/** Has the client write these pieces one after the other, and end. */
async function exchange(...pieces: string[]): Promise<Exchange> {
  return await exchangeWith({}, ...pieces);
}

async function exchangeWith(options: Partial<Options>, ...pieces: string[]): Promise<Exchange> {
  const sent: string[] = [];
  const first = await shakeHands({
    options: completeOptions(options),
    tools: [],
    version: "1",
    read(into) {
      const piece = pieces.shift();
      return Promise.resolve(piece === undefined ? null : new TextEncoder().encodeInto(piece, into).written);
    },
    write: (bytes) => Promise.resolve(void sent.push(new TextDecoder().decode(bytes))),
  });
  const messages = sent.map((each) => JSON.parse(each));
  return { ...first, text: new TextDecoder().decode(first.bytes), sent: messages };
}

Deno.test("the versions are those of the SDK", () => {
  assertEquals(PROTOCOL_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS);
});

Deno.test("a plain first request is answered at once, and passed on with what came with it", async () => {
  const more = line({ jsonrpc: "2.0", method: "notifications/initialized" });
  for (const id of [0, 7, "seven"]) {
    for (const request of [initialize({}, { id }), discover({}, { id })]) {
      const { sent, answered, text } = await exchange(request + more);
      assertEquals([sent.map((each) => each.id), answered?.id, text], [[id], id, request + more]);
    }
  }
});

Deno.test("a line that comes in pieces is read to its end, and no further", async () => {
  const [head, tail] = [initialize().slice(0, 30), initialize().slice(30)];
  const { sent, text } = await exchange(head, tail, "more\n");
  assertEquals([sent.length, text], [1, initialize()]);
});

const UNUSUAL: Record<string, string> = {
  "an end without a line": "",
  "a line without an end": initialize().trimEnd(),
  "broken JSON": "{\n",
  "a list": "[]\n",
  "another method": initialize({}, { method: "ping" }),
  "a notification": line({ jsonrpc: "2.0", method: "initialize", params: PARAMS }),
  "no JSON-RPC": initialize({}, { jsonrpc: "1.0" }),
  "a fraction as id": initialize({}, { id: 1.5 }),
  "no params": line({ jsonrpc: "2.0", id: 1, method: "initialize" }),
  "no version": initialize({ protocolVersion: 1 }),
  "no capabilities": initialize({ capabilities: null }),
  "a capability that is no object": initialize({ capabilities: { roots: true } }),
  "a flag that is a number": initialize({ capabilities: { roots: { listChanged: 1 } } }),
  "an experiment that is no object": initialize({ capabilities: { experimental: { x: true } } }),
  "a client without a version": initialize({ clientInfo: { name: "t" } }),
  "a client with a number for a name": initialize({ clientInfo: { name: 1, version: "1" } }),
  "_meta, which may hold a version of another era": initialize({ _meta: {} }),
  "a capability deep down that is no object": initialize({
    capabilities: { tasks: { requests: { sampling: 1 } } },
  }),
  "an icon without a source": initialize({ clientInfo: { ...CLIENT_INFO, icons: [{}] } }),
  "a modern notification": line({ jsonrpc: "2.0", method: "server/discover", params: { _meta: META } }),
  "another modern method": discover({}, { method: "tools/list" }),
  "no envelope": discover({}, { params: {} }),
  "a modern request without params": line({ jsonrpc: "2.0", id: 1, method: "server/discover" }),
  "a version from the future": discover({ "io.modelcontextprotocol/protocolVersion": "2099-01-01" }),
  "a session's version in an envelope": discover({ "io.modelcontextprotocol/protocolVersion": "2025-11-25" }),
  "an envelope without capabilities": discover({ "io.modelcontextprotocol/clientCapabilities": undefined }),
  "an envelope with a client without a version": discover({
    "io.modelcontextprotocol/clientInfo": { name: "t" },
  }),
  "more in an envelope": discover({ progressToken: 1 }),
  "more beside an envelope": discover({}, { params: { _meta: META, cursor: "x" } }),
  "an envelope in initialize": initialize({ _meta: META }),
  "a line of 100 KB": initialize({ clientInfo: { ...CLIENT_INFO, title: "x".repeat(100_000) } }),
};

Deno.test("anything else is left to the server", async (t) => {
  for (const [what, input] of Object.entries(UNUSUAL)) {
    await t.step(what, async () => {
      const { sent, answered, text } = await exchange(input);
      assertEquals([sent, answered], [[], undefined]);
      assertEquals(input.startsWith(text), true);
    });
  }
});

Deno.test("with a channel, discover is left to the server", async () => {
  assertEquals((await exchangeWith({ channel: false }, discover())).answered?.id, 1);
  assertEquals((await exchangeWith({ channel: true }, discover())).answered, undefined);
});

Deno.test("what clients send is plain", async () => {
  const capabilities = {
    roots: { listChanged: true },
    sampling: {},
    elicitation: { form: { applyDefaults: true }, url: {} },
    experimental: { "claude/channel": {} },
    tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
  };
  const clientInfo = {
    ...CLIENT_INFO,
    title: "T",
    websiteUrl: "https://example.test",
    icons: [{ src: "data:," }],
  };
  for (const protocolVersion of [...PROTOCOL_VERSIONS, "1999-01-01"]) {
    const { sent } = await exchange(initialize({ protocolVersion, capabilities, clientInfo }));
    const expected = PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : PROTOCOL_VERSIONS[0];
    assertEquals(sent[0]?.result.protocolVersion, expected);
  }
  const extensions = {
    "io.modelcontextprotocol/tasks": {},
    "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] },
  };
  for (
    const meta of [
      {},
      { "io.modelcontextprotocol/clientInfo": undefined },
      { "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, extensions } },
    ]
  ) {
    const { sent } = await exchange(discover(meta));
    assertEquals(sent[0]?.result.supportedVersions, MODERN_VERSIONS);
  }
});

Deno.test("an input that cannot be read, and a client that has gone, are left to the transport", async () => {
  const options = { options: completeOptions({}), tools: [], version: "1" };
  const fails = (): Promise<never> => Promise.reject(new Error("gone"));
  const write = (): Promise<void> => Promise.resolve();
  assertEquals((await shakeHands({ ...options, write, read: fails })).bytes.length, 0);
  const bytes = new TextEncoder().encode(initialize());
  const read = (into: Uint8Array): Promise<number> => Promise.resolve((into.set(bytes), bytes.length));
  assertEquals((await shakeHands({ ...options, read, write: fails })).bytes, bytes);
});
