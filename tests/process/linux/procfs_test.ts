import { deviceNumber } from "../../../src/process/linux/device_numbers.ts";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { parseBlockedCall, parseStat } from "../../../src/process/linux/proc.ts";
import { parseDirectory, ProcFs } from "../../../src/process/linux/procfs.ts";
import { openSystemLibc } from "../system_libc.ts";

const STAT_TAIL =
  "4194304 161 0 1 0 0 0 0 0 20 0 3 0 154390 2654208 385 18446744073709551615 1 2 3 0 0 0 0 65538 1 " +
  "0 0 0 17 0 0 0 0 0 0 1 2 3 4 5 6 7 768";

Deno.test("parseStat() reads the fields after the last parenthesis of the name", () => {
  const stat = parseStat(`4711 (a) R (b) S 42 4700 4699 34817 4711 ${STAT_TAIL}\n`);
  assertEquals(stat, {
    pid: 4711,
    thread: 4711,
    comm: "a) R (b",
    state: "S",
    parent: 42,
    group: 4700,
    session: 4699,
    terminal: deviceNumber(136, 1),
    foregroundGroup: 4711,
    ranMs: 0,
    forked: false,
    threads: 3,
    startTime: "154390",
    stack: "3",
    codeBytes: 1,
    exitStatus: 768,
    blocksChildren: false,
    traceable: false,
  });
});

Deno.test("parseStat() takes a name with a newline and a process without a terminal", () => {
  const stat = parseStat(`9 (x\ny) Z 1 9 9 0 -1 ${STAT_TAIL}\n`);
  assertEquals([stat?.comm, stat?.state, stat?.terminal, stat?.foregroundGroup], ["x\ny", "Z", 0, -1]);
});

Deno.test("parseStat() knows a copy of its parent that has run no program of its own", () => {
  const copy = STAT_TAIL.replace(/^4194304 /, `${4194304 + 0x40} `);
  assertEquals(parseStat(`9 (bash) S 1 9 9 34817 9 ${copy}\n`)?.forked, true);
});

Deno.test("parseStat() reads nothing from what is not a stat line", () => {
  assertEquals(parseStat("12 (short) S 1 2"), undefined);
  assertEquals(parseStat("no parentheses at all"), undefined);
});

Deno.test("parseBlockedCall() reads number and arguments, and nothing while running", () => {
  assertEquals(parseBlockedCall("0 0x3 0x7ffd562e5c8c 0x0 0x0 0x1 0x1 0x7ffd562e5c78 0x7f9b2e14bbd3\n"), {
    number: 0,
    args: [3n, 0x7ffd562e5c8cn, 0n, 0n, 1n, 1n],
    stack: 0x7ffd562e5c78n,
  });
  assertEquals(parseBlockedCall("running\n"), undefined);
  assertEquals(parseBlockedCall("-1 0x7ffd562e5c78 0x7f9b2e14bbd3\n"), undefined);
});

Deno.test("deviceNumber() packs high minors as the kernel does", () => {
  assertEquals(deviceNumber(136, 3), 34819);
  assertEquals(deviceNumber(136, 300), (300 & 0xff) | (136 << 8) | (1 << 20));
});

Deno.test("parseDirectory() reads names off directory records", () => {
  const bytes = new Uint8Array(48);
  const view = new DataView(bytes.buffer);
  view.setUint16(16, 24, true);
  bytes.set(new TextEncoder().encode("12\0"), 19);
  view.setUint16(24 + 16, 24, true);
  bytes.set(new TextEncoder().encode("345\0"), 24 + 19);
  assertEquals(parseDirectory(bytes), ["12", "345"]);
  assertEquals(parseDirectory(new Uint8Array(0)), []);
});

Deno.test({
  name: "a read without a descriptor is busy, and one of a process that is gone is nothing",
  ignore: Deno.build.os !== "linux",
  fn() {
    const libc = openSystemLibc();
    const proc = new ProcFs(libc);
    assertEquals(proc.stat(2 ** 30), undefined);
    // Its first read, of a file of its own, still finds a descriptor.
    const full = (errno: number) => {
      let opened = 0;
      return new ProcFs({
        ...libc,
        open: (path) => opened++ === 0 ? libc.open(path) : -1,
        errno: () => errno,
      });
    };
    for (const errno of [23, 24]) {
      for (const read of [(each: ProcFs) => each.stat(1), (each: ProcFs) => each.threads(1)]) {
        assertEquals(assertThrows(() => read(full(errno)), AppError).code, "busy");
      }
    }
    libc.unload();
  },
});

Deno.test({
  name: "text() reads a file of any length",
  ignore: Deno.build.os !== "linux",
  fn() {
    const libc = openSystemLibc();
    const text = new ProcFs(libc).text("self/smaps")!;
    assert(text.length > 65_536, `${text.length}`);
    assertMatch(text, /\nVmFlags:.*\n$/);
    libc.unload();
  },
});
