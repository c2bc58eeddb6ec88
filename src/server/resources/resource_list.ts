// Notifies the client when resources are created or removed, even without subscriptions. It doesn't attach to tmux.
import { within } from "../../timer.ts";

export interface ResourceListOptions {
  /**
   * Returns text that changes whenever the list does.
   * @throws {AppError} when tmux does not answer
   */
  read(): Promise<string>;
  notify(): void;
}

/** Changes within this time are sent as one notification (ms). */
const TOGETHER_MS = 100;
/** Longest time (ms) that a client's list waits for a first reading: a host that does not answer takes 5 s. */
const FIRST_MS = 500;
/** Interval at which tmux is polled while nobody calls (ms); a poll takes about 1 ms. */
const POLL_MS = 2000;

export class ResourceList {
  readonly #options: ResourceListOptions;
  /** The text last read; undefined until then. */
  #known: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #due: ReturnType<typeof setTimeout> | undefined;
  /** True if a call that may change the list began before the list was first read. */
  #mayDiffer = false;
  #reading: Promise<void> | undefined;
  /** True if something may have changed since the last reading began. */
  #isStale = false;
  #isClosed = false;

  constructor(options: ResourceListOptions) {
    this.#options = options;
  }

  /** Sends notifications of every change from now on. */
  async follow(): Promise<void> {
    this.#timer ??= setInterval(() => void this.#compare(), POLL_MS);
    await this.#compare();
  }

  /**
   * Called before a client lists, or learns that its stream is open. Waits for a first reading that is under way: the
   * client's list must not be older, or it would never learn of a change in between. If that reading fails or takes
   * long, what is read counts as a change.
   */
  async waitForFirst(): Promise<void> {
    if (this.#known !== undefined || (this.#timer === undefined && this.#reading === undefined)) return;
    if (this.#reading) await within(this.#reading, { ms: FIRST_MS });
    this.#mayDiffer ||= this.#known === undefined;
  }

  /** Compares the list once. Called when a request begins, if nothing is polled. */
  compareSoon(): void {
    if (this.#known === undefined && !this.#mayDiffer) void this.#compare();
    else this.changed();
  }

  /** Called when a call begins that may create or remove something. */
  changes(): void {
    this.#mayDiffer ||= this.#known === undefined;
  }

  /** Called when something may have been created or removed. */
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

  /** One reading at a time: a slow one would end after a later one, and take its older text for a change. */
  async #compare(): Promise<void> {
    this.#isStale = true;
    if (this.#reading) return;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await (this.#reading = this.#compareOnce());
    }
    this.#reading = undefined;
  }

  async #compareOnce(): Promise<void> {
    const before = this.#known;
    // If the tmux server doesn't answer, the next poll or request asks again.
    const now = await this.#options.read().catch(() => before);
    if (this.#isClosed || now === undefined || (now === before && !this.#mayDiffer)) return;
    const isFirst = before === undefined && !this.#mayDiffer;
    this.#known = now;
    this.#mayDiffer = false;
    if (!isFirst) this.#options.notify();
  }
}
