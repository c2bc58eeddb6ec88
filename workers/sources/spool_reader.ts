// Reads what a pane's pipe copies to a file, for a pane whose only pipe belongs to a command.
import { AppError, isNoDescriptor, noDescriptor } from "../../src/errors.ts";
import type { Libc } from "../../src/ffi/libc.ts";
import { handledLater } from "../../src/promises.ts";
import { pollUntil } from "../../src/timer.ts";
import type { SpoolRef } from "../../src/watch/protocol.ts";
import type { PipeReaderContext } from "./pipe_pane_reader.ts";

export interface SpoolReaderOptions {
  spool: SpoolRef;
  files: Pick<Libc, "open" | "close" | "readAt" | "errno">;
  pipeContext: Pick<PipeReaderContext, "buffer" | "processes">;
  /** Called once the file is open. */
  start(): Promise<void>;
  output(bytes: Uint8Array): void;
  /** Called when nothing more comes. */
  ended(): void;
}

/** Interval (ms) at which the file is read: poll(2) does not report when a file grows. */
const READ_MS = 20;
/** Time (ms) that the pipe may take to copy what it holds. */
const COPY_MS = 2000;

/** Reader of a spool. It ends with the pipe, once it has read the rest. */
export class SpoolReader {
  /** Settles when the first byte can arrive. */
  readonly connected: Promise<void>;
  readonly #options: SpoolReaderOptions;
  readonly #fd: number;
  readonly #errno: number;
  #offset: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(options: SpoolReaderOptions) {
    this.#options = options;
    const { spool: { path, from }, files } = options;
    this.#offset = from;
    this.#fd = files.open(path);
    this.#errno = this.#fd < 0 ? files.errno() : 0;
    this.connected = this.#begin();
    handledLater(this.connected);
    this.connected.catch(() => this.end());
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Settles when everything that tmux has written has arrived: the pipe's process sleeps, and nothing is unread. */
  async drain(): Promise<void> {
    const { spool: { pid }, pipeContext } = this.#options;
    await pollUntil(() => {
      if (this.#closed) return true;
      const isAsleep = pipeContext.processes.isAsleep(pid);
      return this.#read() === 0 && isAsleep !== false;
    }, { ms: COPY_MS, pauseMs: 1 });
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    if (this.#fd >= 0) this.#options.files.close(this.#fd);
    this.#options.ended();
  }

  async #begin(): Promise<void> {
    const { spool: { path }, start } = this.#options;
    if (this.#fd < 0) {
      if (isNoDescriptor(this.#errno)) throw noDescriptor("Cannot follow a pane without attaching");
      throw new AppError("unsupported", `Cannot follow a pane without attaching: "${path}" can't be read`, {
        hint: "Wait until the command in the pane has ended, or use another pane",
      });
    }
    await start();
    if (!this.#closed) this.#timer = setInterval(() => this.#poll(), READ_MS);
  }

  #poll(): void {
    const { spool: { pid, serverPid }, pipeContext } = this.#options;
    const isCopying = pipeContext.processes.isChild(pid, serverPid);
    const count = this.#read();
    if (isCopying === false && count === 0) this.end();
  }

  /** Reads once; returns the number of bytes. */
  #read(): number {
    const { files, pipeContext: { buffer }, output } = this.#options;
    if (this.#closed) return 0;
    const count = Math.max(0, files.readAt(this.#fd, buffer, BigInt(this.#offset)));
    this.#offset += count;
    if (count > 0) output(buffer.subarray(0, count));
    return count;
  }
}
