import { assertEquals } from "@std/assert";
import { isKeyName, isNamedKey, KEY_NAMES, substituteFor } from "../../../src/tmux/typing/key_names.ts";
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

Deno.test("a key that counts as sent has bytes, and a substitute of one that does not", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const path = `${tmux.folder}/typed`;
  await exec([["new-session", "-d", "-s", "keys", `stty raw -echo; : >${path}; exec cat >${path}`]]);
  await until(() => Deno.stat(path).then(() => true, () => false));
  const { stdout } = await exec([["display-message", "-p", "#{version}"]]);
  const version = new TextDecoder().decode(stdout).trim();
  const modifiers = ["", "C-", "M-", "S-", "C-M-", "C-S-", "M-S-", "C-M-S-", "^"];
  const words = modifiers.flatMap((each) => [...KEY_NAMES, ...PRINTABLE].map((key) => each + key)).filter(
    isKeyName,
  );
  const pressed = words.map((word) => substituteFor(word, version) ?? word).filter((word) => word !== "");
  const press = (word: string) => ["send-keys", "-t", "keys:", "--", word.replace(/;$/, "\\;")];
  for (let at = 0; at < pressed.length; at += 40) {
    await exec(
      pressed.slice(at, at + 40).flatMap((word) => [press(word), press("C-a"), press("C-b"), press("C-a")]),
    );
  }
  const typed = async () => (await Deno.readTextFile(path)).split("\x01\x02\x01").slice(0, -1);
  await until(async () => (await typed()).length >= pressed.length);
  const bytes = await typed();
  const wrong = pressed.filter((word, at) => bytes[at] === "" || (word.length > 1 && bytes[at] === word));
  assertEquals(wrong, []);
  assertEquals([...new Set(["S-Tab", "S-Up", "KP5", "C-c"].map((word) => substituteFor(word, "3.4")))], [
    "BTab",
    undefined,
  ]);
  assertEquals(["C-KP5", "S-a", "M-S-a", "C-BSpace", "S-Enter"].map((word) => substituteFor(word, "3.4")), [
    "KP5",
    "A",
    "M-A",
    "",
    "Enter",
  ]);
});

Deno.test("only a key's name of several characters can hardly be meant as text", () => {
  assertEquals(["C-c", "Up", "F5", "a", "yes", ""].map(isNamedKey), [true, true, true, false, false, false]);
});
