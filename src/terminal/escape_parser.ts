// Recognizes escape sequences byte by byte, wherever chunks cut them.

const enum State {
  Ground,
  Escape,
  Csi,
  Osc,
  String,
}

/** Kind of the last finished sequence; `none` for a cancelled one. */
export type SequenceKind = "none" | "escape" | "csi" | "string";

const MAX_PARAMS = 32;
const MAX_PARAM = 65_535;
/** Limit on an OSC, so that an endless one doesn't swallow the rest of the stream; a picture in a DCS may be large. */
const MAX_OSC = 1 << 20;
/** Time (ms) after which tmux gives up a string that has not ended. */
const MAX_STRING_MS = 5000;

/**
 * State machine after the DEC parser (vt100.net/emu/dec_ansi_parser), with tmux's `ESC k` title string.
 * `begin` at an ESC, `feed` every byte while `active`, then read `kind`, `final`, `prefix`, `intermediate`, `params`.
 */
export class EscapeParser {
  kind: SequenceKind = "none";
  /** Final byte of an escape or CSI sequence. */
  final = 0;
  /** Private marker of a CSI sequence (`?`, `>`, `=`, `<`), or 0. */
  prefix = 0;
  intermediate = 0;
  params: number[] = [0];
  #state = State.Ground;
  #length = 0;
  /** Time at which the string began. */
  #began = 0;

  /** True if a sequence has begun and isn't finished. */
  get active(): boolean {
    return this.#state !== State.Ground;
  }

  begin(): void {
    this.#state = State.Escape;
    this.kind = "none";
    this.final =
      this.prefix =
      this.intermediate =
      this.#length =
        0;
  }

  /** Takes one byte. True if it is a control character inside a sequence, which acts at once. */
  feed(byte: number): boolean {
    if (byte === 0x1b) this.begin();
    else if (byte === 0x18 || byte === 0x1a) this.#finish("none", 0);
    else if (this.#state >= State.Osc) this.#string(byte);
    else if (byte < 0x20) return true;
    else if (this.#state === State.Csi) this.#csi(byte);
    else this.#escape(byte);
    return false;
  }

  /** Cancels a string that tmux has given up by now (`performance.now()`). */
  expire(now: number): void {
    if (this.#state >= State.Osc && now - this.#began >= MAX_STRING_MS) this.#finish("none", 0);
  }

  /** First parameter as motions read it: 0 and absent are 1. */
  get count(): number {
    return this.params[0] || 1;
  }

  #escape(byte: number): void {
    if (byte < 0x30) this.intermediate = byte;
    else if (this.intermediate !== 0 || byte > 0x7e) this.#finish("escape", byte);
    else if (byte === 0x5b) this.#enterCsi();
    else if (byte === 0x5d) this.#enterString(State.Osc);
    else if (byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f || byte === 0x6b) {
      this.#enterString(State.String);
    } else this.#finish("escape", byte);
  }

  #enterString(state: State): void {
    this.#state = state;
    this.#began = performance.now();
  }

  #enterCsi(): void {
    this.#state = State.Csi;
    this.params = [0];
  }

  #csi(byte: number): void {
    if (byte >= 0x40 && byte <= 0x7e) this.#finish("csi", byte);
    else if (byte >= 0x3c) this.prefix = byte < 0x40 ? byte : this.prefix;
    else if (byte < 0x30) this.intermediate = byte;
    else if (byte < 0x3a) this.#digit(byte - 0x30);
    else if (this.params.length < MAX_PARAMS) this.params.push(0);
  }

  #digit(digit: number): void {
    const last = this.params.length - 1;
    this.params[last] = Math.min((this.params[last] as number) * 10 + digit, MAX_PARAM);
  }

  #string(byte: number): void {
    if (this.#state !== State.Osc) return;
    if (byte === 0x07 || ++this.#length > MAX_OSC) this.#finish("string", 0);
  }

  #finish(kind: SequenceKind, final: number): void {
    this.#state = State.Ground;
    this.kind = kind;
    this.final = final;
  }
}
