// An excerpt of a long text is text again, wherever it is cut.
import { assertEquals } from "@std/assert";
import { beginningOf, bothEnds, endOf, excerpt, excerptBytes } from "../src/excerpt.ts";

Deno.test("a text that fits is shown whole", () => {
  assertEquals(excerpt("four", 4), "four");
  assertEquals(bothEnds("four", { first: 3, last: 1 }), "four");
});

Deno.test("a long text is cut between characters", () => {
  assertEquals(excerpt("a long one", 4), "a lo…");
  assertEquals(excerpt("ab😀😀", 2), "ab…");
  assertEquals(excerpt("ab😀😀", 3), "ab…");
  assertEquals(excerpt("ab😀😀", 4), "ab😀…");
});

Deno.test("a text is cut to bytes of UTF-8, between characters", () => {
  assertEquals(excerptBytes("naïve", 6), "naïve");
  assertEquals(excerptBytes("naïve", 5), "na…");
  assertEquals(excerptBytes("正在编译", 9), "正在…");
  assertEquals(excerptBytes("😀😀", 7), "😀…");
  assertEquals(excerptBytes("😀😀", 6), "…");
});

Deno.test("of both ends too each is whole", () => {
  assertEquals(bothEnds("0123456789", { first: 2, last: 3 }), "01…789");
  assertEquals(bothEnds("😀😀😀😀", { first: 3, last: 3 }), "😀…😀😀");
});

Deno.test("a beginning or an end has at most so many units, all of whole characters", () => {
  assertEquals([beginningOf("four", 4), endOf("four", 4)], ["four", "four"]);
  assertEquals([2, 3, 4].map((max) => beginningOf("ab😀c", max)), ["ab", "ab", "ab😀"]);
  assertEquals([2, 3, 4].map((max) => endOf("a😀bc", max)), ["bc", "bc", "😀bc"]);
});
