// Our marks in a pane's byte stream: R (ready for the payload), S (the command has been shown), C (the output
// begins), D (done, with the status).

import { concatBytes } from "../bytes.ts";
import type { Ready } from "./dialect.ts";

/** Piece of a pane's bytes, in order; `text` is everything except our marks. */
export type MarkedPiece =
  | { kind: "text"; bytes: Uint8Array }
  | { kind: "ready"; ready: Ready }
  | { kind: "output" }
  /** `complaint` is the shell's error message if the text did not parse and the command did not run. */
  | { kind: "done"; status: number; complaint?: Uint8Array };

type Mark = Exclude<MarkedPiece, { kind: "text" }>;

const NEXT = { ready: "output", output: "done", done: "none" } as const;
const ESC = 0x1b;
const BEL = 0x07;
const PREFIX = new TextEncoder().encode("\x1b]133;");
/** Maximum length of a complaint; a longer one loses its beginning. */
const MAX_COMPLAINT_BYTES = 8192;
/** The longest mark is R with the terminal's settings (about 300 bytes on macOS). */
const MAX_MARK_BYTES = 1024;
/** A status as shells print it: a function of zsh or ksh93 may return any 32 bits. */
const STATUS = "-?\\d{1,10}";
const ANY_DONE = new RegExp(`^D;(${STATUS});([0-9a-f]{32})$`);
const READY = new RegExp(`^R;(${STATUS})[ :]([A-Za-z0-9]*) ?([\\w:=.,-]*)$`);
/** Numbers that ksh93 and yash add to a signal's, instead of the usual 128. */
const SIGNAL_BASES = [256, 384];
const MAX_SIGNAL = 31;

/** Finds one run's marks, each only in its turn, so a similar sequence that a program prints is text. */
export class MarkScanner {
  readonly #shown: string;
  readonly #output: string;
  readonly #done: RegExp;
  #expected: "ready" | "output" | "done" | "none" = "ready";
  #held: Uint8Array = new Uint8Array(0);
  #complaint: Uint8Array = new Uint8Array(0);
  /** False if mark C may not have been read; what precedes D then counts as output. */
  #isWhole: boolean;

  /** `last`: the mark that has come last, before this stream. */
  constructor({ publicId, secret, last }: { publicId: string; secret: string; last?: Pick<Mark, "kind"> }) {
    if (last) this.#expected = NEXT[last.kind];
    this.#isWhole = last === undefined;
    this.#shown = `S;${publicId}`;
    this.#output = `C;${publicId}`;
    this.#done = new RegExp(`^D;(${STATUS});${secret}$`);
  }

