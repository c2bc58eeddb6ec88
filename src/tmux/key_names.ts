// Names of keys; tmux types any other word as text.

/** Names of keys, as a person may write them; tmux ignores their case. */
export const KEY_NAMES: readonly string[] = [
  ...Array.from({ length: 12 }, (_, i) => `F${i + 1}`),
  ..."IC Insert DC Delete Home End NPage PageDown PgDn PPage PageUp PgUp".split(" "),
  ..."Tab BTab Space BSpace Enter Escape Up Down Left Right".split(" "),
  ..."KP/ KP* KP- KP7 KP8 KP9 KP+ KP4 KP5 KP6 KP1 KP2 KP3 KPEnter KP0 KP.".split(" "),
];

const NAMES: ReadonlySet<string> = new Set(KEY_NAMES.map((name) => name.toLowerCase()));

/** Characters that remain themselves with Ctrl (key_string_lookup_string, 3.2 to 3.3). */
const CTRL_AS_IS = new Set("!#()+,-.0123456789:;<=>'`/");

/** True if `send-keys` presses a key for this word: `C-c`, `M-x`, `F5`, `BSpace`, `KP0`, a single character. */
export function isKeyName(word: string): boolean {
  const [, caret, modifiers, key] = /^(\^(?=.))?((?:[CMScms]-(?=.))*)(.+)$/su.exec(word) ?? [];
  if (key === undefined) return false;
  if (NAMES.has(key.toLowerCase())) return true;
  if ([...key].length !== 1 || /\p{Cc}/u.test(key)) return false;
  const ctrl = caret !== undefined || /c-/i.test(modifiers ?? "");
  return !ctrl || /[?@A-Z[\\\]^_a-z]|[^ -~]/.test(key) || CTRL_AS_IS.has(key);
}

/** True if a word can hardly be meant as text: it is a key name of more than one character. */
export function isNamedKey(word: string): boolean {
  return [...word].length > 1 && isKeyName(word);
}
