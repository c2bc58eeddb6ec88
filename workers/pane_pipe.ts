// What one pane prints, copied here by the pane's own pipe (`pipe-pane`), for which no client attaches.
import { AppError } from "../src/errors.ts";
import type { ClientHandle } from "../src/tmux/control_channel.ts";
import { controlLine } from "../src/tmux/control_line.ts";
import { type Command, DEFAULT_DEADLINE_MS, type Exec } from "../src/tmux/exec.ts";
import { literalTime } from "../src/tmux/format.ts";
import type { Fifo, Fifos } from "../src/tmux/socket/fifo.ts";
import type { Followed, Poller } from "../src/tmux/socket/poller.ts";
import { shellWord } from "../src/tmux/ssh/command.ts";
import { CLIENT_OF } from "../src/watch/protocol.ts";
import { type Answer, type PaneListener, type PaneSource, settle, tell } from "./pane_source.ts";

export interface PanePipeOptions {
  paneId: string;
  exec: Exec;
  fifos: Fifos;
  poller: Poller;
  /** Says in the copier's environment whose it is. */
  mark: string;
  /** Where a fifo can be for a moment. */
  folder: string;
  /** Room for what is read at once, shared: it is handed on before anyone reads again. */
  buffer: Uint8Array<ArrayBuffer>;
  /** Whether a process sleeps; undefined where that can't be known. */
  isAsleep(pid: number): boolean | undefined;
  endProcess(pid: number): void;
  /** Runs after everything that was to be run before, whichever pane that was for. */
  inTurn<T>(act: () => Promise<T>): Promise<T>;
  began(copier: ClientHandle): void;
  ended(copier: ClientHandle): void;
}

/** tmux takes a moment to see that a pipe has ended; one that stays longer is somebody else's. */
const TAKEN_MS = 500;
const TAKEN_LOOK_MS = 10;
const NEWLINE = 10;
/** How long the copier may take for what it holds, and how long it gets where nobody can see it sleep (ms). */
const COPY_MS = 2000;
const UNSEEN_MS = 5;

/**
 * tmux writes all that it reads from the pane to `cat`, which writes it to a fifo of ours. A pane has one pipe: one that
 * is there is left alone. With `-I` too tmux sees at once when `cat` is gone, though nothing is ever typed that way.
 */
export class PanePipe implements PaneSource, Followed {
  readonly #options: PanePipeOptions;
  readonly #listeners: Set<PaneListener> = new Set();
  readonly #connected: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #opened: Promise<void>;
  /** What was read before the copier had told its pid. */
  #head: number[] | undefined = [];
  #copier: ClientHandle | undefined;
  #fifo: Fifo | undefined;
  #closed = false;
  #bytes = 0;

  constructor(options: PanePipeOptions) {
    this.#options = options;
    this.#connected.promise.catch(() => {});
    this.#opened = this.#open();
    this.#opened.catch(() => this.#end());
  }

