// Notifies the client when resources come or go, whether it subscribed to anything or not, without attaching to tmux.

export interface ResourceListOptions {
  /** The list's ingredients as text that changes with it. @throws {AppError} when tmux does not answer */
  read(): Promise<string>;
  notify(): void;
}

/** Changes within this time are one notification (ms). */
const TOGETHER_MS = 100;
/** Interval between two questions to tmux while nobody calls; each takes about 1 ms (ms). */
const POLL_MS = 2000;

export class ResourceList {
  readonly #options: ResourceListOptions;
  /** The text last read; undefined until then. */
  #known: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #due: ReturnType<typeof setTimeout> | undefined;
  /** A call that may change the list began before it was read for the first time. */
  #mayDiffer = false;
  #isClosed = false;

  constructor(options: ResourceListOptions) {
    this.#options = options;
  }

  /** Sends notifications of every change from now on. */
  async follow(): Promise<void> {
    this.#timer ??= setInterval(() => void this.#compare(), POLL_MS);
    await this.#compare();
  }

  /** A call begins that may create or remove something. */
  changes(): void {
    this.#mayDiffer ||= this.#known === undefined;
  }

  /** Something may have come or gone. */
  changed(): void {
    if (this.#isClosed) return;
    this.#due ??= setTimeout(() => {
      this.#due = undefined;
      void this.#compare();
    }, TOGETHER_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#due);
  }

  async #compare(): Promise<void> {
    const before = this.#known;
    // A tmux server that does not answer is asked again next time.
    const now = await this.#options.read().catch(() => before);
    if (this.#isClosed || now === undefined || (now === this.#known && !this.#mayDiffer)) return;
    const isFirst = before === undefined && !this.#mayDiffer;
    this.#known = now;
    this.#mayDiffer = false;
    if (!isFirst) this.#options.notify();
  }
}
