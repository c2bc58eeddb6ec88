// Named signals between programs on one tmux server (`wait-for`).
import { AppError } from "../../errors.ts";
import { bestEffort } from "../../promises.ts";
import type { Command, Exec, Reply } from "../../tmux_exec/exec.ts";
import { tmuxFailure } from "../failures.ts";
import { SERVER_KEY } from "../server_key.ts";
import { delay, LONGEST_MS, within } from "../../timer.ts";

/** Time (ms) until a signal is reported that has already woken the waiter of an earlier call. */
const SHORTEST_MS = 300;

/** Interval (ms) of checks for a waiter that tmux has not reached yet. */
const SEARCH_MS = 5;

/** Time (ms) after which a signal that tmux has not accepted must be waiting for a program to unlock the channel. */
const LOCKED_MS = 4000;

/**
 * Maximum number of waiters that no call listens to. Each keeps a connection to tmux open, with a descriptor and a
 * buffer of 64 KB.
 */
const MAX_ABANDONED = 128;

/** Server option that a waiter sets; the first check that finds it removes it. */
const QUEUED = "@tmux_mcp_queued";
const MARKED = "waits";

const PRINT_KEY: Command = ["display-message", "-p", SERVER_KEY];

/** The calls that wait for one channel; they share one waiter in tmux. */
interface Waiter {
  listeners: Set<PromiseWithResolvers<boolean>>;
  /** True once the waiter waits in tmux; false if a signal was there before it. */
  queued: Promise<boolean>;
  /** True once this program has signalled the channel, which ends the waiter. */
  isSignalled: boolean;
}

export interface ChannelWait {
  ms: number;
  signal: AbortSignal;
  /** A signal that came before anyone waited is put back for the program that it is meant for. */
  keeps?: boolean;
}

/**
 * Channels of one server. A waiter that is killed stays queued in tmux and swallows the next signal (3.3a). So a
 * waiter that is no longer needed is left waiting: the next call takes it over, and a signal without a listener is
 * handed back to tmux.
 */
export class Channels {
  readonly #exec: Exec;
  readonly #socket: string;
  readonly #waiting = new Map<string, Waiter>();

  /** `exec` must end its clients when this program ends, not when a call ends. */
  constructor(exec: Exec, socket: string) {
    this.#exec = exec;
    this.#socket = socket;
  }

  /**
   * True if the channel is signalled within `ms`; a signal that came before anyone waited counts, once.
   * @throws {AppError} `busy` if too many earlier waits were for channels that are still not signalled
   */
  async wait(channel: string, { ms, signal, keeps = false }: ChannelWait): Promise<boolean> {
    signal.throwIfAborted();
    const { listeners, queued } = this.#waiting.get(channel) ?? this.#begin(channel, keeps);
    const listener = Promise.withResolvers<boolean>();
    listeners.add(listener);
    try {
      // The time starts once tmux has looked for an earlier signal, however busy it is.
      const untilSearched = { ms: LONGEST_MS, signal, late: () => true };
      if (!await within(Promise.race([queued, listener.promise]), untilSearched)) {
        return await within(listener.promise, untilSearched);
      }
      return await within(listener.promise, { ms: Math.max(ms, SHORTEST_MS), signal, late: () => false });
    } finally {
      listeners.delete(listener);
    }
  }

  /**
   * Signals a channel. tmux takes a second signal that nobody waited for as the end of the first. Locking and
   * unlocking a channel removes a pending signal but no waiters, so the signal that follows always counts.
   * @throws {AppError} `busy` while a program has locked the channel
   */
  async signal(channel: string): Promise<void> {
    const batch = ["-L", "-U", "-S"].map((flag) => ["wait-for", flag, "--", channel]);
    const { code, stderr } = await within(this.#exec(batch, { timeoutMs: LONGEST_MS }), {
      ms: LOCKED_MS,
      late: () => {
        throw new AppError("busy", `Cannot signal channel "${channel}" yet: a program has locked it`, {
          hint: `The signal follows once "tmux wait-for -U ${channel}" has run`,
        });
      },
    });
    if (code !== 0) throw tmuxFailure(stderr, this.#socket);
    const waiter = this.#waiting.get(channel);
    if (waiter) waiter.isSignalled = true;
  }

