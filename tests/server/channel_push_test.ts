import { assertEquals } from "@std/assert";
import { type ChannelNotification, ChannelPush } from "../../src/server/channel_push.ts";
import type { InboxEvent } from "../../src/watch/inbox.ts";

function event(seq: number, name: string, extra: Partial<InboxEvent> = {}): InboxEvent {
  const base = { detail: "", elapsed: 1, at: 0, output: "", totalLines: 0, totalBytes: 0 };
  return { seq, watchId: `w${seq}`, paneId: `%${seq}`, event: name, ...base, ...extra };
}

Deno.test("events of a burst are pushed each under its own name, with every watch and pane", () => {
  const sent: ChannelNotification["params"][] = [];
  const channel = new ChannelPush(({ params }) => sent.push(params));
  for (
    const each of [
      event(1, "exit"),
      event(2, "pattern:DONE"),
      event(3, "gone"),
      event(4, "gone"),
      event(5, "timeout"),
    ]
  ) {
    channel.push(each);
  }
  channel.close();
  assertEquals(
    sent.map(({ meta }) => [meta["event"], meta["seq"], meta["count"], meta["watchIds"], meta["paneIds"]]),
    [
      ["exit", "1", undefined, undefined, undefined],
      ["pattern:DONE", "2", undefined, undefined, undefined],
      ["gone", "4", "2", "w3 w4", "%3 %4"],
      ["timeout", "5", undefined, undefined, undefined],
    ],
  );
});

Deno.test("a push is one line that reads in its own order, whatever the pane printed", () => {
  const sent: ChannelNotification["params"][] = [];
  const channel = new ChannelPush(({ params }) => sent.push(params));
  channel.push(event(1, "error", { detail: "Error line: a\u2028b\u2029c\u202ed\u2066e" }));
  channel.close();
  const [{ content, meta } = { content: "", meta: {} }] = sent;
  assertEquals(meta["detail"], "Error line: a b c d e");
  assertEquals(content, "Watch w1 on tmux pane %1 saw error after 1.0 s: `Error line: a b c d e`");
});
