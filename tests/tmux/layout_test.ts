import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { checkLayout, findLayoutProblem, layoutChecksum } from "../../src/tmux/layout.ts";

const SOUND = [
  "b25d,80x24,0,0,0",
  "80x24,0,0",
  "80x24,0,0{40x24,0,0,0,39x24,41,0,1}",
  "80x24,0,0[80x12,0,0{40x12,0,0,0,39x12,41,0,1},80x11,0,13,2]",
  "200x50,0,0{100x50,0,0,12,99x50,101,0[99x25,101,0,3,99x24,101,26,4]}",
];

const seal = (body: string): string => /^[0-9a-f]{4},/.test(body) ? body : `${layoutChecksum(body)},${body}`;

Deno.test("layout strings as tmux writes them are sound", () => {
  assertEquals(layoutChecksum("80x24,0,0,0"), "b25d");
  for (const layout of SOUND) assertEquals([layout, findLayoutProblem(seal(layout))], [layout, undefined]);
});

Deno.test("a layout string that is cut, continues, nests wrongly or does not add up is not", () => {
  const body = SOUND[3]!;
  const whole = "80x24,0,0";
  for (let at = 1; at < body.length; at++) {
    const cut = body.slice(0, at);
    assertEquals([cut, findLayoutProblem(seal(cut)) === undefined], [cut, cut === whole]);
  }
  for (
    const bad of [
      "80x24,0,0{80x24,0,0,0}",
      "80x24,0,0{40x24,0,0,0,40x24,41,0,1}",
      "0x24,0,0",
      "10001x24,0,0",
      "-1x2,0,0",
      `${body},`,
    ]
  ) {
    assertEquals(typeof findLayoutProblem(seal(bad)), "string", bad);
  }
  assertEquals(typeof findLayoutProblem(`ffff,${body}`), "string");
});

Deno.test("the mirrored layouts reach only a tmux that knows them: their names end the server of 3.3a", () => {
  for (const layout of ["main-horizontal-mirrored", "main-vertical-mirrored"]) {
    for (const version of ["3.5", "3.5a", "next-3.6", "3.8", "4.0"]) checkLayout(layout, version);
    for (const version of ["3.2a", "3.3a", "3.4"]) {
      const refused = assertThrows(() => checkLayout(layout, version), AppError, "neither a layout's name");
      assertEquals(refused.hint?.includes("mirrored"), false, refused.hint);
    }
  }
});

Deno.test("a layout in JSON reaches only a tmux that writes them so: it ends the server of 3.3a", () => {
  const layout = '{"V":2,"L":{"t":"p","w":80,"h":24,"x":0,"y":0,"a":true,"i":0,"I":"%0"}}';
  for (const version of ["3.8", "next-3.8", "3.10", "4.0"]) checkLayout(layout, version);
  for (const version of ["3.2a", "3.3a", "3.4", "3.7c"]) assertThrows(() => checkLayout(layout, version));
});
