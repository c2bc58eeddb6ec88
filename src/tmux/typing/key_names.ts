// Names of keys; tmux types any other word as text.
import { isAtLeast } from "../../tmux_exec/version.ts";

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

/** A word that names a key, taken apart. */
interface NamedKey {
  key: string;
  ctrl: boolean;
  meta: boolean;
  shift: boolean;
}

function partsOf(word: string): NamedKey | undefined {
  const [, caret, modifiers = "", key] = /^(\^(?=.))?((?:[CMScms]-(?=.))*)(.+)$/su.exec(word) ?? [];
  if (key === undefined) return undefined;
  const ctrl = caret !== undefined || /c-/i.test(modifiers);
  return { key, ctrl, meta: /m-/i.test(modifiers), shift: /s-/i.test(modifiers) };
}

/** True if `send-keys` presses a key for this word: `C-c`, `M-x`, `F5`, `BSpace`, `KP0`, a single character. */
export function isKeyName(word: string): boolean {
  const { key, ctrl } = partsOf(word) ?? {};
  if (key === undefined) return false;
  if (NAMES.has(key.toLowerCase())) return true;
  if ([...key].length !== 1 || /\p{Cc}/u.test(key)) return false;
  return !ctrl || /[?@A-Z[\\\]^_a-z]|[^ -~]/.test(key) || CTRL_AS_IS.has(key);
}

/** True if a word can hardly be meant as text: it is a key name of more than one character. */
export function isNamedKey(word: string): boolean {
  return [...word].length > 1 && isKeyName(word);
}

/** Names of keys and modifiers in browsers, editors and other tools. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    C: ["ctrl", "control"],
    M: ["alt", "meta", "option"],
    S: ["shift"],
    Enter: ["return", "\\n", "\\r", "\n", "\r"],
    Tab: ["\\t", "\t"],
    Space: [" "],
    Escape: ["esc"],
    BSpace: ["backspace"],
    Delete: ["del"],
    Insert: ["ins"],
  }).flatMap(([key, words]) => words.map((word): [string, string] => [word, key])),
);

/** Returns the key that a word such as `ctrl+c`, `<Return>` or `ArrowUp` means elsewhere; undefined if none. */
export function keyNamedElsewhere(word: string): string | undefined {
  const bare = word.toLowerCase().replace(/^[<{[](.+)[>}\]]$/, "$1").replace(/[-+_]?arrow[-+_]?/, "");
  const parts = bare.split(/[-+_](?=.)/).map((part) => ELSEWHERE.get(part) ?? part);
  const key = KEY_NAMES.find((name) => name.toLowerCase() === parts.at(-1)!.toLowerCase()) ?? parts.at(-1)!;
  const named = [...parts.slice(0, -1), key].join("-").replace(/S-Tab$/, "BTab");
  return isNamedKey(named) ? named : undefined;
}

/** Keys that terminals have sent with every modifier for long, as `ESC [ 1 ; 5 A`. */
const MODIFIED =
  /^(?:f\d+|ic|insert|dc|delete|home|end|npage|pagedown|pgdn|ppage|pageup|pgup|up|down|left|right)$/i;
/** Characters that Ctrl turns into a control character, with Alt and, before tmux 3.5, without. */
const CTRL_META = /^(?:[?@A-Z[\\\]^_a-z]|space)$/i;
const CTRL = /^(?:[26/-]|[?@A-Z[\\\]^_a-z]|space)$/i;
/** The same from tmux 3.5 on (`input_key_vt10x`). */
const CTRL_LATER = /^(?:[2-8/?@A-Z[\\\]^_`a-z{|}~-]|space)$/i;

/** Facts that decide which keys tmux can send to a pane. */
export interface KeySending {
  version: string;
  /** `#{pane_key_mode}`: `Ext 1` or `Ext 2` if the pane's program gets extended keys; empty before tmux 3.5. */
  keyMode: string;
}

/**
 * Key to press in place of one that tmux can't send: it would type the key's name or nothing, or from 3.5 on leave out a
 * modifier, so that S-Enter is Enter (`input_key`, input-keys.c; tried with every name on 3.2a to 3.8). Empty if no other
 * key will do; undefined if the key can be sent.
 */
export function substituteFor(word: string, sending: KeySending): string | undefined {
  const parts = partsOf(word);
  if (parts === undefined || isSent(parts, sending)) return undefined;
  const { key, meta, shift } = parts;
  if (/^tab$/i.test(key) && shift) {
    const backTab = { key: "BTab", ctrl: false, meta, shift: false };
    return isSent(backTab, sending) ? `${meta ? "M-" : ""}BTab` : "";
  }
  if (/^kp/i.test(key)) return key;
  if ([...key].length === 1 && shift && !parts.ctrl) return (meta ? "M-" : "") + key.toUpperCase();
  return isSent({ ...parts, shift: false }, sending) ? word.replace(/s-(?=.)/i, "") : "";
}

function isSent(named: NamedKey, { version, keyMode }: KeySending): boolean {
  const { key, ctrl, meta, shift } = named;
  if (MODIFIED.test(key)) return true;
  if (/^kp/i.test(key)) return !ctrl && !shift;
  if (isAtLeast(version, 3, 5)) return isExtended(named, keyMode) || keepsModifiers(named);
  if (/^tab$/i.test(key)) return !shift && (!ctrl || isAtLeast(version, 3, 4));
  if (shift) return false;
  return !ctrl || (meta ? CTRL_META : CTRL).test(key);
}

/** True if a pane gets the key in a sequence that has its modifiers (`input_key_mode1`; `Ext 1` of 3.5 has more). */
function isExtended({ key, ctrl, meta }: NamedKey, keyMode: string): boolean {
  if (keyMode !== "Ext 1") return keyMode === "Ext 2";
  return !/^btab$/i.test(key) && (ctrl ? !CTRL_LATER.test(key) : !meta);
}

function keepsModifiers({ key, ctrl, meta, shift }: NamedKey): boolean {
  if (/^btab$/i.test(key)) return !ctrl && !meta && !shift;
  return !shift && (!ctrl || CTRL_LATER.test(key));
}
