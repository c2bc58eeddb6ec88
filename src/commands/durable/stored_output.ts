// Output of a command on disk: pieces that servers and pipes wrote in turn, read up to the mark that ends it.
import { concatBytes, sha256Of } from "../../bytes.ts";
import type { RecordStore } from "../../records/record_store.ts";
import { lacksDescriptor } from "../../errors.ts";
import { sameText } from "../../terminal/final_output.ts";
import { findDone } from "../../shell/marks.ts";
import { stat } from "../../stat.ts";
import type { CommandOutput } from "../output.ts";
import { trimSpool } from "./journal.ts";
import { PIPE_PIECE, serverPidOf, type StoredCommand } from "./stored_command.ts";

export interface StoredOutputOptions {
  store: RecordStore;
  id: string;
  output: CommandOutput;
}

export interface StoredOutputRead {
  /** Set once the mark that ends the command was read. `piped`: bytes of the pipe's piece before it. */
  done?: { exitCode: number; piped: number };
  /** Set if some of the output is not on disk. */
  isCut?: true;
}

const READ_BYTES = 1 << 20;
/** Number of characters kept from the end. */
const TAIL = 64;

export class StoredOutput {
  readonly #options: StoredOutputOptions;
  #piece = 0;
  #offset = 0;
  /** Bytes held back because they may begin the mark that ends the output. */
  #held: Uint8Array = new Uint8Array(0);
  #done: StoredOutputRead["done"];
  /** True if a piece could not be read. */
  #isUnread = false;
  #tail = "";

  constructor(options: StoredOutputOptions) {
    this.#options = options;
  }

  /** Number of the piece being read. */
  get piece(): number {
    return this.#piece;
  }

  /** Bytes of the pipe's piece that have been read; undefined in any other piece. */
  get readOfPipe(): number | undefined {
    return this.#piece === PIPE_PIECE ? this.#offset : undefined;
  }

  /** True once the mark that ends the command has been read. */
  get isDone(): boolean {
    return this.#done !== undefined;
  }

  /** True if a terminal has echoed Ctrl-C near the end. */
  get showsInterrupt(): boolean {
    return this.#tail.includes("^C");
  }

  /** Bytes that a pipe has copied; undefined if none has begun. */
  get pipedBytes(): number | undefined {
    return sizeOf(this.path(PIPE_PIECE));
  }

  path(piece: number): string | undefined {
    return this.#options.store.fileBeside(this.#options.id, String(piece));
  }

  /** Bytes by which a pane's screen is ahead of what was read; undefined if that is unknown. */
  missing(screen: readonly string[]): Promise<Uint8Array | undefined> {
    return this.#options.output.missing(screen);
  }

  /** True if all that was read is what a pane shows, line for line. */
  isAll(shown: readonly string[]): boolean {
    const rest = [...shown];
    for (const { text } of this.#options.output.lines.forward()) {
      for (const line of text.split("\n")) if (!sameText(rest.shift() ?? "", line)) return false;
    }
    return rest.every((line) => line.trim() === "");
  }

  /** Appends to a piece; returns true if the bytes are on disk. */
  append(piece: number, bytes: Uint8Array): boolean {
    const path = this.path(piece);
    return path !== undefined &&
      this.#options.store.attempt(() => Deno.writeFileSync(path, bytes, { append: true, mode: 0o600 })) !==
        undefined;
  }

  /** Appends to a piece after those that pipes wrote or that can't be read; returns its number if it is on disk. */
  appendNext(bytes: Uint8Array): number | undefined {
    const next = this.#piece + this.#piece % 2;
    const piece = this.#isUnread && next === this.#piece ? next + 2 : next;
    return this.append(piece, bytes) ? piece : undefined;
  }

