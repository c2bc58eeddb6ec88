import { assertEquals } from "@std/assert";
import { isKeyName } from "../../src/tmux/typing/key_names.ts";
import { keyName, Typist } from "../../views/typing.js";

const pressed = (key: string, held = "") => ({
  key,
  ctrlKey: held.includes("C"),
  altKey: held.includes("A"),
  shiftKey: held.includes("S"),
  metaKey: held.includes("M"),
});

Deno.test("keys have the names that tmux presses", () => {
  const names: [string, string, string | undefined][] = [
    ["Enter", "", "Enter"],
    ["Enter", "S", "Enter"],
    ["Backspace", "", "BSpace"],
    ["Tab", "S", "BTab"],
    ["ArrowUp", "", "Up"],
    ["ArrowRight", "CS", "C-S-Right"],
    ["PageDown", "A", "M-NPage"],
    ["F12", "", "F12"],
    ["c", "C", "C-c"],
    [" ", "C", "C-Space"],
    ["B", "AS", "M-B"],
    ["x", "CA", "C-M-x"],
    ["é", "", undefined],
    ["A", "S", undefined],
    ["V", "CS", undefined],
    ["v", "M", undefined],
    ["Shift", "S", undefined],
  ];
  for (const [key, held, name] of names) {
    assertEquals([key, held, keyName(pressed(key, held), false)], [key, held, name]);
    if (name !== undefined) assertEquals([name, isKeyName(name)], [name, true]);
  }
  assertEquals(keyName(pressed("å", "A"), true), undefined, "A Mac's Option composes");
  assertEquals(keyName(pressed("ArrowLeft", "A"), true), "M-Left");
});

Deno.test("what is typed is sent in order, one call at a time, text together", async () => {
  const sent: string[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const typist = new Typist(
    (kind: string, text: string) => {
      sent.push(`${kind} ${text}`);
      gates.push(Promise.withResolvers());
      return gates.at(-1)!.promise;
    },
    () => {},
  );
  for (const letter of "abc") typist.type("text", letter);
  typist.type("key", "Enter");
  typist.type("text", "d");
  assertEquals(sent, ["text a"]);
  for (let i = 0; i < 4; i++) {
    gates[i]!.resolve();
    await new Promise((resolve) => setTimeout(resolve));
  }
  assertEquals(sent, ["text a", "text bc", "key Enter", "text d"]);
});

Deno.test("after a refusal nothing of what waited is sent", async () => {
  const sent: string[] = [];
  const failed = Promise.withResolvers<Error>();
  const typist = new Typist((_kind: string, text: string) => {
    sent.push(text);
    return text === "a" ? Promise.reject(new Error("no")) : Promise.resolve();
  }, failed.resolve as never);
  typist.type("text", "a");
  typist.type("key", "Enter");
  assertEquals((await failed.promise).message, "no");
  typist.type("text", "b");
  assertEquals(sent, ["a", "b"]);
});
