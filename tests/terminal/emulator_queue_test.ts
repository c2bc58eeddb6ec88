// Output that comes faster than the emulator renders it.
import { assert, assertEquals } from "@std/assert";
import { MemoryLines } from "../../src/terminal/memory_lines.ts";
import { TextRenderer } from "../../src/terminal/text.ts";

const encoder = new TextEncoder();
const NOTE = "[output is missing here: it could not be read as fast as it was printed]";
const LAST = 9999;

interface Flooded {
  lines: string[];
  isLossy: boolean;
}

/** Renders `before` in the emulator, and then many lines at once. */
async function flood(before: string, maxWaiting: number): Promise<Flooded> {
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 100, rows: 5, maxWaiting }, store);
  renderer.push(encoder.encode(before));
  await renderer.flush();
  for (let n = 0; n <= LAST; n++) {
    renderer.push(encoder.encode(`${n}\r\n`));
    if (n % 3000 === 0) renderer.resize(100 + n % 7, 5);
  }
  await renderer.finish();
  const { text } = store.read(0, { lines: Infinity, bytes: Infinity });
  return { lines: text.split("\n"), isLossy: renderer.isLossy };
}

function numbers(from: number): string[] {
  return Array.from({ length: LAST - from + 1 }, (_, n) => `${from + n}`);
}

Deno.test("output that waits is rendered as a whole up to a limit", async () => {
  assertEquals(await flood("\x1b[Afirst\r\n", 1e6), { lines: ["first", ...numbers(0)], isLossy: false });
});

Deno.test("beyond it the middle is dropped, and a line says so", async () => {
  const { lines: [first, gap, ...rest], isLossy } = await flood("\x1b[Afirst", 10_000);
  assertEquals([first, gap, isLossy], ["first", NOTE, true]);
  assert(rest.length > 500 && rest.length < 2000, `${rest.length} lines`);
  assertEquals(rest, numbers(Number(rest[0])));
});

Deno.test("a sequence that the gap cuts does not hide that line", async () => {
  for (const cut of ["\x1b[3", "\x1b]0;title", "\x1bP1$r"]) {
    const { lines: [first, gap] } = await flood(`\x1b[Afirst${cut}`, 10_000);
    assertEquals([first, gap], ["first", NOTE]);
  }
});

Deno.test("a switch of screens in the gap takes effect", async () => {
  const [enter, leave] = ["\x1b[?1049h", "\x1b[?1049l"];
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 100, rows: 5, maxWaiting: 10_000 }, store);
  const push = async (text: string) => {
    for (let at = 0; at < text.length; at += 3) renderer.push(encoder.encode(text.slice(at, at + 3)));
    await renderer.flush();
  };
  await push(`first\r\n${enter}`);
  await push(`${leave}${"\r\n".repeat(6000)}second\r\n`);
  assertEquals([renderer.isLossy, renderer.onAlternateScreen], [true, false]);
  await push(`${enter}${"x".repeat(12_000)}`);
  assertEquals(renderer.onAlternateScreen, true);
  await push(`${leave}last`);
  await renderer.finish();
  const { text } = store.read(0, { lines: Infinity, bytes: Infinity });
  assertEquals(text.split("\n").filter((line) => line !== ""), ["first", NOTE, "second", NOTE, "last"]);
});
