import { assert, assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { Conversation } from "../../src/tmux_protocol/conversation.ts";
import { encodeMessage, MESSAGE, MessageReader, ProtocolError } from "../../src/tmux_protocol/imsg.ts";
import type { Files } from "../../src/ffi/sockets.ts";
import { numbers } from "../support/random.ts";

const noFiles: Files = {
  openRead: () => ({ errno: 2 }),
  openWrite: () => ({ errno: 13 }),
  read: () => 0,
  write: () => {},
  closeFile: () => {},
};
const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);

function start({ stdin = new Uint8Array(), files = noFiles } = {}): Conversation {
  return new Conversation(text("opening"), stdin, files);
}

function hear(conversation: Conversation, message: Uint8Array): void {
  conversation.space.set(message);
  conversation.received(message.length);
}

/** All that is to be sent, as messages' types and payloads; the opening is left out. */
function said(conversation: Conversation): { type: number; payload: number[] }[] {
  const reader = new MessageReader();
  const messages = [];
  while (conversation.pending !== undefined) {
    const bytes = conversation.pending.subarray(0, reader.space.length);
    conversation.sent(bytes.length);
    if (new TextDecoder().decode(bytes) === "opening") continue;
    reader.space.set(bytes);
    reader.filled(bytes.length);
    for (let next = reader.next(); next !== undefined; next = reader.next()) {
      messages.push({ type: next.type, payload: [...next.payload] });
    }
  }
  return messages;
}

const writeOpen = (stream: number, fd: number, path = "-"): Uint8Array =>
  encodeMessage(MESSAGE.writeOpen, stream, fd, 0, path);
const readyReply = (stream: number, errno: number): { type: number; payload: number[] } => ({
  type: MESSAGE.writeReady,
  payload: [stream, 0, 0, 0, errno, 0, 0, 0],
});

Deno.test("output and errors are gathered apart, the exit's words after the errors", () => {
  const conversation = start();
  hear(conversation, writeOpen(1, 1));
  hear(conversation, writeOpen(2, 2));
  hear(conversation, encodeMessage(MESSAGE.write, 1, text("out")));
  hear(conversation, encodeMessage(MESSAGE.write, 2, text("err\n")));
  assertEquals(conversation.reply, undefined);
  hear(conversation, encodeMessage(MESSAGE.exit, 3, "access not allowed"));
  assertEquals(conversation.reply, { code: 3, stdout: text("out"), stderr: "err\naccess not allowed\n" });
  assertEquals(said(conversation), [readyReply(1, 0), readyReply(2, 0)]);
});

Deno.test("a server's shutdown ends a client with 0, as it does tmux's own", () => {
  const conversation = start();
  hear(conversation, encodeMessage(MESSAGE.shutdown));
  assertEquals(conversation.reply, { code: 0, stdout: new Uint8Array(), stderr: "" });
});

Deno.test("each standard stream can be opened once", () => {
  const conversation = start({ stdin: text("in") });
  for (const stream of [1, 3]) hear(conversation, writeOpen(stream, 1));
  for (const stream of [4, 5]) hear(conversation, encodeMessage(MESSAGE.readOpen, stream, 0, "-"));
  assertEquals(said(conversation), [
    readyReply(1, 0),
    readyReply(3, 9),
    { type: MESSAGE.read, payload: [4, 0, 0, 0, ...text("in")] },
    { type: MESSAGE.readDone, payload: [4, 0, 0, 0, 0, 0, 0, 0] },
    { type: MESSAGE.readDone, payload: [5, 0, 0, 0, 9, 0, 0, 0] },
  ]);
});

Deno.test("input is cut into messages that tmux takes", () => {
  const stdin = crypto.getRandomValues(new Uint8Array(50_000));
  const conversation = start({ stdin });
  hear(conversation, encodeMessage(MESSAGE.readOpen, 3, 0, "-"));
  const messages = said(conversation);
  assertEquals(messages.map(({ type }) => type), [301, 301, 301, 301, 302]);
  assertEquals(Uint8Array.from(messages.slice(0, -1).flatMap(({ payload }) => payload.slice(4))), stdin);
});

Deno.test("files that can't be opened answer with their error number", () => {
  const conversation = start();
  hear(conversation, writeOpen(3, -1, "/no"));
  hear(conversation, encodeMessage(MESSAGE.readOpen, 4, -1, "/no"));
  assertEquals(said(conversation), [
    readyReply(3, 13),
    { type: MESSAGE.readDone, payload: [4, 0, 0, 0, 2, 0, 0, 0] },
  ]);
});

Deno.test("a file left open by the server is closed at the end, once", () => {
  const closed: number[] = [];
  const files = { ...noFiles, openWrite: () => ({ fd: 7 }), closeFile: (fd: number) => void closed.push(fd) };
  const conversation = start({ files });
  hear(conversation, writeOpen(3, -1, "/yes"));
  hear(conversation, writeOpen(4, -1, "/yes"));
  hear(conversation, encodeMessage(MESSAGE.writeClose, 4));
  assertEquals(closed, [7]);
  conversation.close();
  conversation.close();
  assertEquals(closed, [7, 7]);
});

Deno.test("what no known tmux says is a protocol error", () => {
  for (
    const message of [
      encodeMessage(MESSAGE.version),
      encodeMessage(207), // ready: a client that got a terminal
      encodeMessage(211), // a tmux before 3.1
      encodeMessage(9999),
      encodeMessage(MESSAGE.write, 8, text("never opened")),
      encodeMessage(MESSAGE.writeClose, 8),
      encodeMessage(MESSAGE.writeOpen, 1),
      encodeMessage(MESSAGE.write),
    ]
  ) {
    assertThrows(() => hear(start(), message), ProtocolError);
  }
});

Deno.test("random messages end in a reply, a protocol error or patience", () => {
  const types = Object.values(MESSAGE);
  const next = numbers(3);
  const outcomes = new Set<string>();
  for (let round = 0; round < 3000; round++) {
    const conversation = start();
    try {
      for (let count = next(6); count > 0 && conversation.reply === undefined; count--) {
        const integers = [next(4), next(4) - 1, 0].slice(0, next(4));
        hear(
          conversation,
          encodeMessage(types[next(types.length)] ?? 0, ...integers, new Uint8Array(next(9))),
        );
      }
      outcomes.add(conversation.reply === undefined ? "patience" : "reply");
    } catch (error) {
      assert(error instanceof ProtocolError, `${error}`);
      outcomes.add("error");
    }
    conversation.close();
  }
  assertEquals(outcomes.size, 3);
});

Deno.test("output past the limit is an error, not a full memory", () => {
  const conversation = start();
  hear(conversation, writeOpen(1, 1));
  const message = encodeMessage(MESSAGE.write, 1, new Uint8Array(16_000));
  const error = assertThrows(() => {
    for (let size = 0; size < 65 * 1024 * 1024; size += 16_000) hear(conversation, message);
  }, AppError);
  assertEquals(error.code, "tmux-error");
});
