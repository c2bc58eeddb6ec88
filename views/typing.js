// A person's typing in the view: tmux's names for keys, and a queue that keeps their order.

/** @typedef {import("./host.js").CallError} CallError */

/** tmux's names for `KeyboardEvent.key`. */
const KEYS = {
  ...{ ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right", Home: "Home", End: "End" },
  ...{ PageUp: "PPage", PageDown: "NPage", Insert: "IC", Delete: "DC" },
  ...{ Enter: "Enter", Backspace: "BSpace", Tab: "Tab", Escape: "Escape" },
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, `F${index + 1}`])),
};
/** Keys for which terminals don't report Shift. */
const WITHOUT_SHIFT = new Set(["Enter", "BSpace", "Escape"]);

/**
 * tmux's name for a pressed key; `undefined` for text, and for keys of the browser.
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
  // Ctrl with Shift stays with the browser, for copying and pasting.
  if (ctrlKey && shiftKey && /[a-z]/i.test(key)) return undefined;
  return `${modifiers}${key === " " ? "Space" : ctrlKey ? key.toLowerCase() : key}`;
}

/** Queue of typed text. Calls are sent one after the other to keep the order; waiting text is combined. */
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
      // Later text was meant for a program that has received the earlier text.
      this.#pending.length = 0;
      this.#failed(/** @type {CallError} */ (error));
    } finally {
      this.#sending = false;
    }
  }
}
