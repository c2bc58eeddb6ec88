// Writes one command to disk while it runs, so that a later server knows what this one knew.
import { sha256Of, writeAllSync } from "../../bytes.ts";
import { type RecordFile, removeExitStatus } from "../../records/record_file.ts";
import type { RecordStore } from "../../records/record_store.ts";
import { shellStatuses } from "../../shell/marks.ts";
import type { SpoolFile } from "../../tmux/spool_pipe.ts";
import { PIPE_PIECE, type StoredCommand } from "./stored_command.ts";
import { within } from "../../timer.ts";

export interface CommandEnd {
  status: "completed" | "lost";
  exitCode: number | undefined;
  paneAlive: boolean;
  reason: string | undefined;
  isCut: boolean;
  /** Epoch milliseconds. */
  endedAt: number;
}

/** Largest distance (bytes) in the spool between the counted end of the output and the mark that ends it. */
const MARK_SEARCH_BYTES = 1 << 16;
/** First and last pause (ms) between two attempts to cut off a spool; each is twice as long as the one before. */
const TRIM_FIRST_MS = 50;
const TRIM_LAST_MS = 30_000;
/** Age (ms) by which a command has a pipe; a server that ends earlier waits for that. */
const SAFE_MS = 700;
/** Divisor of the folder's limit: one command may take a quarter of it. */
const SHARE = 4;
// deno-lint-ignore no-control-regex
const CONTROL_CHAR = /[\x00-\x1f\x7f]/;

export class CommandJournal {
  readonly #store: RecordStore;
  /** Time of the request (`performance.now()`): the clock of the record may be set back. */
  readonly #started = performance.now();
  #record: StoredCommand;
  #recordFile: RecordFile | undefined;
  #file: Deno.FsFile | undefined;
  #written = 0;
  #piped = 0;
  #isOpen = false;
  #isLeaving = false;
  /** Settles when a later server can continue without this one: a pipe writes the output, or the command is over. */
  readonly #safe: PromiseWithResolvers<void> = Promise.withResolvers();
  #secret: string | undefined;

  constructor(store: RecordStore, record: StoredCommand) {
    this.#store = store;
    this.#record = record;
  }

