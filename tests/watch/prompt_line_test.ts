import { assertEquals } from "@std/assert";
import { isSamePromptElsewhere } from "../../src/watch/prompt_line.ts";

const SAME = [
  ["/ # ", "/app # "],
  ["root@OpenWrt:~# ", "root@OpenWrt:/tmp# "],
  ["generic:/ $ ", "130|generic:/sdcard $ "],
  ["~/work> ", "/> "],
  ["$ ", "$ "],
];

const OTHER = [
  ["/ # ", "postgres=# "],
  ["~> ", ">>> "],
  ["host$ ", "other$ "],
  ["$ ", "$  "],
  ["", ""],
];

Deno.test("a prompt is the same in another folder and after another exit code, and no other is", () => {
  for (const [pairs, expected] of [[SAME, true], [OTHER, false]] as const) {
    for (const [one = "", other = ""] of pairs) {
      assertEquals([one, other, isSamePromptElsewhere(one, other)], [one, other, expected]);
    }
  }
});
