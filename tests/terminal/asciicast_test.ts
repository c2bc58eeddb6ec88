// Recordings follow the published asciicast v2 format and play back what the pane showed.
import { assert, assertEquals } from "@std/assert";
import { AsciicastEncoder } from "../../src/terminal/asciicast.ts";
import { openEmulator } from "../../src/terminal/emulator.ts";
import { parseScreen } from "../../src/terminal/screen.ts";
import { placed, readFixture } from "./fixture.ts";

const encoder = new TextEncoder();
const START = { columns: 80, rows: 24, startedAt: 1_700_000_000.75 };

type Event = [time: number, code: string, data: string];

/** Checks a recording against the format: newline-delimited JSON, a header object, events in order of time. */
function parse(recording: string): { header: Record<string, unknown>; events: Event[] } {
  assert(recording.endsWith("\n"));
  const [first, ...rest] = recording.slice(0, -1).split("\n").map((line) => JSON.parse(line));
  assertEquals(first.version, 2);
  for (const key of ["width", "height", "timestamp"]) {
    assert(Number.isInteger(first[key]) && first[key] > 0, key);
  }
  let latest = 0;
  for (const event of rest) {
    assert(Array.isArray(event) && event.length === 3);
    const [time, code, data] = event;
    assert(typeof time === "number" && time >= latest);
    assert(["o", "i", "m", "r"].includes(code));
    assertEquals(typeof data, "string");
    if (code === "r") assert(/^\d+x\d+$/.test(data));
    latest = time;
  }
  return { header: first, events: rest };
}

Deno.test("asciicast: header and events", () => {
  const cast = new AsciicastEncoder({ ...START, title: "pane %1" });
  const recording = cast.header() + cast.output(encoder.encode("a\x1b[31m\r\n"), 0.1) +
    cast.resize(100, 30, 0.25) +
    cast.output(encoder.encode('"\\\u2028'), 1.0000004);
  const { header, events } = parse(recording);
  assertEquals(header, {
    version: 2,
    width: 80,
    height: 24,
    timestamp: 1_700_000_000,
    title: "pane %1",
  });
  assertEquals(events, [[0.1, "o", "a\x1b[31m\r\n"], [0.25, "r", "100x30"], [1, "o", '"\\\u2028']]);
});

Deno.test("asciicast: characters cut between chunks are whole in the recording", () => {
  const text = "é日🙂".repeat(3);
  const cast = new AsciicastEncoder(START);
  const bytes = encoder.encode(text);
  let recording = cast.header();
  bytes.forEach((byte, n) => recording += cast.output(new Uint8Array([byte]), n / 10));
  const { events } = parse(recording + cast.finish(9));
  assertEquals(events.map(([, , data]) => data), [...text]);
});

Deno.test("asciicast: C1 controls, which a player would obey and tmux does not, are left out", () => {
  const cast = new AsciicastEncoder(START);
  const text = "â\u0080\u009db";
  const recording = cast.header() + cast.screen(placed({ text, columns: 80, rows: 24 })) +
    cast.output(encoder.encode(text), 1);
  const [first, second] = parse(recording).events;
  assert(first![2].includes("âb"), first![2]);
  assertEquals(second![2], "âb");
});

Deno.test("asciicast: bytes that are no character are replaced, at the end too", () => {
  const cast = new AsciicastEncoder(START);
  const recording = cast.header() + cast.output(new Uint8Array([0x61, 0xff, 0xe2, 0x82]), 1) + cast.finish(2);
  assertEquals(parse(recording).events, [[1, "o", "a\ufffd"], [2, "o", "\ufffd"]]);
});

Deno.test("asciicast: tmux's own title sequence is not printed by players", () => {
  const cast = new AsciicastEncoder(START);
  const recording = cast.header() + cast.output(encoder.encode("a\x1b"), 1) +
    cast.output(encoder.encode("kt\x1b\\b"), 2);
  assertEquals(parse(recording).events.map(([, , data]) => data).join(""), "a\x1b_t\x1b\\b");
});

Deno.test("asciicast: time never goes back", () => {
  const cast = new AsciicastEncoder(START);
  const recording = cast.header() + cast.output(encoder.encode("a"), 2) +
    cast.output(encoder.encode("b"), 1.5);
  assertEquals(parse(recording).events.map(([time]) => time), [2, 2]);
});

for (const name of ["htop", "vim", "dialog"] as const) {
  Deno.test(`asciicast: begins with the screen as it was: ${name}`, async () => {
    const capture = placed(await readFixture(name));
    const cast = new AsciicastEncoder({ ...START, columns: capture.columns, rows: capture.rows });
    const { events } = parse(cast.header() + cast.screen(capture));
    const terminal = await openEmulator(capture);
    await new Promise<void>((resolve) => terminal.write((events[0] as Event)[2], resolve));
    const { rows } = await parseScreen(capture);
    const expected = rows.map((cells) => cells.map((cell) => cell.text).join("").trimEnd());
    const shown = rows.map((_, row) => terminal.buffer.active.getLine(row)?.translateToString().trimEnd());
    const { cursorX, cursorY } = terminal.buffer.active;
    if (capture.cursor) assertEquals([cursorX, cursorY], [capture.cursor.column, capture.cursor.row]);
    terminal.dispose();
    assertEquals(shown, expected);
  });
}