  #begin(channel: string, keeps: boolean): Waiter {
    this.#checkRoom(channel);
    const listeners: Waiter["listeners"] = new Set();
    const mark = `${QUEUED}_${crypto.randomUUID().replaceAll("-", "")}`;
    const woken = this.#exec(waitMarked(channel, mark), { timeoutMs: LONGEST_MS });
    const waiter = { listeners, queued: this.#isQueued(mark, woken), isSignalled: false };
    this.#waiting.set(channel, waiter);
    const end = (settle: (listener: PromiseWithResolvers<boolean>) => void): void => {
      if (this.#waiting.get(channel) === waiter) this.#waiting.delete(channel);
      for (const listener of listeners) settle(listener);
    };
    this.#untilSignalled(channel, woken).then(async () => {
      const wasThere = !await waiter.queued;
      this.#waiting.delete(channel);
      if (listeners.size === 0 || keeps && wasThere) await this.signal(channel);
      end((listener) => listener.resolve(true));
    }).catch((error) => end((listener) => listener.reject(error)));
    return waiter;
  }

  #checkRoom(channel: string): void {
    const abandoned = [...this.#waiting].filter(([, { listeners, isSignalled }]) =>
      listeners.size === 0 && !isSignalled
    );
    if (abandoned.length >= MAX_ABANDONED) throw tooMany(channel, abandoned[0]![0]);
  }

  async #untilSignalled(channel: string, woken: Promise<Reply>): Promise<void> {
    const waiter = await woken;
    if (waiter.code !== 0) throw tmuxFailure(waiter.stderr, this.#socket);
    // A waiter also exits with success when its server ends, and another may have the socket since.
    const now = await this.#exec([PRINT_KEY]).catch((error) => {
      // The waiter has taken the signal, and no call gets it.
      bestEffort(this.signal(channel));
      throw error;
    });
    if (now.code === 0 && firstLine(now) === firstLine(waiter)) return;
    throw new AppError("gone", `The tmux server on "${this.#socket}" ended during the call`, {
      hint: "Call list-servers for running servers",
    });
  }

  /** Checks until the waiter's mark shows that it waits, or the waiter has ended. */
  async #isQueued(mark: string, woken: Promise<Reply>): Promise<boolean> {
    let ended = false;
    const end = (): void => void (ended = true);
    woken.then(end, end);
    while (!ended) {
      // A server that does not reply can't be asked; the end of the waiter shows what became of it.
      const reply = await this.#exec(findMark(mark)).catch(() => undefined);
      if (reply?.code !== 0 || new TextDecoder().decode(reply.stdout).includes(MARKED)) return true;
      if (!ended) await delay(SEARCH_MS);
    }
    return false;
  }
}

function tooMany(channel: string, oldest: string): AppError {
  const reason = `${MAX_ABANDONED} channels of earlier waits are still not signalled`;
  return new AppError("busy", `Cannot wait for channel "${channel}": ${reason}`, {
    hint: `Call signal-channel for those that no program will signal any more, such as "${oldest}"`,
  });
}

/**
 * Commands of a waiter. tmux runs a batch without a pause up to a command that waits. So the mark can be seen only
 * while the waiter waits; a waiter that found a signal is never seen with it.
 */
function waitMarked(channel: string, mark: string): Command[] {
  return [
    PRINT_KEY,
    ["set-option", "-s", mark, MARKED],
    ["wait-for", "--", channel],
    ["set-option", "-su", mark],
  ];
}

/** First line of a reply; hooks of the user may print after it. */
function firstLine({ stdout }: Reply): string | undefined {
  return new TextDecoder().decode(stdout).split("\n")[0];
}

function findMark(mark: string): Command[] {
  return [["display-message", "-p", `#{${mark}}`], ["set-option", "-su", mark]];
}
