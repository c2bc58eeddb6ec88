// Messages of one turn reach the host in one post, in their order, a pane's bytes joined.
import { assertEquals } from "@std/assert";
import type { WorkerMessage } from "../../src/watch/protocol.ts";
import { Outbox } from "../../workers/outbox.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A message as a word. */
function word(message: WorkerMessage): string {
  return message.kind === "bytes" ? `${message.paneId}:${decoder.decode(message.bytes)}` : message.kind;
}

Deno.test("messages of one turn are one post, and bytes keep their place among them", async () => {
  const posts: string[][] = [];
  const outbox = new Outbox((messages, transfer) => {
    assertEquals(transfer.length, messages.filter(({ kind }) => kind === "bytes").length);
    posts.push(messages.map(word));
  });
  const bytes = (paneId: string, text: string): void =>
    outbox.post({ kind: "bytes", watchId: "w1", paneId, bytes: encoder.encode(text) });
  bytes("%1", "on");
  bytes("%1", "e");
  outbox.post({ kind: "ready", watchId: "w1" });
  bytes("%1", "two");
  bytes("%2", "three");
  outbox.post({ kind: "closed" });
  assertEquals(posts, []);
  await Promise.resolve();
  bytes("%1", "later");
  await Promise.resolve();
  assertEquals(posts, [["%1:one", "ready", "%1:two", "%2:three", "closed"], ["%1:later"]]);
});
