// The moving picture: each text of a recording shows when it was on the screen, and the last one where nothing may move.
import { assert, assertEquals } from "@std/assert";
import { drawFilm } from "../../../scripts/show/film.ts";
import { THEMES } from "../../../src/terminal/pictures/theme.ts";

const CAST = [
  { version: 2, width: 20, height: 3 },
  [0, "o", "stays\r\n"],
  [0.01, "o", "first"],
  [1.01, "o", "\r\x1b[2Ksecond"],
].map((line) => JSON.stringify(line)).join("\n");

Deno.test("a moving picture shows each row while the recording had it", async () => {
  const svg = await drawFilm(CAST, THEMES.dark);
  const group = (text: string): string => new RegExp(`<g style="[^"]*">(?:(?!</g>).)*${text}`).exec(svg)![0];
  const rules = (text: string): string => {
    const name = /animation-name:(\w+)/.exec(group(text))![1];
    return new RegExp(`@keyframes ${name}\\{((?:[\\d.]+%\\{[^}]*\\})*)\\}`).exec(svg)![1]!;
  };
  // One second of "first", then five of the last frame.
  assert(svg.includes("animation:6.00s"), svg);
  assertEquals(rules("first"), "0%{visibility:visible}16.667%{visibility:hidden}");
  assertEquals(rules("second"), "0%{visibility:hidden}16.667%{visibility:visible}100%{visibility:hidden}");
  assert(group("first").includes('visibility:hidden"') && !group("second").includes('visibility:hidden"'));
  assertEquals(/<g [^>]*>(?:(?!<\/g>).)*stays/.test(svg), false);
  assertEquals(svg.match(/<g /g)!.length, svg.match(/<\/g>/g)!.length);
});
