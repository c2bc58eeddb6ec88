// Reads one pane's output through the pane's own pipe (`pipe-pane`).
import { AppError } from "../../src/errors.ts";
import { SIGALRM, SIGTERM } from "../../src/process/signals.ts";
import { shellWord } from "../../src/shell/quoting.ts";
import type { ClientHandle } from "../../src/tmux_exec/control_channel.ts";
import { DEFAULT_TIMEOUT_MS } from "../../src/tmux_exec/exec.ts";
import { copyOn, copyTo, type SpoolFile } from "../../src/tmux/spool_pipe.ts";
import { type Fifo, FIFO_BYTES, type Fifos } from "../../src/ffi/fifos.ts";
import type { Followed, Poller } from "../../src/ffi/poller.ts";
import { CLIENT_OF, PIPE_OF } from "../../src/watch/protocol.ts";
import type { PipeProcesses } from "./pipe_processes.ts";
import { delay, pollUntil } from "../../src/timer.ts";
import { handledLater } from "../../src/promises.ts";

/** State that all pipe readers of one thread and one tmux server share. */
export interface PipeReaderContext {
  fifos: Pick<Fifos, "make">;
  poller: Poller;
  /** Stamp of this process, for the environment of the pipe. */
  stamp: string;
  /** Folder in which a fifo has a name for a moment. */
  folder: string;
  /** Shared buffer for all that a fifo holds; its contents are passed on before anything else is read. */
  buffer: Uint8Array<ArrayBuffer>;
  processes: Pick<PipeProcesses, "isAsleep" | "isChild">;
  signal(pid: number, signal: number): void;
  began(pipeReader: ClientHandle): void;
  ended(pipeReader: ClientHandle): void;
}

export interface PipePaneReaderOptions {
  paneId: string;
  pipeContext: PipeReaderContext;
  /** A file that gets all output as well, even when nobody reads any more. */
  spool?: SpoolFile;
  /** Has tmux pipe the pane to this shell text, unless the pane has a pipe already. */
  start(text: string): Promise<void>;
  output(bytes: Uint8Array): void;
  /** Called when nothing more comes, whoever ended it. */
  ended(): void;
}

const NEWLINE = 10;
/** Time (ms) that `cat` may take to copy what it holds; the time it gets where it can't be seen to sleep. */
const COPY_MS = 2000;
const UNSEEN_MS = 5;
/** More bytes than a fifo, `cat` and the socket before it can hold (262,144 + 131,072 + 212,992 on Linux). */
const ON_THE_WAY_BYTES = 1 << 20;
/**
 * Interval (ms) of the signal that shows progress. tmux buffers, without a limit, what a reader can't take
 * (`bufferevent_write`, window.c). A pipe whose watchdog has seen no progress for 10 to 15 s ends, and tmux frees the
 * buffer.
 */
const CAUGHT_UP_MS = 2000;
const WATCHDOG = "trap n=0 ALRM; n=0; while [ $n -lt 3 ]; do sleep 5; kill -0 $$ || exit; n=$((n+1)); done";

/**
 * Reader of one pipe. tmux writes everything that it reads from the pane to `cat`, which writes it to a fifo of ours.
 * `-I` lets tmux notice at once when `cat` is gone, although nothing is ever typed that way.
 */
export class PipePaneReader implements Followed {
  /** Settles when the first byte can arrive. */
  readonly connected: Promise<void>;
  readonly #options: PipePaneReaderOptions;
  readonly #connected: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Bytes read before the pipe had reported its pids. */
  #head: number[] | undefined = [];
  #pipeReader: ClientHandle | undefined;
  #watchdog: number | undefined;
  #caughtUp: ReturnType<typeof setInterval> | undefined;
  #behind = false;
  #bytes = 0;
  #fifo: Fifo | undefined;
  /** True if the pipe outlives this reader. */
  #isKept: boolean;
  #closed = false;