  /** File that a tmux pipe of this machine writes the pane's output to; undefined if nothing can be written. */
  get spool(): SpoolFile | undefined {
    if (this.#record.host !== undefined) return undefined;
    const path = this.#store.fileBeside(this.#record.id, String(PIPE_PIECE));
    return path === undefined ? undefined : { path, maxBytes: this.#maxBytes };
  }

  /** File beside which the command's shell leaves its exit status; undefined if nothing can be written. */
  get statusFile(): string | undefined {
    if (this.#record.host !== undefined) return undefined;
    const path = this.#store.fileBeside(this.#record.id, "json");
    // The path becomes part of a line that a shell reads.
    return path === undefined || CONTROL_CHAR.test(path) ? undefined : path;
  }

  get #maxBytes(): number {
    return Math.ceil(this.#store.maxBytes / SHARE);
  }

  /** Records the hash of the secret in the mark that will end the command. */
  async expect(secret: string): Promise<void> {
    this.#secret = secret;
    this.#record.doneHash = await sha256Of(secret);
  }

  /** Opens the record: the command is about to be run. */
  open(more: Partial<Pick<StoredCommand, "row" | "promptRow" | "promptLine" | "shellPid">> = {}): void {
    this.#closeFile();
    this.#record = { ...this.#record, ...more };
    this.#isOpen = true;
    this.#recordFile = this.#store.open(this.#record);
  }

  write(bytes: Uint8Array): void {
    if (!this.#isOpen) return;
    const { piece } = this.#record;
    if (piece === PIPE_PIECE) {
      this.#piped += bytes.length;
      return;
    }
    if (this.#written + bytes.length > this.#maxBytes) return this.#cut();
    this.#written += bytes.length;
    this.#store.wrote(bytes.length);
    const path = this.#store.fileBeside(this.#record.id, String(piece));
    const isWritten = path !== undefined && this.#store.attempt(() => {
      this.#file ??= Deno.openSync(path, { append: true, create: true, mode: 0o600 });
      writeAllSync(this.#file, bytes);
    });
    if (!isWritten) this.#cut();
  }

  /**
   * Notes that from here on a tmux pipe writes the output, or no longer does. Pieces are read in the order of their
   * numbers, so what a second pipe of the command copies can't count.
   */
  spooling(active: boolean): void {
    if (!this.#isOpen || this.#record.piece > PIPE_PIECE) return;
    this.#closeFile();
    if (active) this.#safe.resolve();
    this.#record.piece = active ? PIPE_PIECE : PIPE_PIECE + 1;
    if (!active) this.#record.piped = this.#piped;
    this.#save();
  }

  /** Records that its job, as records name it, is stopped, which the shell reports with this exit code. */
  stop(stopped: string, exitCode: number): void {
    if (!this.#isOpen) return;
    this.#record = {
      ...this.#record,
      stopped,
      ...this.#record.piece === PIPE_PIECE && { piped: this.#findEnd() },
    };
    const { statusFile } = this;
    if (this.#save() && statusFile !== undefined) removeExitStatus(statusFile, shellStatuses(exitCode));
  }

  /** Records the end of the command, which is on disk when this returns, unless the disk is full. */
  end({ status, exitCode, paneAlive, reason, isCut, endedAt }: CommandEnd): void {
    if (!this.#isOpen) return;
    // This process is ending, so it leaves a lost command to the next one.
    if (this.#isLeaving && status === "lost") return this.#close();
    const wasPiped = this.#record.piece === PIPE_PIECE;
    this.#record = {
      ...this.#record,
      ended: endedAt,
      status,
      paneAlive,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(reason === undefined ? {} : { reason }),
      ...(isCut ? { isCut } : {}),
      ...(wasPiped ? { piped: this.#findEnd() } : {}),
    };
    const isSaved = this.#save();
    this.#close();
    const { statusFile } = this;
    // On a full disk, the shell's file is what a later server knows of the end.
    if (isSaved && statusFile !== undefined && exitCode !== undefined) {
      removeExitStatus(statusFile, shellStatuses(exitCode));
    }
    if (this.#record.piped !== undefined) trimSpool(this.spool?.path, this.#record.piped);
    this.#store.wrote(this.#record.piped ?? 0);
  }

  /** Removes the record: the command was never run. */
  discard(): void {
    if (!this.#isOpen) return;
    this.#close();
    this.#store.remove(this.#record.id);
  }

  /** Lets go of the command, which outlives this process. Returns true if a later server can find it. */
  async detach(): Promise<boolean> {
    this.#isLeaving = true;
    const ms = Math.max(this.#started + SAFE_MS - performance.now(), 0);
    await within(this.#safe.promise, { ms });
    const canBeFound = this.#recordFile !== undefined;
    this.#close();
    return canBeFound;
  }

  #cut(): void {
    if (this.#record.isCut) return;
    this.#record.isCut = true;
    this.#save();
  }

  /** Returns true if the record is on disk as it is now. */
  #save(): boolean {
    return this.#store.attempt(() => this.#recordFile?.append(this.#record)) !== undefined;
  }

  #close(): void {
    this.#isOpen = false;
    this.#safe.resolve();
    this.#closeFile();
    this.#recordFile?.[Symbol.dispose]();
    this.#recordFile = undefined;
  }

  #closeFile(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** Offset in the spool of the mark that ended the command, which is near the counted one. */
  #findEnd(): number {
    const path = this.spool?.path;
    if (path === undefined || this.#secret === undefined) return this.#piped;
    const from = Math.max(this.#piped - MARK_SEARCH_BYTES, 0);
    const match = this.#store.attempt(() => findText(path, this.#secret!, from));
    if (typeof match !== "object") return this.#piped;
    const mark = match.text.lastIndexOf("\x1b]133;D;", match.at);
    return mark < 0 ? this.#piped : from + mark;
  }
}

/** Finds a text in a file from an offset on, read as one character per byte; undefined without text or file. */
function findText(path: string, needle: string, from: number): { text: string; at: number } | undefined {
  using file = openIfThere(path);
  if (!file) return undefined;
  const { size } = file.statSync();
  // The file was full before everything was copied.
  if (size <= from) return undefined;
  file.seekSync(from, Deno.SeekMode.Start);
  const bytes = new Uint8Array(Math.min(size - from, 2 * MARK_SEARCH_BYTES));
  const count = file.readSync(bytes) ?? 0;
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, count));
  const at = text.indexOf(needle);
  return at < 0 ? undefined : { text, at };
}

/** Opens a file if it exists: the pipe's program creates it, under load perhaps only after the command's end. */
function openIfThere(path: string): Deno.FsFile | undefined {
  try {
    return Deno.openSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Cuts off what the shell printed after the command: the mark with its secret, a prompt, typed text. It is repeated
 * for about a minute, because the pipe may write a little more until it has ended, on a busy machine seconds later.
 */
export function trimSpool(path: string | undefined, bytes: number, pauseMs = TRIM_FIRST_MS): void {
  if (path === undefined) return;
  try {
    if (Deno.statSync(path).size > bytes) Deno.truncateSync(path, bytes);
  } catch {
    // The file has been removed, by `clean` or because of its age.
  }
  if (pauseMs > TRIM_LAST_MS) return;
  Deno.unrefTimer(setTimeout(() => trimSpool(path, bytes, pauseMs * 2), pauseMs));
}
