import { assertEquals } from "@std/assert";
import { type Followed, Poller } from "../../src/ffi/poller.ts";
import type { Connection } from "../../src/ffi/sockets.ts";
import { SocketChannel } from "../../src/tmux_protocol/channel.ts";

const decoder = new TextDecoder();
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** An end that notes what is done with it; `room` is how many bytes a send takes at most. */
function notedEnd(fd: number, notes: string[], room = Infinity): Connection {
  return {
    fd,
    peerPid: 0,
    send(bytes) {
      const count = Math.min(room, bytes.length);
      notes.push(decoder.decode(bytes.subarray(0, count)));
      return count;
    },
    pass: () => 0,
    receive: () => "none yet",
    wait: async () => {},
    shutdown: () => void notes.push("shutdown"),
    close() {},
  };
}

function open(input: Connection, followed: (stream: Followed) => void = () => {}): SocketChannel {
  const silent = (fd: number): Connection => notedEnd(fd, []);
  const poller = new Poller({ pair: () => [silent(8), silent(9)], poll: () => new Promise(() => {}) });
  const follow = poller.follow.bind(poller);
  poller.follow = (stream) => (followed(stream), follow(stream));
  const ends = { connection: silent(3), input, output: silent(5) };
  return new SocketChannel(ends, { poller, buffer: new Uint8Array(64), release() {} });
}

Deno.test("lines of one turn are sent together, in their order", async () => {
  const sent: string[] = [];
  const channel = open(notedEnd(4, sent));
  channel.write(encode("one\n"));
  channel.write(encode("two\n"));
  await Promise.resolve();
  channel.write(encode("three\n"));
  await Promise.resolve();
  assertEquals(sent, ["one\ntwo\n", "three\n"]);
});

Deno.test("what does not fit is kept, and what comes after it", async () => {
  const sent: string[] = [];
  const streams: Followed[] = [];
  const channel = open(notedEnd(4, sent, 3), (stream) => streams.push(stream));
  void channel.read(() => {});
  channel.write(encode("abc\ndef\n"));
  await Promise.resolve();
  channel.write(encode("ghi\n"));
  await Promise.resolve();
  for (let tries = 0; tries < 10 && streams.some(({ wantsRoom }) => wantsRoom()); tries++) {
    for (const stream of streams) if (stream.wantsRoom()) stream.ready();
  }
  assertEquals(sent.join(""), "abc\ndef\nghi\n");
});