  /** Splits the next chunk. A possible beginning of a mark is kept for the chunk after it. */
  scan(chunk: Uint8Array): MarkedPiece[] {
    const bytes = this.#held.length === 0 ? chunk : concatBytes([this.#held, chunk]);
    const pieces: MarkedPiece[] = [];
    let start = 0;
    let at = 0;
    while (this.#expected !== "none" && (at = bytes.indexOf(ESC, at)) !== -1) {
      const end = findEnd(bytes, at);
      if (end === "open") break;
      const mark = end === undefined
        ? undefined
        : this.#findMark(bytes.subarray(at + PREFIX.length, end.body));
      if (end === undefined || mark === undefined) {
        at += 1;
        continue;
      }
      if (at > start) pieces.push(this.#text(bytes.subarray(start, at)));
      pieces.push(...this.#pass(mark));
      start = at = end.next;
    }
    const held = this.#expected === "none" || at === -1 ? bytes.length : at;
    if (held > start) pieces.push(this.#text(bytes.subarray(start, held)));
    this.#held = bytes.slice(held);
    return pieces;
  }

  /** Notes that bytes were lost, perhaps with mark C. */
  gap(): void {
    if (this.#expected !== "output") return;
    this.#complaint = new Uint8Array(0);
    this.#isWhole = false;
  }

  /** Takes mark C as come, unless it is still to come; returns it with the text since the loss. */
  assumeOutput(): MarkedPiece[] {
    if (this.#expected !== "output" || this.#isWhole) return [];
    this.#expected = "done";
    return this.#assumedOutput();
  }

  /** Mark C, and the text that came without it. */
  #assumedOutput(): MarkedPiece[] {
    const text = { kind: "text", bytes: this.#complaint } as const;
    return [{ kind: "output" }, ...this.#complaint.length > 0 ? [text] : []];
  }

  #text(bytes: Uint8Array): MarkedPiece {
    if (this.#expected === "output") {
      this.#complaint = concatBytes([this.#complaint, bytes]).slice(-MAX_COMPLAINT_BYTES);
    }
    return { kind: "text", bytes };
  }

  #findMark(body: Uint8Array): Mark | "shown" | undefined {
    const text = String.fromCharCode(...body);
    // Before our loader is typed, another server's loader may have printed mark R.
    const ready = this.#expected === "done" ? undefined : findReady(text);
    if (ready || this.#expected === "ready") return ready;
    if (this.#expected === "output" && text === this.#shown) return "shown";
    if (this.#expected === "output" && text === this.#output) return { kind: "output" };
    const done = this.#done.exec(text);
    return done === null ? undefined : { kind: "done", status: exitStatus(Number(done[1])) };
  }

  /** Advances past a mark. Mark S, which separates our drawing from the shell's output, is dropped. */
  #pass(mark: Mark | "shown"): MarkedPiece[] {
    if (mark === "shown" || mark.kind !== "done") {
      this.#expected = mark === "shown" ? "output" : NEXT[mark.kind];
    }
    if (mark === "shown") {
      this.#isWhole = true;
      this.#complaint = new Uint8Array(0);
      return [];
    }
    if (mark.kind !== "done") return [mark];
    const isParsed = this.#expected === "done";
    this.#expected = "none";
    if (isParsed) return [mark];
    if (this.#isWhole) return [{ ...mark, complaint: this.#complaint }];
    return [...this.#assumedOutput(), mark];
  }
}

/** End of the sequence that starts at `at`; `open` if the chunk ends first, undefined if it can't be a mark. */
function findEnd(bytes: Uint8Array, at: number): { body: number; next: number } | "open" | undefined {
  for (let i = 1; i < PREFIX.length; i++) {
    if (at + i >= bytes.length) return "open";
    if (bytes[at + i] !== PREFIX[i]) return undefined;
  }
  for (let i = at + PREFIX.length; i < at + MAX_MARK_BYTES; i++) {
    const byte = bytes[i];
    if (byte === undefined) return "open";
    if (byte === BEL) return { body: i, next: i + 1 };
    if (byte === ESC && i + 1 >= bytes.length) return "open";
    if (byte === ESC) return bytes[i + 1] === 0x5c ? { body: i, next: i + 2 } : undefined;
    if (byte < 0x20 || byte > 0x7e) return undefined;
  }
  return undefined;
}

/** The usual exit status: some shells add 256 or 384, not 128, to the number of a signal. */
export function exitStatus(status: number): number {
  const base = SIGNAL_BASES.find((base) => status > base && status <= base + MAX_SIGNAL);
  return base === undefined ? status : status - base + 128;
}

/** Exit statuses that shells report for programs stopped by SIGTSTP, SIGSTOP, SIGTTIN or SIGTTOU, on Linux. */
export const STOP_STATUSES: ReadonlySet<number> = new Set([147, 148, 149, 150]);

/** Every status that a shell may have had for a usual one. */
export function shellStatuses(status: number): number[] {
  const isSignal = status > 128 && status <= 128 + MAX_SIGNAL;
  return [status, ...isSignal ? SIGNAL_BASES.map((base) => status - 128 + base) : []];
}

/** Place of a mark D in some bytes, with any secret. */
export interface FoundDone {
  at: number;
  next: number;
  status: number;
  secret: string;
}

/** Finds the next mark D of any server from an offset on; `open` is the place where an incomplete one may begin. */
export function findDone(bytes: Uint8Array, from: number): FoundDone | { open: number } | undefined {
  for (let at = bytes.indexOf(ESC, from); at !== -1; at = bytes.indexOf(ESC, at + 1)) {
    const end = findEnd(bytes, at);
    if (end === "open") return { open: at };
    const body = end && String.fromCharCode(...bytes.subarray(at + PREFIX.length, end.body));
    const found = ANY_DONE.exec(body ?? "");
    if (end && found) return { at, next: end.next, status: exitStatus(Number(found[1])), secret: found[2]! };
  }
  return undefined;
}

/** Returns the bytes before the first mark D with one of these secrets, or undefined without such a mark. */
export function beforeDone(bytes: Uint8Array, secrets: readonly string[]): Uint8Array | undefined {
  for (let from = 0;;) {
    const found = findDone(bytes, from);
    if (found === undefined || "open" in found) return undefined;
    if (secrets.includes(found.secret)) return bytes.subarray(0, found.at);
    from = found.next;
  }
}

/** Reads mark R, and keeps only what is safe to copy into the payload: any program could have printed it. */
function findReady(text: string): Mark | undefined {
  const found = READY.exec(text);
  if (found === null) return undefined;
  return { kind: "ready", ready: { status: Number(found[1]), flags: found[2] ?? "", tty: found[3] ?? "" } };
}
