import { assertEquals } from "@std/assert";
import { isKeyName, isNamedKey } from "../../src/tmux/key_names.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { privateTmux } from "./private_tmux.ts";

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
  for (const word of WORDS) {
    const { code } = await exec([["bind-key", "-T", "probe", word, "display-message"]]);
    const isKey = code === 0;
    // tmux 3.3a knows fewer characters under Ctrl than later ones, and none is to be typed as text there.
    const isLater = isKey && !isKeyName(word) && /C-.$/.test(word);
    assertEquals([word, isKeyName(word)], [word, isKey && !isLater]);
  }
});

Deno.test("only a key's name of several characters can hardly be meant as text", () => {
  assertEquals(["C-c", "Up", "F5", "a", "yes", ""].map(isNamedKey), [true, true, true, false, false, false]);
});
