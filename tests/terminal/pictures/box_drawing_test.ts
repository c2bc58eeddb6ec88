// Box drawing: lines reach the cell's edges where they should join, and no others.
import { assertEquals } from "@std/assert";
import { findShape } from "../../../src/terminal/pictures/box_drawing.ts";

const BOX = { x: 100, y: 200, width: 10, height: 20 };

/** The edges of the cell that the filled rectangles of a character touch. */
function edges(character: string): string {
  const numbers = rectangles(character);
  const touched = [
    numbers.some(([x]) => x === 100) && "left",
    numbers.some(([, y]) => y === 200) && "up",
    numbers.some(([, , right]) => right === 110) && "right",
    numbers.some(([, , , bottom]) => bottom === 220) && "down",
  ];
  return touched.filter((edge) => edge !== false).join(" ");
}

function rectangles(character: string): [number, number, number, number][] {
  const path = findShape(character, BOX)?.path ?? "";
  return [...path.matchAll(/M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H[\d.]+Z/g)].map(([, ...numbers]) =>
    numbers.map(Number) as [number, number, number, number]
  );
}

const EDGES: Record<string, string> = {
  "─━═": "left right",
  "│┃║": "up down",
  "┌┏╔╓╒": "right down",
  "┐┓╗╖╕": "left down",
  "└┗╚╙╘": "up right",
  "┘┛╝╜╛": "left up",
  "├┣╠╟╞┠┝": "up right down",
  "┤┫╣╢╡": "left up down",
  "┬┳╦╥╤": "left right down",
  "┴┻╩╨╧": "left up right",
  "┼╋╬╫╪╂┿": "left up right down",
  "╴╸": "left",
  "╵╹": "up",
  "╶╺": "right",
  "╷╻": "down",
  "▀▔": "left up right",
  "▄▁": "left right down",
  "█": "left up right down",
  "▌▏": "left up down",
  "▐▕": "up right down",
  "▘": "left up",
  "▟": "left up right down",
};

Deno.test("box drawing: lines and blocks touch the right edges", () => {
  for (const [characters, expected] of Object.entries(EDGES)) {
    for (const character of characters) {
      assertEquals(edges(character), expected, character);
    }
  }
});

Deno.test("box drawing: rectangles wind one way, so that overlaps stay filled", () => {
  for (let code = 0x2500; code <= 0x259f; code++) {
    for (const [x, y, right, bottom] of rectangles(String.fromCharCode(code))) {
      assertEquals(right > x && bottom > y, true, code.toString(16));
    }
  }
});

Deno.test("box drawing: every character of the blocks has a shape, its neighbours none", () => {
  for (let code = 0x2500; code <= 0x259f; code++) {
    assertEquals(findShape(String.fromCharCode(code), BOX)?.path.startsWith("M"), true, code.toString(16));
  }
  assertEquals(findShape("\u24ff", BOX), undefined);
  assertEquals(findShape("\u25a0", BOX), undefined);
  assertEquals(findShape("a", BOX), undefined);
});

Deno.test("box drawing: a double corner has an outer and an inner line", () => {
  const corners = rectangles("╔").map(([x, y]) => [x, y]);
  assertEquals(corners, [[103, 208], [107, 212], [103, 208], [107, 212]]);
});

Deno.test("box drawing: shades are see-through", () => {
  assertEquals([..."░▒▓"].map((shade) => findShape(shade, BOX)?.opacity), [0.25, 0.5, 0.75]);
});
