import { assertEquals } from "@std/assert";
import {
  isKeyName,
  isNamedKey,
  KEY_NAMES,
  type KeySending,
  substituteFor,
} from "../../../src/tmux/typing/key_names.ts";
import { createProcessExec } from "../../../src/tmux/spawn.ts";
import { until } from "../../support/until.ts";
import { privateTmux } from "../private_tmux.ts";

const PRINTABLE = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));

const WORDS = [
  ...PRINTABLE.flatMap((key) => [key, `C-${key}`, `M-${key}`]),
  ..."F1 F12 F13 IC Insert DC Delete Home End NPage PageDown PgDn PPage PageUp PgUp Tab BTab Space".split(
    " ",
  ),
  ..."BSpace Enter Escape Up Down Left Right KP/ KP* KP- KP7 KP+ KPEnter KP0 KP. KP KPx enter ESCAPE".split(
    " ",
  ),
  ..."C-Space C-@ C-Up C-S-Left c-a m-x C- M- C-M- ^ S-Tab C-é é M-é 日 ls Entr Return Esc C-Entr ab".split(
    " ",
  ),
];

Deno.test("the words taken for keys are those that tmux takes for keys", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const bind = (word: string) => ["bind-key", "-T", "probe", word, "display-message"];
  // A command that fails ends its batch, so only those that must succeed share one.
  const keys = WORDS.filter(isKeyName);
  for (let at = 0; at < keys.length; at += 100) {
    const { code, stderr } = await exec(keys.slice(at, at + 100).map(bind));
    assertEquals([code, stderr], [0, ""]);
  }
  for (const word of WORDS.filter((each) => !isKeyName(each))) {
    const { code } = await exec([bind(word)]);
    // tmux 3.3a knows fewer characters under Ctrl than later ones, and none is to be typed as text there.
    const isLater = /C-.$/.test(word);
    assertEquals([word, code === 0 && !isLater], [word, false]);
  }
});

const MODIFIERS = ["", "C-", "M-", "S-", "C-M-", "C-S-", "M-S-", "C-M-S-", "^"];
const PRESSED = MODIFIERS.flatMap((each) => [...KEY_NAMES, ...PRINTABLE, "é"].map((key) => each + key))
  .filter(
    isKeyName,
  );

/** Presses keys in a program that asks for extended keys in this way, and returns what it reads of each. */
async function bytesOf(
  asking: string,
  choose: (sending: KeySending) => string[],
): Promise<Map<string, string>> {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const path = `${tmux.folder}/typed`;
  const program = `stty raw -echo; printf '${asking}'; : >${path}; exec cat >${path}`;
  await exec([["set-option", "-s", "extended-keys", "on"], ["new-session", "-d", "-s", "keys", program]]);
  await until(() => Deno.stat(path).then(() => true, () => false));
  const format = "#{version} #{pane_key_mode}";
  const { stdout } = await exec([["display-message", "-p", "-t", "keys:", format]]);
  const [, version, keyMode] = /^(\S+) (.*)$/.exec(new TextDecoder().decode(stdout).trimEnd() + " ")!;
  const words = choose({ version: version!, keyMode: keyMode!.trim() });
  const press = (word: string) => ["send-keys", "-t", "keys:", "--", word.replace(/;$/, "\\;")];
  const mark = ["send-keys", "-t", "keys:", "-H", "01", "02", "01"];
  for (let at = 0; at < words.length; at += 40) {
    await exec(words.slice(at, at + 40).flatMap((word) => [press(word), mark]));
  }
  const typed = async () => (await Deno.readTextFile(path)).split("\x01\x02\x01").slice(0, -1);
  await until(async () => (await typed()).length >= words.length);
  const bytes = await typed();
  return new Map(words.map((word, at) => [word, bytes[at]!]));
}

for (const [name, asking] of [["no", ""], ["some", "\\033[>4;1m"], ["all", "\\033[>4;2m"]] as const) {
  Deno.test(`a key that counts as sent has bytes of its own where ${name} keys are extended`, async () => {
    const bytes = await bytesOf(asking, (sending) => {
      const sent = PRESSED.map((word) => substituteFor(word, sending) ?? word);
      return [...new Set(sent.filter((word) => word !== ""))];
    });
    const wrong = [...bytes].filter(([word, typed]) => typed === "" || (word.length > 1 && typed === word));
    assertEquals(wrong, []);
    // BTab is a Tab with Shift already.
    const modifiers = /[CM]-(?=.)|S-(?=(?!BTab).)/g;
    const lost = [...bytes].filter(([word, typed]) =>
      [...word.matchAll(modifiers)].some(({ 0: modifier, index }) =>
        bytes.get(word.slice(0, index) + word.slice(index + modifier.length)) === typed
      )
    );
    assertEquals(lost, []);
  });
}

Deno.test("the substitute of a key that tmux can't send", () => {
  const substitutes = (words: string, sending: KeySending) =>
    words.split(" ").map((word) => substituteFor(word, sending));
  const before = { version: "3.4", keyMode: "" };
  assertEquals(substitutes("S-Tab S-Up KP5 C-c C-é", before), ["BTab", undefined, undefined, undefined, ""]);
  assertEquals(substitutes("C-KP5 S-a M-S-a C-BSpace S-Enter", before), ["KP5", "A", "M-A", "", "Enter"]);
  const later = { version: "3.5a", keyMode: "VT10x" };
  assertEquals(substitutes("S-Tab S-Up S-Enter C-Enter C-/ M-BTab", later), [
    ...["BTab", undefined, "Enter", "", undefined, ""],
  ]);
  const some = { version: "3.5a", keyMode: "Ext 1" };
  assertEquals(substitutes("S-Enter C-Enter M-S-Enter C-S-a", some), [
    undefined,
    undefined,
    "M-Enter",
    "C-a",
  ]);
  assertEquals(substitutes("M-S-Enter C-S-a", { ...some, keyMode: "Ext 2" }), [undefined, undefined]);
});

Deno.test("only a key's name of several characters can hardly be meant as text", () => {
  assertEquals(["C-c", "Up", "F5", "a", "yes", ""].map(isNamedKey), [true, true, true, false, false, false]);
});
