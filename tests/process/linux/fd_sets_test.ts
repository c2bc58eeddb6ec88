import { assertEquals } from "@std/assert";
import {
  parseEpollMembers,
  parsePollSet,
  parseSelectSet,
  selectSetSize,
} from "../../../src/process/linux/fd_sets.ts";

const POLLIN = 0x1;
const POLLPRI = 0x2;
const POLLOUT = 0x4;
const POLLRDNORM = 0x40;

function pollSet(...entries: [fd: number, events: number][]): Uint8Array {
  const bytes = new Uint8Array(entries.length * 8);
  const view = new DataView(bytes.buffer);
  entries.forEach(([fd, events], index) => {
    view.setInt32(index * 8, fd, true);
    view.setInt16(index * 8 + 4, events, true);
  });
  return bytes;
}

Deno.test("parsePollSet() keeps what is waited for to be read", () => {
  const set = pollSet([0, POLLIN], [1, POLLOUT], [-1, POLLIN], [5, POLLRDNORM | POLLOUT], [6, 0], [
    7,
    POLLPRI,
  ]);
  assertEquals(parsePollSet(set), [0, 5]);
  assertEquals(parsePollSet(new Uint8Array(0)), []);
});

Deno.test("parsePollSet() ignores a cut last entry", () => {
  assertEquals(parsePollSet(pollSet([3, POLLIN], [4, POLLIN]).subarray(0, 13)), [3]);
});

Deno.test("parseSelectSet() reads bits below the count only", () => {
  const set = new Uint8Array(16);
  set[0] = 0b0000_1001;
  set[8] = 0b0000_0010;
  assertEquals(parseSelectSet(set, 66), [0, 3, 65]);
  assertEquals(parseSelectSet(set, 65), [0, 3]);
  assertEquals(parseSelectSet(set, 0), []);
  assertEquals([selectSetSize(1), selectSetSize(64), selectSetSize(65)], [8, 8, 16]);
});

Deno.test("parseEpollMembers() takes readable members, hexadecimal masks, and leaves spent one-shots out", () => {
  const fdinfo = [
    "pos:\t0",
    "flags:\t02000002",
    "mnt_id:\t16",
    "ino:\t1062",
    "tfd:        0 events:       19 data:                0  pos:0 ino:4 sdev:1f",
    "tfd:       14 events:        4 data:                e  pos:0 ino:5 sdev:1f",
    "tfd:       15 events: 80000001 data:                f  pos:0 ino:5 sdev:1f",
    "tfd:       16 events: 40000000 data:               10  pos:0 ino:5 sdev:1f",
    "",
  ].join("\n");
  assertEquals(parseEpollMembers(fdinfo), [0, 15]);
  assertEquals(parseEpollMembers("pos:\t0\n"), []);
});
