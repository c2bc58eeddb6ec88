import { assertEquals, assertRejects } from "@std/assert";
import { CallError, Host, refusalFor, sentenceFor } from "../../views/host.js";

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number };
}

function rig(handlers: Record<string, (params: unknown) => unknown> = {}) {
  const posted: Message[] = [];
  const host = new Host((message: object) => void posted.push(message as Message), handlers);
  const receive = (message: object) => host.receive({ jsonrpc: "2.0", ...message });
  return { host, posted, receive };
}

Deno.test("a call's answer is its structured content, and its failure carries the server's code", async () => {
  const { host, posted, receive } = rig();
  const first = host.call("a", { x: 1 });
  const second = host.call("b", {});
  assertEquals(posted[0], {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: { x: 1 } } },
  });
  receive({
    id: 2,
    result: { isError: true, content: [{ text: "No" }], _meta: { "tmux-mcp/error": { code: "denied" } } },
  });
  receive({ id: 1, result: { structuredContent: { y: 2 } } });
  assertEquals(await first, { y: 2 });
  const error = await assertRejects(() => second, CallError, "No") as CallError;
  assertEquals(error.code, "denied");
});

Deno.test("requests of the client are answered, unknown ones too, and other messages ignored", async () => {
  const { host, posted, receive } = rig({ ping: () => ({}), "ui/resource-teardown": () => undefined });
  receive({ id: 7, method: "ping" });
  receive({ id: "t", method: "ui/resource-teardown", params: {} });
  receive({ id: 9, method: "sampling/createMessage" });
  receive({ method: "notifications/unknown" });
  receive({ id: 77, result: {} });
  host.receive("not a message");
  assertEquals(posted.map(({ result, error }) => result ?? error?.code), [{}, {}, -32601]);
  const refused = host.request("ui/request-display-mode", { mode: "fullscreen" });
  receive({ id: 1, error: { code: -32601, message: "Not here" } });
  const error = await assertRejects(() => refused, CallError, "Not here") as CallError;
  assertEquals(error.code, "host");
  const late = host.call("a", {});
  receive({ id: 2, error: { code: -32001, message: "Request timed out" } });
  assertEquals((await assertRejects(() => late, CallError) as CallError).code, "timeout");
});

Deno.test("what is given up is cancelled", () => {
  const { host, posted } = rig();
  host.request("tools/call", {});
  host.cancelAll();
  assertEquals(posted.at(-1), {
    ...{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
  });
});

Deno.test("failures are said to a person, and the client's own words stay", () => {
  const said = (code: string): string =>
    sentenceFor(new CallError("Cannot find pane: call list-panes", code));
  for (const code of ["gone", "not-found", "denied", "tmux-unavailable", "busy"]) {
    assertEquals(/list-panes|Cannot/.test(said(code)), false, code);
  }
  assertEquals(sentenceFor(new CallError("Not allowed", "host")), "Not allowed");
  assertEquals(
    refusalFor(new CallError("Cannot", "denied")),
    "Not typed: the server's settings don't allow it",
  );
  assertEquals(refusalFor(new CallError("Cannot find pane", "gone")), "This pane has ended");
});
