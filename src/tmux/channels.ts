// Named signals between programs on one tmux server (`wait-for`).
import { AppError } from "../errors.ts";
import type { Exec } from "./exec.ts";
import { failure } from "./failures.ts";

/** What `setTimeout` can take. */
const FOREVER_MS = 2 ** 31 - 1;

/** A wait of no time still sees a signal that is there already: tmux takes this long to tell (ms). */
const SHORTEST_MS = 300;

/** Those who wait here for one channel, with one waiter in tmux between them. */
type Listeners = Set<PromiseWithResolvers<boolean>>;

/**
 * A waiter that is killed stays queued in tmux and swallows the next signal (3.3a), so one that nobody needs any
 * more is left waiting: the next call takes it over, and a signal that finds nobody is handed back to tmux.
 */
export class Channels {
  readonly #exec: Exec;
  readonly #socket: string;
  readonly #waiting = new Map<string, Listeners>();

  /** `exec` must end its clients when this program does, and not with a call. */
  constructor(exec: Exec, socket: string) {
    this.#exec = exec;
    this.#socket = socket;
  }

  /** Whether the channel is signalled within `ms`; a signal that came before anyone waited counts, once. */
  async wait(channel: string, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<boolean> {
    signal.throwIfAborted();
    const listeners = this.#waiting.get(channel) ?? this.#begin(channel);
    const listener = Promise.withResolvers<boolean>();
    listeners.add(listener);
    const timer = setTimeout(() => listener.resolve(false), Math.max(ms, SHORTEST_MS));
    const abort = (): void => listener.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      return await listener.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      listeners.delete(listener);
    }
  }

  async signal(channel: string): Promise<void> {
    const { code, stderr } = await this.#exec([["wait-for", "-S", "--", channel]]);
    if (code !== 0) throw failure(stderr, this.#socket);
  }

  #begin(channel: string): Listeners {
    const listeners: Listeners = new Set();
    this.#waiting.set(channel, listeners);
    const ended = (settle: (listener: PromiseWithResolvers<boolean>) => void): boolean => {
      this.#waiting.delete(channel);
      for (const listener of listeners) settle(listener);
      return listeners.size > 0;
    };
    this.#untilSignalled(channel).then(async () => {
      if (!ended((listener) => listener.resolve(true))) await this.signal(channel);
    }).catch((error) => ended((listener) => listener.reject(error)));
    return listeners;
  }

  async #untilSignalled(channel: string): Promise<void> {
    const reply = await this.#exec([["wait-for", "--", channel]], { deadlineMs: FOREVER_MS });
    if (reply.code !== 0) throw failure(reply.stderr, this.#socket);
    // A waiter also ends well when its server does.
    const { code } = await this.#exec([["list-sessions"]]);
    if (code === 0) return;
    throw new AppError("gone", `The tmux server on "${this.#socket}" went away`, {
      hint: "Call list-servers for those that run",
    });
  }
}