  get fd(): number {
    return this.#fifo?.fd ?? -1;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Its pane's output comes wherever the pane is. */
  serves(): boolean {
    return true;
  }

  async follow(_: string, listener: PaneListener): Promise<void> {
    this.#listeners.add(listener);
    await this.#opened;
  }

  leave(_: string, listener: PaneListener): Promise<void> {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#end();
    return Promise.resolve();
  }

  send(commands: readonly Command[], told?: (answer: Answer) => void): Promise<Answer> {
    const { exec, inTurn } = this.#options;
    return inTurn(async () => {
      const { code, stdout, stderr } = await exec(commands);
      const text = code === 0 ? new TextDecoder().decode(stdout) : stderr;
      const answer = { failed: code !== 0, text: text.replace(/\n$/, "") };
      await this.#drain();
      told?.(answer);
      return answer;
    });
  }

  async sync(): Promise<void> {
    await this.#options.exec([["display-message", "-p", ""]]);
    await this.#drain();
  }

  settle(): Promise<void> {
    return settle(this, () => this.#bytes);
  }

  /** Something is not as it was in its pane. */
  changed(): void {
    for (const listener of [...this.#listeners]) tell(listener, () => listener.changed());
  }

  wantsRoom(): boolean {
    return false;
  }

  /** One read takes all that a fifo holds. */
  ready(): number {
    const count = this.#read();
    // A fifo that nobody has opened yet reads as one that has ended.
    if (count === 0 && this.#head === undefined) this.#end();
    return count === "none yet" ? 0 : count;
  }

  async #open(): Promise<void> {
    const { fifos, poller, folder, paneId } = this.#options;
    const fifo = this.#fifo = fifos.make(folder);
    if (!fifo) throw noFifo(folder);
    try {
      await this.#pipeTo(fifo.path);
      if (!poller.follow(this)) throw noFifo(folder);
      const late = setTimeout(() => this.#connected.reject(silent(paneId)), DEFAULT_DEADLINE_MS);
      await this.#connected.promise.finally(() => clearTimeout(late));
    } finally {
      fifo.hide();
    }
  }

  /** Has tmux start the copier, unless the pane has a pipe. */
  async #pipeTo(path: string): Promise<void> {
    const { exec, paneId, mark } = this.#options;
    const own = `export ${CLIENT_OF}=${shellWord(mark)}`;
    const copy = `exec >${shellWord(path)} 2>/dev/null; ${own}; echo $$; exec cat`;
    const start = controlLine(["pipe-pane", "-I", "-O", "-t", paneId, literalTime(copy)]);
    const until = performance.now() + TAKEN_MS;
    for (;;) {
      const { code, stdout, stderr } = await exec([
        ["display-message", "-p", "-t", paneId, "#{pane_pipe}"],
        ["if-shell", "-F", "-t", paneId, "#{?pane_pipe,0,1}", start],
      ]);
      if (code !== 0) throw new AppError("not-found", stderr.trim());
      if (new TextDecoder().decode(stdout).trim() === "0") return;
      if (performance.now() > until) throw taken(paneId);
      await new Promise((resolve) => setTimeout(resolve, TAKEN_LOOK_MS));
    }
  }

  #read(): number | "none yet" {
    const { buffer } = this.#options;
    const count = this.#closed ? 0 : this.#fifo?.read(buffer) ?? 0;
    if (typeof count === "number" && count > 0) this.#take(buffer.subarray(0, count));
    return count;
  }

  #take(bytes: Uint8Array): void {
    const output = this.#head === undefined ? bytes : this.#afterHead(this.#head, bytes);
    if (output.length === 0) return;
    this.#bytes += output.length;
    for (const listener of [...this.#listeners]) tell(listener, () => listener.output(output));
  }

  /** The first line is the copier's own pid. */
  #afterHead(head: number[], bytes: Uint8Array): Uint8Array {
    const end = bytes.indexOf(NEWLINE);
    head.push(...bytes.subarray(0, end < 0 ? bytes.length : end));
    if (end < 0) return new Uint8Array();
    this.#head = undefined;
    this.#copier = { kind: "pipe", pid: Number(String.fromCharCode(...head)), fds: [this.fd] };
    this.#options.began(this.#copier);
    this.#connected.resolve();
    return bytes.subarray(end + 1);
  }

  /** Settles when what tmux has written is here: the copier sleeps, and has left nothing on the way. */
  async #drain(): Promise<void> {
    const until = performance.now() + COPY_MS;
    while (!this.#closed && this.#copier !== undefined && performance.now() < until) {
      const asleep = this.#options.isAsleep(this.#copier.pid);
      if (asleep === undefined) await new Promise((resolve) => setTimeout(resolve, UNSEEN_MS));
      const count = this.#read();
      if (count === 0 || (count === "none yet" && asleep !== false)) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    const { poller, endProcess, ended } = this.#options;
    poller.leave(this);
    this.#fifo?.close();
    this.#connected.reject(new AppError("gone", `The pipe of pane "${this.#options.paneId}" ended`));
    if (this.#copier) {
      endProcess(this.#copier.pid);
      ended(this.#copier);
    }
    for (const listener of [...this.#listeners]) tell(listener, () => listener.closed());
    this.#listeners.clear();
  }
}

function taken(paneId: string): AppError {
  return new AppError(
    "busy",
    `Cannot follow pane "${paneId}" without attaching: its output is piped already`,
    {
      hint: "End that pipe (pipe-pane with action stop, if it is not a person's), or let clients attach",
    },
  );
}

function noFifo(folder: string): AppError {
  return new AppError(
    "unsupported",
    `Cannot follow a pane without attaching: no fifo can be made in ${folder}`,
    {
      hint: "Set TMPDIR to a folder of your own",
    },
  );
}

function silent(paneId: string): AppError {
  return new AppError(
    "unsupported",
    `Cannot follow pane "${paneId}" without attaching: its pipe says nothing`,
    {
      hint:
        "tmux runs sh and cat for it as the user of its server: both must be there, and that user this one",
    },
  );
}
