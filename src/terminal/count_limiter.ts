// Limits the work that one control sequence can cause in an emulator.

/** C0 controls that act inside a sequence without ending it. */
const CONTROLS = String.raw`\x00-\x17\x19\x1c-\x1f\x7f`;
const INTRODUCER = String.raw`\x1b[${CONTROLS}]*\[`;
const PARAMETERS = String.raw`[${CONTROLS}\x20-\x3f]*`;
/** Final bytes of sequences whose numbers are counts or places on the screen. */
const COUNTED = "[@A-IL-MPSTXZ`abdefr}~]";
/** Lookahead for sequences that need a check: checking all of them took half of the emulator's time. */
const LARGE = String.raw`(?=${PARAMETERS}(?:\d{3}|[${CONTROLS}]))`;

const LARGE_SEQUENCE = new RegExp(`(${INTRODUCER})${LARGE}(${PARAMETERS})(${COUNTED})`, "g");
const UNFINISHED = new RegExp(String.raw`\x1b[${CONTROLS}]*(?:\[${PARAMETERS})?$`);
const CONTROL = new RegExp(`[${CONTROLS}]`, "g");
/** Repeated resets: each creates all rows, but after the first there is nothing to reset. */
const RESETS = new RegExp(String.raw`(?:\x1bc){2,}`, "g");
/** Longest parameters, more than any sequence needs: at most 32 numbers are read. */
const MAX_PARAMETERS = 512;

/**
 * Lowers the counts in control sequences to the size of the screen, which doesn't change what is shown. tmux does the
 * same, but xterm obeys any count: `CSI 999999999 S` takes it half an hour. Text may be cut anywhere.
 */
export class CountLimiter {
  #max: number;
  #held = "";

  constructor(columns: number, rows: number) {
    this.#max = Math.max(columns, rows);
  }

  resize(columns: number, rows: number): void {
    this.#max = Math.max(columns, rows);
  }

  limit(text: string): string {
    const whole = this.#held + text;
    const from = whole.search(UNFINISHED);
    this.#held = "";
    if (from < 0) return this.#lower(whole);
    // Control characters act at once, wherever they are in the sequence.
    const controls = whole.slice(from + 1).match(CONTROL)?.join("") ?? "";
    this.#held = shorten(whole.slice(from));
    return this.#lower(whole.slice(0, from)) + controls;
  }

  #lower(text: string): string {
    return text.replaceAll(RESETS, "\x1bc").replaceAll(
      LARGE_SEQUENCE,
      (_, introducer: string, parameters: string, final: string) => {
        const controls = (introducer + parameters).match(CONTROL)?.join("") ?? "";
        const numbers = shorten(parameters).replaceAll(/\d+/g, (digits) => `${Math.min(+digits, this.#max)}`);
        return `${controls}\x1b[${numbers}${final}`;
      },
    );
  }
}

function shorten(sequence: string): string {
  return sequence.replaceAll(CONTROL, "").slice(0, MAX_PARAMETERS);
}