  constructor(options: PipePaneReaderOptions) {
    this.#options = options;
    this.#isKept = options.spool !== undefined;
    handledLater(this.#connected.promise);
    this.connected = this.#open();
    this.connected.catch(() => this.end());
  }

  get fd(): number {
    return this.#fifo?.fd ?? -1;
  }

  get closed(): boolean {
    return this.#closed;
  }

  wantsRoom(): boolean {
    return false;
  }

  /** Reads everything that the fifo holds. */
  ready(): number {
    const count = this.#read();
    // A fifo that has not been opened by a writer yet reads like one that has ended.
    if (count === 0 && this.#head === undefined) this.end();
    return count === "none yet" ? 0 : count;
  }

  /**
   * Settles when everything that tmux has written has arrived: `cat` sleeps and nothing is on its way, or more has
   * come than fits.
   */
  async drain(): Promise<void> {
    const enough = this.#bytes + ON_THE_WAY_BYTES;
    await pollUntil(async () => {
      if (this.#closed || this.#pipeReader === undefined || this.#bytes >= enough) return true;
      const asleep = this.#options.pipeContext.processes.isAsleep(this.#pipeReader.pid);
      if (asleep === undefined) await delay(UNSEEN_MS);
      const count = this.#read();
      return count === 0 || (count === "none yet" && asleep !== false);
    }, { ms: COPY_MS, pauseMs: 1 });
  }

  /** Makes the pipe end with its reader from now on. */
  endSpool(): void {
    this.#isKept = false;
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#caughtUp);
    const { pipeContext: { poller, ended }, paneId } = this.#options;
    poller.leave(this);
    this.#fifo?.close();
    this.#connected.reject(
      new AppError("gone", `The pipe of pane "${paneId}" ended`, {
        hint: "Call list-panes: if the pane still exists, start the watch again",
      }),
    );
    // The watchdog of a kept pipe has to end too, because it would end the pipe once nothing reads it.
    this.#signal(SIGTERM, { both: !this.#isKept });
    if (this.#pipeReader) ended(this.#pipeReader);
    this.#options.ended();
  }

  async #open(): Promise<void> {
    const { pipeContext: { fifos, poller, folder }, paneId, start } = this.#options;
    const fifo = this.#fifo = fifos.make(folder);
    if (!fifo) throw noFifo(folder);
    try {
      await start(this.#pipeTo(fifo.path));
      if (this.#closed) return await this.#connected.promise;
      if (!poller.follow(this)) throw noFifo(folder);
      const late = setTimeout(() => this.#connected.reject(silent(paneId)), DEFAULT_TIMEOUT_MS);
      await this.#connected.promise.finally(() => clearTimeout(late));
    } finally {
      fifo.hide();
    }
  }

  #pipeTo(path: string): string {
    const { paneId, spool, pipeContext: { stamp } } = this.#options;
    // A dead process that its parent has not collected still takes signals.
    const unlessZombie = `case $(ps -o stat= -p ${Deno.pid}) in Z*) exit;; esac`;
    const ownerLives = spool ? `kill -0 ${Deno.pid} || exit; ${unlessZombie}; ` : "";
    const watchdog = `(exec >/dev/null </dev/null; ${WATCHDOG}; ${ownerLives}kill $$) &`;
    const owner = `export ${CLIENT_OF}=${shellWord(stamp)} ${PIPE_OF}=${paneId}`;
    // A fifo without a reader could not be opened for writing only. If its name is gone, a file is created.
    const fifo = shellWord(path);
    const opened =
      `umask 077; exec 3<>${fifo} >${fifo} 2>/dev/null 3<&-; [ -p ${fifo} ] || exec rm -f ${fifo}`;
    const open = `[ -p ${fifo} ] || exit; ${opened}`;
    return `${open}; ${watchdog} ${owner}; echo $$ $!; ${spool ? copyTo(spool) : copyOn()}`;
  }

  #read(): number | "none yet" {
    const { pipeContext: { buffer } } = this.#options;
    const count = this.#closed ? 0 : this.#fifo?.read(buffer) ?? 0;
    this.#behind = count === FIFO_BYTES;
    if (typeof count === "number" && count > 0) this.#take(buffer.subarray(0, count));
    return count;
  }

  #take(bytes: Uint8Array): void {
    const output = this.#head === undefined ? bytes : this.#afterHead(this.#head, bytes);
    this.#bytes += output.length;
    if (output.length > 0) this.#options.output(output);
  }

  /** Reads the first line, which has the pids of `cat` and of its watchdog; returns the bytes after it. */
  #afterHead(head: number[], bytes: Uint8Array): Uint8Array {
    const end = bytes.indexOf(NEWLINE);
    head.push(...bytes.subarray(0, end < 0 ? bytes.length : end));
    if (end < 0) return new Uint8Array();
    this.#head = undefined;
    const pids = /^(\d+) (\d+)$/.exec(String.fromCharCode(...head));
    if (pids) this.#began(Number(pids[1]), Number(pids[2]));
    else this.end();
    return bytes.subarray(end + 1);
  }

  #began(pid: number, watchdog: number): void {
    this.#pipeReader = { kind: "pipe", pid, fds: [this.fd] };
    this.#watchdog = watchdog;
    this.#caughtUp = setInterval(() => {
      if (!this.#behind) this.#signal(SIGALRM);
    }, CAUGHT_UP_MS);
    this.#options.pipeContext.began(this.#pipeReader);
    this.#connected.resolve();
  }

  /**
   * Signals the watchdog, and with `both` also `cat`. If the watchdog is not the pipe's child, these pids belong to
   * other processes: the pair is over, or runs in a container, where the watchdog ends it once the signals stop.
   */
  #signal(signal: number, { both = false } = {}): void {
    const { pipeContext } = this.#options;
    if (this.#watchdog === undefined || !this.#pipeReader) return;
    const { pid } = this.#pipeReader;
    if (!pipeContext.processes.isChild(this.#watchdog, pid)) return;
    for (const each of both ? [this.#watchdog, pid] : [this.#watchdog]) pipeContext.signal(each, signal);
  }
}

function noFifo(folder: string): AppError {
  const what = `Cannot follow a pane without attaching: no fifo can be created in ${folder}`;
  return new AppError("unsupported", what, { hint: "Set TMPDIR to a folder of your own" });
}

function silent(paneId: string): AppError {
  const what = `Cannot follow pane "${paneId}" without attaching: its pipe prints nothing`;
  return new AppError("unsupported", what, {
    hint: "The user of the tmux server must be this one, and needs sh and cat",
  });
}
