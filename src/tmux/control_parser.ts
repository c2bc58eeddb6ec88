// Parser for control mode: turns what a `tmux -C` client prints into replies, pane output and notifications.
import { concatBytes } from "../bytes.ts";

/** Callbacks of a control client; `bytes` are valid only until the handler returns. */
export interface ControlHandler {
  /** Output of a pane, with octal escapes decoded (tmux(1), CONTROL MODE, `%output` and `%extended-output`). */
  output(paneId: string, bytes: Uint8Array): void;
  reply(reply: ControlReply): void;
  /** Any other `%name`, with the rest of its line. */
  notification(name: string, rest: string): void;
}

export interface ControlReply {
  /** True if the command failed; `text` is then the reason. */
  failed: boolean;
  text: string;
  /** The text as lines; an empty text has no lines. */
  lines: readonly string[];
  /** True if this client sent the command; false for the command that attached it. */
  isOwn: boolean;
}

const NEWLINE = 10;
const PERCENT = 37;
const SPACE = 32;
const BACKSLASH = 92;
const OUTPUT = new TextEncoder().encode("%output ");
const EXTENDED = new TextEncoder().encode("%extended-output ");

interface Block {
  /** `TIME NUMBER FLAGS`, repeated by the line that ends the block. */
  guard: string;
  lines: string[];
}

export class ControlParser {
  readonly #handler: ControlHandler;
  #partial: Uint8Array[] = [];
  #block: Block | undefined;
  #decoded = new Uint8Array(1 << 16);

  constructor(handler: ControlHandler) {
    this.#handler = handler;
  }

  /** Parses the next bytes of the client's stdout, which may be cut anywhere. */
  push(bytes: Uint8Array): void {
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#line(this.#whole(bytes.subarray(start, end)));
      start = end + 1;
    }
    if (start < bytes.length) this.#partial.push(bytes.slice(start));
  }

  #whole(tail: Uint8Array): Uint8Array {
    if (this.#partial.length === 0) return tail;
    const whole = concatBytes([...this.#partial, tail]);
    this.#partial = [];
    return whole;
  }

  #line(line: Uint8Array): void {
    if (this.#block) return this.#inBlock(this.#block, new TextDecoder().decode(line));
    if (line[0] !== PERCENT) return;
    if (startsWith(line, OUTPUT)) return this.#output(line, OUTPUT.length);
    if (startsWith(line, EXTENDED)) return this.#extended(line);
    const text = new TextDecoder().decode(line);
    const space = text.indexOf(" ");
    const name = space < 0 ? text : text.slice(0, space);
    const rest = space < 0 ? "" : text.slice(space + 1);
    if (name === "%begin") this.#block = { guard: rest, lines: [] };
    else this.#handler.notification(name, rest);
  }

  #inBlock(block: Block, line: string): void {
    const failed = line === `%error ${block.guard}`;
    if (!failed && line !== `%end ${block.guard}`) {
      block.lines.push(line);
      return;
    }
    this.#block = undefined;
    const isOwn = (Number(block.guard.split(" ")[2]) & 1) === 1;
    this.#handler.reply({ failed, isOwn, text: block.lines.join("\n"), lines: block.lines });
  }

  #output(line: Uint8Array, from: number): void {
    const space = line.indexOf(SPACE, from);
    if (space < 0) return;
    this.#handler.output(ascii(line, from, space), this.#decode(line, space + 1));
  }

  /** Parses a line such as `%extended-output %5 AGE ... : DATA`. */
  #extended(line: Uint8Array): void {
    const space = line.indexOf(SPACE, EXTENDED.length);
    let at = line.indexOf(58, space);
    while (at >= 0 && !(line[at - 1] === SPACE && line[at + 1] === SPACE)) at = line.indexOf(58, at + 1);
    if (space < 0 || at < 0) return;
    this.#handler.output(ascii(line, EXTENDED.length, space), this.#decode(line, at + 2));
  }

  /** Decodes `\ooo`, as which tmux writes the backslash and bytes below space. */
  #decode(line: Uint8Array, from: number): Uint8Array {
    const length = line.length;
    if (this.#decoded.length < length) this.#decoded = new Uint8Array(length * 2);
    const out = this.#decoded;
    let size = 0;
    for (let at = from; at < length; at++) {
      const byte = line[at]!;
      if (byte === BACKSLASH && at + 3 < length) {
        out[size++] = (line[at + 1]! - 48) << 6 | (line[at + 2]! - 48) << 3 | (line[at + 3]! - 48);
        at += 3;
      } else out[size++] = byte;
    }
    return out.subarray(0, size);
  }
}

function startsWith(line: Uint8Array, prefix: Uint8Array): boolean {
  if (line.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (line[i] !== prefix[i]) return false;
  return true;
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let i = from; i < to; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}
