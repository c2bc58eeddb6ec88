// The replacement for jsr:@std/path behaves as node:path does, or, if they differ, as @std/path does.
import { assertEquals, assertThrows } from "@std/assert";
import * as own from "@std/path";
import * as node from "node:path";
import { pathToFileURL } from "node:url";

const NAMES = [
  "",
  "/",
  ".",
  "..",
  "a",
  "b c",
  "a/",
  "../x",
  "./y",
  "é",
  "a.ts",
  "..a",
  "%41",
  "x?y#z",
  "a\\b",
];
const PATHS = [...NAMES, ...NAMES.slice(4).flatMap((name) => [`/${name}`, `a/${name}`, `/a/../${name}`])];

for (const path of PATHS) {
  Deno.test(`the path ${JSON.stringify(path)} is read as node reads it`, () => {
    assertEquals(own.normalize(path), node.normalize(path));
    assertEquals(own.dirname(path), node.dirname(path));
    assertEquals(own.resolve(path), node.resolve(path));
    assertEquals(own.isAbsolute(path), node.isAbsolute(path));
    assertEquals(own.toFileUrl(path).href, pathToFileURL(node.resolve(path)).href);
    assertEquals(own.fromFileUrl(own.toFileUrl(path)), node.resolve(path));
    if (path !== "/") assertEquals(own.basename(path, ".ts"), node.basename(path, ".ts"));
    for (const other of NAMES) {
      assertEquals(own.join(path, other), node.join(path, other));
      assertEquals(own.resolve(path, other), node.resolve(path, other));
      assertEquals(own.relative(path, other), node.relative(path, other));
    }
  });
}

Deno.test("the root's name is the root, and slashes in a row are one", () => {
  assertEquals([own.basename("/"), own.dirname("/a//b")], ["/", "/a"]);
  assertThrows(() => own.fromFileUrl("https://example.test/x"), TypeError);
});
