// Named signals between programs on one tmux server (`wait-for`).
import { AppError } from "../../errors.ts";
import type { Command, Exec, Reply } from "../exec.ts";
import { tmuxFailure } from "../failures.ts";
import { delay, within } from "../../timer.ts";

/** Longest delay of `setTimeout`. */
const FOREVER_MS = 2 ** 31 - 1;

/** A signal that an earlier call's waiter was woken by takes this long to be reported (ms). */
const SHORTEST_MS = 300;

/** Time between two searches for a waiter that tmux has not met (ms). */
const SEARCH_MS = 5;

/** A signal that tmux has not taken by then waits for a program to unlock the channel (ms). */
const LOCKED_MS = 4000;

/** Server option that a waiter sets, and the first search that finds it removes. */
const QUEUED = "@tmux_mcp_queued";
const MARKED = "waits";

/** Calls that wait for one channel, which share one waiter in tmux. */
interface Waiter {
  listeners: Set<PromiseWithResolvers<boolean>>;
  /** True once tmux has the waiter wait, false if a signal was there before it. */
  queued: Promise<boolean>;
}

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
  readonly #waiting = new Map<string, Waiter>();

  /** `exec` must end its clients when this program does, and not with a call. */
  constructor(exec: Exec, socket: string) {
    this.#exec = exec;
    this.#socket = socket;
  }

  /** True if the channel is signalled within `ms`; a signal that came before anyone waited counts, once. */
  async wait(channel: string, { ms, signal, keeps = false }: ChannelWait): Promise<boolean> {
    signal.throwIfAborted();
    const { listeners, queued } = this.#waiting.get(channel) ?? this.#begin(channel, keeps);
    const listener = Promise.withResolvers<boolean>();
    listeners.add(listener);
    try {
      // The time begins when tmux has searched for a signal, however busy it is.
      const untilSearched = { ms: FOREVER_MS, signal, late: () => true };
      if (!await within(Promise.race([queued, listener.promise]), untilSearched)) {
        return await within(listener.promise, untilSearched);
      }
      return await within(listener.promise, { ms: Math.max(ms, SHORTEST_MS), signal, late: () => false });
    } finally {
      listeners.delete(listener);
    }
  }

  /**
   * tmux takes a second signal that nobody has waited for as the end of the first. Locking and unlocking a channel
   * removes a signal that is there, and nobody who waits, so the signal that follows always counts.
   */
  async signal(channel: string): Promise<void> {
    const batch = ["-L", "-U", "-S"].map((flag) => ["wait-for", flag, "--", channel]);
    const { code, stderr } = await within(this.#exec(batch, { deadlineMs: FOREVER_MS }), {
      ms: LOCKED_MS,
      late: () => {
        throw new AppError("busy", `Cannot signal channel "${channel}" yet: a program has locked it`, {
          hint: `The signal follows once "tmux wait-for -U ${channel}" has run`,
        });
      },
    });
    if (code !== 0) throw tmuxFailure(stderr, this.#socket);
  }

  #begin(channel: string, keeps: boolean): Waiter {
    const listeners: Waiter["listeners"] = new Set();
    const mark = `${QUEUED}_${crypto.randomUUID().replaceAll("-", "")}`;
    const woken = this.#exec(waitMarked(channel, mark), { deadlineMs: FOREVER_MS });
    const waiter = { listeners, queued: this.#isQueued(mark, woken) };
    this.#waiting.set(channel, waiter);
    const end = (settle: (listener: PromiseWithResolvers<boolean>) => void): void => {
      if (this.#waiting.get(channel) === waiter) this.#waiting.delete(channel);
      for (const listener of listeners) settle(listener);
    };
    this.#untilSignalled(woken).then(async () => {
      const wasThere = !await waiter.queued;
      this.#waiting.delete(channel);
      if (listeners.size === 0 || keeps && wasThere) await this.signal(channel);
      end((listener) => listener.resolve(true));
    }).catch((error) => end((listener) => listener.reject(error)));
    return waiter;
  }

  async #untilSignalled(woken: Promise<Reply>): Promise<void> {
    const { code, stderr } = await woken;
    if (code !== 0) throw tmuxFailure(stderr, this.#socket);
    // A waiter also ends well when its server does.
    if ((await this.#exec([["list-sessions"]])).code === 0) return;
    throw new AppError("gone", `The tmux server on "${this.#socket}" went away`, {
      hint: "Call list-servers for those that run",
    });
  }

  /** Searches until the waiter's mark shows that it waits, or the waiter has ended. */
  async #isQueued(mark: string, woken: Promise<Reply>): Promise<boolean> {
    let ended = false;
    const end = (): void => void (ended = true);
    woken.then(end, end);
    while (!ended) {
      // A server that doesn't answer can't be asked: the waiter's own end says what became of it.
      const reply = await this.#exec(findMark(mark)).catch(() => undefined);
      if (reply?.code !== 0 || new TextDecoder().decode(reply.stdout).includes(MARKED)) return true;
      if (!ended) await delay(SEARCH_MS);
    }
    return false;
  }
}

/**
 * tmux runs a batch without a pause up to a command that waits: whoever sees the mark knows that the waiter waits,
 * and a waiter that found a signal was never seen with it.
 */
function waitMarked(channel: string, mark: string): Command[] {
  return [["set-option", "-s", mark, MARKED], ["wait-for", "--", channel], ["set-option", "-su", mark]];
}

function findMark(mark: string): Command[] {
  return [["display-message", "-p", `#{${mark}}`], ["set-option", "-su", mark]];
}