  /**
   * Reads further, to the end of what is on disk or to the mark. Its server may have started a pipe and been killed
   * before recording that: if `findsPipe` returns true, that piece is read too.
   * @throws without descriptors, and then reads on from there at the next call
   */
  async read(stored: StoredCommand, findsPipe: () => boolean): Promise<StoredOutputRead> {
    let isCut = false;
    // A pipe may create its file only after the end, for what the shell prints next.
    const hasPipe = (): boolean => stored.ended === undefined && findsPipe() && this.pipedBytes !== undefined;
    const lastPiece = (): number => hasPipe() ? PIPE_PIECE : 0;
    for (;;) {
      const bytes = this.#next(stored);
      if (bytes) {
        const done = await this.#take(bytes, stored);
        await this.#options.output.flush();
        if (done) return { done, ...((isCut || this.#lacks(stored)) && { isCut: true }) };
      } else if (this.#piece < Math.max(stored.piece, lastPiece())) {
        // A piece that is not recorded: the server was killed before it had written what was printed before the pipe.
        isCut ||= this.#isShort(stored) || this.#piece >= stored.piece;
        this.#piece++;
        this.#offset = 0;
      } else break;
    }
    isCut ||= this.#lacks(stored) || (stored.ended !== undefined && this.#isShort(stored));
    return { ...(this.#done && { done: this.#done }), ...(isCut && { isCut }) };
  }

  /** True if a piece can't be read, unless the record is known to be whole without it. */
  #lacks({ isCut }: StoredCommand): boolean {
    return this.#isUnread && isCut !== false;
  }

  /** True if the pipe copied less than the command printed: the disk or the file was full. */
  #isShort({ piped = 0 }: StoredCommand): boolean {
    return this.#piece === PIPE_PIECE && this.#offset < piped;
  }

  #next({ piped = Infinity }: StoredCommand): Uint8Array | undefined {
    const path = this.path(this.#piece);
    const remaining = this.#piece === PIPE_PIECE ? piped - this.#offset : Infinity;
    if (path === undefined || remaining <= 0 || sizeOf(path) === undefined) return undefined;
    const bytes = this.#readPiece(path, Math.min(READ_BYTES, remaining));
    this.#offset += bytes.length;
    return bytes.length === 0 ? undefined : bytes;
  }

  #readPiece(path: string, most: number): Uint8Array {
    try {
      using file = Deno.openSync(path);
      file.seekSync(this.#offset, Deno.SeekMode.Start);
      const bytes = new Uint8Array(most);
      return bytes.subarray(0, file.readSync(bytes) ?? 0);
    } catch (error) {
      if (lacksDescriptor(error)) throw error;
      // The file has been removed, or closed to this user.
      this.#isUnread = true;
      return new Uint8Array(0);
    }
  }

  async #take(bytes: Uint8Array, { doneHash, piped }: StoredCommand): Promise<StoredOutputRead["done"]> {
    if (this.#done) return undefined;
    const isKnown = this.#piece !== PIPE_PIECE || piped !== undefined;
    if (isKnown || doneHash === undefined) return this.#push(bytes);
    const all = concatBytes([this.#held, bytes]);
    for (let from = 0;;) {
      const mark = findDone(all, from);
      if (mark === undefined || "open" in mark) {
        const whole = mark?.open ?? all.length;
        this.#held = all.slice(whole);
        return this.#push(all.subarray(0, whole));
      }
      if (await sha256Of(mark.secret) === doneHash) {
        this.#push(all.subarray(0, mark.at));
        return this.#done = { exitCode: mark.status, piped: this.#offset - all.length + mark.at };
      }
      from = mark.next;
    }
  }

  #push(bytes: Uint8Array): undefined {
    this.#options.output.push(bytes);
    this.#tail = (this.#tail + new TextDecoder("latin1").decode(bytes.subarray(-TAIL))).slice(-TAIL);
  }
}

/** Ends the pipe of a command that has ended, and cuts off what it copied after that. */
export function endPipeOf(
  { id, piped }: StoredCommand,
  { store, endPipe }: { store: RecordStore; endPipe(serverPid: number, path: string): void },
): void {
  const path = store.fileBeside(id, String(PIPE_PIECE));
  if (path === undefined || sizeOf(path) === undefined) return;
  endPipe(serverPidOf(id), path);
  if (piped !== undefined) trimSpool(path, piped);
}

/** Size of a file in bytes; undefined if there is none. */
export function sizeOf(path: string | undefined): number | undefined {
  return path === undefined ? undefined : stat(path)?.size;
}
