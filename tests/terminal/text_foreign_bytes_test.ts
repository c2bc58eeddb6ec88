// No output of a program may cost more than a constant times its length, whatever its sequences ask for.
import { assert, assertEquals } from "@std/assert";
import { MemoryLines } from "../../src/terminal/memory_lines.ts";
import { TextRenderer } from "../../src/terminal/text.ts";

const encoder = new TextEncoder();

async function render(text: string, chunk = Infinity): Promise<string> {
  const bytes = encoder.encode(text);
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 20, rows: 5 }, store);
  for (let at = 0; at < bytes.length; at += chunk) renderer.push(bytes.subarray(at, at + chunk));
  await renderer.finish();
  return store.read(0, { lines: Infinity, bytes: Infinity }).text;
}

const COUNTED = "@ABCDEFGHILMPSTXZ`abdefr";
const SPELLINGS: [name: string, spell: (count: string, final: string) => string][] = [
  ["plain", (count, final) => `\x1b[${count}${final}`],
  ["with leading zeros", (count, final) => `\x1b[${"0".repeat(200)}${count}${final}`],
  ["with a line feed inside", (count, final) => `\x1b[${count.slice(0, 2)}\n${count.slice(2)}${final}`],
  ["with a bell after ESC", (count, final) => `\x1b\x07[${count}${final}`],
  ["as a C1 control", (count, final) => `\x9b${count}${final}`],
  ["as a second number", (count, final) => `\x1b[1;${count}${final}`],
  ["inside a title", (count, final) => `\x1b]0;t\x1b[${count}${final}`],
];

for (const [name, spell] of SPELLINGS) {
  Deno.test(`foreign bytes: counts beyond the screen, ${name}, wherever they are cut`, async () => {
    const text = [...COUNTED].map((final) => `a\r\nb${spell("999999999", final)}c`).join("");
    const whole = await render(text);
    for (const chunk of [1, 7]) assertEquals(await render(text, chunk), whole);
  });
}

Deno.test("foreign bytes: a count as large as the screen does what a larger one does", async () => {
  const with_ = (count: string) =>
    [...COUNTED].map((final) => `one\r\ntwo\x1b[1;3H\x1b[${count}${final}three\r\n`).join("");
  assertEquals(await render(with_("2000000000")), await render(with_("20")));
});

Deno.test("foreign bytes: no sequence fails in a corner of the screen", async () => {
  const bytes = Array.from({ length: 0x4f }, (_, index) => String.fromCharCode(0x30 + index));
  const finals = bytes.filter((byte) => byte >= "@");
  const counts = ["", "1", "2", "3", "?1", "?2", "99", "!", "1;1"];
  const all = [
    ...bytes.filter((byte) => !"P[]X^_k".includes(byte)).map((byte) => `\x1b${byte}`),
    ...finals.flatMap((final) => counts.map((count) => `\x1b[${count}${final}`)),
  ];
  for (const corner of ["1;1", "1;20", "5;1", "5;20"]) {
    const at = `\x1b[${corner}H`;
    await render(all.map((sequence) => `${at}${sequence}${at}x${sequence}`).join(""));
  }
});

Deno.test("foreign bytes: a line that wraps without end stays bounded", async () => {
  const text = await render("\x1b[2;1H" + "x".repeat(3 << 20));
  assert(Math.max(...text.split("\n").map((line) => line.length)) <= (1 << 20) + 200);
  assertEquals(text.replaceAll("\n", "").length, 3 << 20);
});

Deno.test("foreign bytes: random sequences end, and are the same text however they are cut", async () => {
  const random = generator(20261122);
  for (let round = 0; round < 40; round++) {
    const text = Array.from({ length: 400 }, () => piece(random)).join("");
    assertEquals(
      await render(text, 1 + random(9)),
      await render(text),
      `round ${round}: ${JSON.stringify(text)}`,
    );
  }
});

/** A stream of whole numbers below what is asked for (mulberry32). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function piece(random: (below: number) => number): string {
  const pick = (from: string): string => from[random(from.length)]!;
  const number = () => "9".repeat(random(12)) + random(100);
  switch (random(8)) {
    case 0:
      return "text 漢字 e\u0301".slice(random(6));
    case 1:
      return pick("\r\n\b\t\x07\x0b\x0c\x0e\x0f\x18\x1a\x1b");
    case 2:
      return `\x1b${pick("789=>cDEHMNOZ#%()*+-./")}`;
    case 3:
      return `\x1b${pick("]PX^_k")}${"payload".repeat(random(4))}${pick("\x07\x18")}\x1b\\`;
    case 4:
      return "\u0301".repeat(random(200));
    default: {
      const numbers = Array.from({ length: random(4) }, number).join(pick(";:"));
      const final = String.fromCharCode(0x40 + random(0x3f));
      return `\x1b[${pick("   ?>=")}${numbers}${pick("    '\"$!")}${final}`.replaceAll(" ", "");
    }
  }
}
