import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  decodeIntegers,
  encodeMessage,
  MESSAGE,
  MessageReader,
  ProtocolError,
} from "../../src/tmux_protocol/imsg.ts";
import { numbers } from "../support/random.ts";

function fill(reader: MessageReader, bytes: Uint8Array): void {
  reader.space.set(bytes);
  reader.filled(bytes.length);
}

Deno.test("a message is laid out as tmux 3.3a's own client was seen to send it", () => {
  const header = [200, 0, 0, 0, 34, 0, 0, 0, 8, 0, 0, 0, 255, 255, 255, 255];
  const argv = [...new TextEncoder().encode("list-panes\0-a\0")];
  assertEquals([...encodeMessage(MESSAGE.command, 2, "list-panes", "-a")], [...header, 2, 0, 0, 0, ...argv]);
});

Deno.test("messages come out whole whatever the pieces they arrive in", () => {
  const next = numbers(1);
  for (let round = 0; round < 50; round++) {
    const sent = Array.from({ length: 20 }, () => ({
      type: next(400),
      payload: Uint8Array.from({ length: next(2) === 0 ? next(20) : next(16369) }, () => next(256)),
    }));
    const stream = sent.flatMap(({ type, payload }) => [...encodeMessage(type, payload)]);
    const reader = new MessageReader();
    const got: { type: number; payload: Uint8Array }[] = [];
    for (let at = 0; at < stream.length;) {
      const size = Math.min(reader.space.length, 1 + next(next(2) === 0 ? 30 : 40_000));
      fill(reader, Uint8Array.from(stream.slice(at, at + size)));
      at += size;
      for (let message = reader.next(); message !== undefined; message = reader.next()) {
        got.push({ type: message.type, payload: message.payload.slice() });
      }
      assert(reader.space.length > 0);
    }
    assertEquals(got, sent);
  }
});

Deno.test("garbage is refused or waited on, never read past its end", () => {
  const next = numbers(2);
  let refused = 0;
  for (let round = 0; round < 2000; round++) {
    const reader = new MessageReader();
    fill(reader, Uint8Array.from({ length: next(200) }, () => next(next(2) === 0 ? 256 : 3)));
    try {
      for (let message = reader.next(); message !== undefined; message = reader.next()) {
        assert(message.payload.length <= 200);
      }
    } catch (error) {
      assert(error instanceof ProtocolError);
      refused++;
    }
  }
  assert(refused > 100);
});

Deno.test("a message shorter than its header or longer than tmux's limit is refused", () => {
  for (const size of [0, 15, 16385, 0x80000010]) {
    const reader = new MessageReader();
    const message = encodeMessage(1, new Uint8Array(8));
    new DataView(message.buffer).setUint32(4, size, true);
    fill(reader, message);
    assertThrows(() => reader.next(), ProtocolError);
  }
});

Deno.test("a payload too short for its integers is refused", () => {
  assertEquals(decodeIntegers(encodeMessage(1, 7, -1).subarray(16), 2), [7, -1]);
  assertThrows(() => decodeIntegers(new Uint8Array(7), 2), ProtocolError);
});
