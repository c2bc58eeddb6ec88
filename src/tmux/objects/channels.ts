// Named signals between programs on one tmux server (`wait-for`).
import { AppError } from "../../errors.ts";
import type { Exec } from "../exec.ts";
import { failure } from "../failures.ts";
import { within } from "../../timer.ts";

/** Longest delay of `setTimeout`. */
const FOREVER_MS = 2 ** 31 - 1;

/** tmux takes this long to report a signal that was sent before; a wait of 0 seconds still sees it (ms). */
const SHORTEST_MS = 300;

/** Two were not enough on a machine under load: one run of the gate took a latched signal for a new one. */
const LATER_ANSWERS = 6;

/** Calls that wait for one channel, which share one waiter in tmux. */
type Listeners = Set<PromiseWithResolvers<boolean>>;

export interface ChannelWait {
  ms: number;
  signal: AbortSignal;
  /** A signal that came before anyone waited is put back for the program that it is meant for. */
  keeps?: boolean;
}

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

  /** True if the channel is signalled within `ms`; a signal that came before anyone waited counts, once. */
  async wait(channel: string, { ms, signal, keeps = false }: ChannelWait): Promise<boolean> {
    signal.throwIfAborted();
    const listeners = this.#waiting.get(channel) ?? this.#begin(channel, keeps);
    const listener = Promise.withResolvers<boolean>();
    listeners.add(listener);
    try {
      return await within(listener.promise, { ms: Math.max(ms, SHORTEST_MS), signal, late: () => false });
    } finally {
      listeners.delete(listener);
    }
  }

  async signal(channel: string): Promise<void> {
    const { code, stderr } = await this.#exec([["wait-for", "-S", "--", channel]]);
    if (code !== 0) throw failure(stderr, this.#socket);
  }

  #begin(channel: string, keeps: boolean): Listeners {
    const listeners: Listeners = new Set();
    this.#waiting.set(channel, listeners);
    const end = (settle: (listener: PromiseWithResolvers<boolean>) => void): void => {
      if (this.#waiting.get(channel) === listeners) this.#waiting.delete(channel);
      for (const listener of listeners) settle(listener);
    };
    this.#untilSignalled(channel, keeps).then(async (left) => {
      this.#waiting.delete(channel);
      if (listeners.size === 0 || left) await this.signal(channel);
      end((listener) => listener.resolve(true));
    }).catch((error) => end((listener) => listener.reject(error)));
    return listeners;
  }

  /** Settles when the channel is signalled; with `keeps`, true if it was signalled before. */
  async #untilSignalled(channel: string, keeps: boolean): Promise<boolean> {
    const woken = this.#exec([["wait-for", "--", channel]], { deadlineMs: FOREVER_MS });
    const wasThere = keeps && this.#settlesAtOnce(woken);
    const reply = await woken;
    if (reply.code !== 0) throw failure(reply.stderr, this.#socket);
    // A waiter also ends well when its server does.
    const { code } = await this.#exec([["list-sessions"]]);
    if (code === 0) return await wasThere;
    throw new AppError("gone", `The tmux server on "${this.#socket}" went away`, {
      hint: "Call list-servers for those that run",
    });
  }

  /** True if tmux returns a client sooner than several that come after it, one after the other. */
  async #settlesAtOnce(reply: Promise<unknown>): Promise<boolean> {
    let settled = false;
    const settle = (): void => void (settled = true);
    reply.then(settle, settle);
    for (let left = LATER_ANSWERS; left > 0 && !settled; left--) {
      await this.#exec([["display-message", "-p", ""]]).catch(() =>
        "a server that is gone ends the wait too"
      );
    }
    return settled;
  }
}
