// Typing of a person in the view: the keys as tmux names them, and the order they arrive in.

/** @typedef {import("./host.js").CallError} CallError */

/** Names in tmux of `KeyboardEvent.key`. */
const KEYS = {
  ...{ ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right", Home: "Home", End: "End" },
  ...{ PageUp: "PPage", PageDown: "NPage", Insert: "IC", Delete: "DC" },
  ...{ Enter: "Enter", Backspace: "BSpace", Tab: "Tab", Escape: "Escape" },
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, `F${index + 1}`])),
};
/** Keys that terminals tell no Shift of. */
const WITHOUT_SHIFT = new Set(["Enter", "BSpace", "Escape"]);

/**
 * tmux's name of a pressed key; `undefined` for what is text, or for the browser.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">} event
 * @param {boolean} altIsText Alt composes the character, as a Mac's Option does.
 * @returns {string | undefined}
 */
export function keyName({ key, ctrlKey, altKey, shiftKey, metaKey }, altIsText) {
  if (metaKey) return undefined;
  const modifiers = `${ctrlKey ? "C-" : ""}${altKey ? "M-" : ""}`;
  const named = /** @type {Record<string, string>} */ (KEYS)[key];
  if (named === "Tab" && shiftKey) return `${modifiers}BTab`;
  if (named) return `${modifiers}${shiftKey && !WITHOUT_SHIFT.has(named) ? "S-" : ""}${named}`;
  if (modifiers === "" || [...key].length !== 1 || (altKey && altIsText)) return undefined;
  // Ctrl with Shift is the browser's: copy, paste.
  if (ctrlKey && shiftKey && /[a-z]/i.test(key)) return undefined;
  return `${modifiers}${key === " " ? "Space" : ctrlKey ? key.toLowerCase() : key}`;
}

/** Queue of typed text, sent one call after the other, so that it arrives in order; text that waits goes together. */
export class Typist {
  /** @type {{ tool: string, text: string }[]} */
  #pending = [];
  #sending = false;
  #send;
  #failed;

  /**
   * @param {(tool: string, text: string) => Promise<unknown>} send
   * @param {(error: CallError) => void} failed
   */
  constructor(send, failed) {
    this.#send = send;
    this.#failed = failed;
  }

  /** @param {"text" | "key" | "paste"} tool @param {string} text */
  type(tool, text) {
    const last = this.#pending.at(-1);
    if (last && tool === "text" && last.tool === "text") last.text += text;
    else this.#pending.push({ tool, text });
    if (!this.#sending) this.#sendAll();
  }

  async #sendAll() {
    this.#sending = true;
    try {
      for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
        await this.#send(next.tool, next.text);
      }
    } catch (error) {
      // Later text was meant for a program that got the text before it.
      this.#pending.length = 0;
      this.#failed(/** @type {CallError} */ (error));
    } finally {
      this.#sending = false;
    }
  }
}
