// State that outlives this server process, and state that it takes over from earlier ones.
import type { RecordStore, StoredRecord } from "../records/record_store.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { ALL_OUTPUT_BYTES, type MemoryBudget, OutputStore } from "../commands/output_store.ts";
import type { RecoveredCommandOptions } from "../commands/durable/recovery_options.ts";
import type { ActiveWatch, Watches } from "../watch/watches.ts";
import { ResumedWatches } from "./resumed_watches.ts";
import { PROBE_MS, RecordedServers, type RecordedServersOptions } from "./recorded_servers.ts";
import { isUnfinishedIn } from "./unfinished_records.ts";
import { OthersWatches } from "./others_watches.ts";
import { SharedTakeover, TAKE_OVER_MS } from "./shared_takeover.ts";
import { isOverdue, readWatch, type StoredWatch, WATCH_LETTER } from "../watch/watch_records.ts";
import { RecoveredCommands, type RecoveredCommandsOptions } from "../commands/durable/recovered_commands.ts";
import { COMMAND_LETTER, serverKeyOf, type StoredCommand } from "../commands/durable/stored_command.ts";
import type { ErrorPatterns } from "../findings/error_line.ts";
import { type CommandPane, findSpool } from "../commands/durable/spooled_panes.ts";
import { AppError, hasCode } from "../errors.ts";
import { bestEffort, settled } from "../promises.ts";
import { delay } from "../timer.ts";
import type { WatchResult } from "../watch/inbox.ts";

export interface DurableStateOptions
  extends
    Pick<RecoveredCommandOptions, "endPipe" | "lease" | "changesPanes">,
    Pick<RecoveredCommandsOptions, "connect" | "spoolsPiped" | "visiblePanes">,
    Pick<RecordedServersOptions, "libc" | "seesSocket">,
    ErrorPatterns {
  /** Undefined if everything is kept in memory. */
  store: RecordStore | undefined;
  /** Largest part of one command's output that stays in memory (bytes); the rest is in a file in `outputFolder`. */
  maxOutputBytes: number;
  outputFolder: string;
  /** Cleans up what dead processes have left on a tmux server. */
  sweep(tmux: Tmux): Promise<void>;
  watches: Watches;
}

/** Time (ms) to the first pruning of the records folder, after the first calls; then it is pruned every hour. */
const PRUNE_AFTER_MS = 5000;
const PRUNE_EVERY_MS = 3_600_000;

export class DurableState {
  readonly recovered: RecoveredCommands | undefined;
  readonly #options: DurableStateOptions;
  readonly #memory: MemoryBudget = { left: ALL_OUTPUT_BYTES };
  readonly #watches: ResumedWatches | undefined;
  readonly #othersWatches: OthersWatches | undefined;
  readonly #recordedServers: RecordedServers | undefined;
  /** Addresses of tmux servers that calls have used, and that answered or are being asked. */
  readonly #used: Set<string> = new Set();
  /** One takeover at a time, so that a caller sees everything that was taken over. */
  #takingOver: Promise<void> = Promise.resolve();
  /** By socket, as long as calls wait there. */
  readonly #shared: Map<string, SharedTakeover> = new Map();
  #pruning: ReturnType<typeof setTimeout> | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  /** Sockets of tmux servers whose next sweep has not begun. */
  readonly #unswept: Set<string> = new Set();

  constructor(options: DurableStateOptions) {
    this.#options = options;
    const { store } = options;
    this.recovered = store &&
      new RecoveredCommands({
        ...options,
        store,
        newOutputStore: this.newOutputStore,
        sweep: this.#sweepSoon,
        abandoned: (tmux, serverKey) => this.takeOver(tmux, serverKey),
      });
    if (store) this.#prune(store, PRUNE_AFTER_MS);
    this.#watches = this.recovered &&
      new ResumedWatches({ ...options, commands: this.recovered, sweep: this.#sweepSoon });
    this.#othersWatches = store && new OthersWatches({ ...options, store });
    this.#recordedServers = store && new RecordedServers({ ...options, store });
  }

  /** Creates the store of one command's output while this process lives. */
  readonly newOutputStore = (): OutputStore => {
    const { maxOutputBytes, outputFolder } = this.#options;
    return new OutputStore({ memory: maxOutputBytes, shared: this.#memory, folder: outputFolder });
  };

  /** Takes over what is abandoned on a tmux server, when a call first uses it or this process starts on it. */
  noteUse(used: Tmux): void {
    if (!this.#options.store) return;
    // It takes over for later calls too.
    const tmux = used.outlivingCall();
    if (this.#used.has(tmux.address)) return void bestEffort(this.#askAgain(tmux));
    this.#used.add(tmux.address);
    const isSeen = this.#options.seesSocket(tmux.socketPath, tmux.machine.host);
    // A server that can't be reached has nothing to take over; the next call to it tries again.
    const taken = isSeen
      ? this.takeOver(tmux).catch(() => void this.#used.delete(tmux.address))
      : Promise.resolve();
    void taken.then(() => bestEffort(this.#takeOverElsewhere(tmux)));
  }

  /** Asks about unreached watches again if tmux answers: calls that wait do so too, but not on a host. */
  async #askAgain(tmux: Tmux): Promise<void> {
    const unreached = this.#watches?.unreached;
    if (tmux.machine.host === undefined || !unreached?.active().length) return;
    const key = await tmux.servers.key();
    if (key !== undefined) unreached.askNow(key);
  }

  /** Takes over what dead processes have left there so far. `serverKey`: key of a tmux server that may have ended. */
  async takeOver(tmux: Tmux, serverKey?: string): Promise<void> {
    // Asked before its turn: a server that does not answer must not hold up the others.
    const key = serverKey ?? await tmux.servers.key();
    const turn = this.#takingOver.then(() => this.#takeOver(tmux, key));
    this.#takingOver = settled(turn);
    await turn;
  }

  /**
   * Runs `wait`, and takes over from processes that die meanwhile, also at other sockets of this machine. `cursor`: a
   * cursor of watch-events; if its process is dead, the watches that another one has taken over are read too, and those
   * of tmux servers that have ended.
   */
  async during<T>(tmux: Tmux, wait: () => T | Promise<T>, cursor?: string): Promise<T> {
    if (!this.#options.store || tmux.machine.host !== undefined) return await wait();
    if (cursor !== undefined) await this.#takeOverEnded(cursor);
    const { socketPath } = tmux;
    const shared = this.#shared.get(socketPath) ?? this.#shareTakeover(tmux.outlivingCall());
    try {
      return await shared.during(wait, cursor);
    } finally {
      if (shared.isIdle) this.#shared.delete(socketPath);
    }
  }

  /** Takes over what the process of a cursor, if it is dead, has left of tmux servers that have ended. */
  async #takeOverEnded(cursor: string): Promise<void> {
    const [token = ""] = cursor.split("-");
    if (token === this.#options.store?.ids.token) return;
    const ended = await this.#recordedServers?.ended(token) ?? [];
    for (const { tmux, key } of ended) await bestEffort(this.takeOver(tmux, key));
  }

  #shareTakeover(tmux: Tmux): SharedTakeover {
    const shared = new SharedTakeover(async (cursors) => {
      // A server that can't be reached has nothing to take over.
      await Promise.all([
        bestEffort(this.#takeOverAt(tmux, { cursors })),
        this.#takeOverElsewhere(tmux, cursors),
      ]);
    });
    this.#shared.set(tmux.socketPath, shared);
    return shared;
  }

  /** True if the pane's pipe copies the output of a command that has not ended, whichever process runs it. */
  pipesOutput(pane: CommandPane): boolean {
    const { store, spoolsPiped } = this.#options;
    return store !== undefined && findSpool(pane, store, spoolsPiped) !== undefined;
  }

  /**
   * Watches of dead processes that this one does not follow: the client has their cursors and another process follows
   * them, or tmux has yet to answer.
   */
  unfollowed(): ActiveWatch[] {
    return [...this.#othersWatches?.active() ?? [], ...this.#watches?.unreached.active() ?? []];
  }

  /** Returns the watches that others follow on a tmux server, and those on any that this process does not follow yet. */
  async unfollowedOn(tmux: Tmux): Promise<ActiveWatch[]> {
    const key = await tmux.servers.key();
    const others = key === undefined ? [] : this.#othersWatches?.running(key) ?? [];
    return [...others, ...this.#watches?.unreached.active() ?? []];
  }

  /** Stops a watch of a dead process that tmux has yet to answer about; returns false for any other. */
  stopUnreached(watchId: string): boolean {
    return this.#watches?.unreached.stop(watchId) ?? false;
  }

  async #takeOverElsewhere(tmux: Tmux, cursors?: ReadonlySet<string>): Promise<void> {
    const others = await this.#recordedServers?.besides(tmux) ?? [];
    const timeoutMs = PROBE_MS;
    await Promise.all(others.map((each) => bestEffort(this.#takeOverAt(each, { cursors, timeoutMs }))));
  }

  /** Takes over on one tmux server that answers in time, and reads the watches that others follow there. */
  async #takeOverAt(
    tmux: Tmux,
    { cursors, ...options }: { cursors: ReadonlySet<string> | undefined; timeoutMs?: number },
  ): Promise<void> {
    const key = await tmux.servers.key(options);
    if (key === undefined) return void this.#used.delete(tmux.address);
    this.#watches?.unreached.askNow(key);
    await this.takeOver(tmux, key);
    for (const cursor of cursors ?? []) this.#othersWatches?.follow(cursor, key);
    await this.#othersWatches?.read(tmux, key);
  }

  /**
   * Waits for the result of a watch that a dead process began for a task, and that any process continues.
   * @throws {AppError} `gone` if no process does
   */
  async untilWatched(watchId: string, tmux: Tmux, signal: AbortSignal): Promise<WatchResult> {
    const { store } = this.#options;
    // The result of a watch that has just ended may not be written yet.
    for (let wasFollowed = true;;) {
      try {
        const isAbandoned = store?.isAbandoned(watchId);
        // A watch that another call is taking over runs after that.
        await bestEffort(isAbandoned ? this.takeOver(tmux, serverKeyOf(watchId)) : this.#takingOver);
        const isFollowed = this.#isFollowed(watchId);
        const stored = store?.read<StoredWatch>(watchId);
        const result = stored && readWatch(stored)?.result;
        if (result) return result;
        if (!stored || store?.isElsewhere(watchId) || !wasFollowed && !isFollowed && isOverdue(stored)) {
          throw new AppError("gone", `Cannot find the result of watch "${watchId}"`, {
            hint: "Call list-commands for running commands, then watch-pane again",
          });
        }
        wasFollowed = isFollowed;
      } catch (error) {
        // Without descriptors, nothing is known until the next look.
        if (!hasCode(error, "busy")) throw error;
      }
      await delay(TAKE_OVER_MS / 4, signal);
      signal.throwIfAborted();
    }
  }

  /** True if a live process follows a watch, which may end long after its time on the clock: machines sleep. */
  #isFollowed(watchId: string): boolean {
    const { store, watches } = this.#options;
    return store?.owns(watchId) ? watches.runs(watchId) : store?.isAbandoned(watchId) === false;
  }

  /** Sweeps one server after another: records that end together need one sweep, and at most one more. */
  readonly #sweepSoon = (tmux: Tmux): void => {
    const { socketPath } = tmux;
    if (this.#unswept.has(socketPath)) return;
    this.#unswept.add(socketPath);
    this.#sweeping = this.#sweeping.then(() => {
      this.#unswept.delete(socketPath);
      return bestEffort(this.#options.sweep(tmux));
    });
  };

  async #takeOver(tmux: Tmux, key: string | undefined): Promise<void> {
    const { store, watches, sweep } = this.#options;
    if (!store || key === undefined) return void this.#used.delete(tmux.address);
    const { tokens, records } = await store.takeOver(key, await this.#scopeOn(tmux, key));
    if (tokens.length === 0) return;
    watches.inbox.inherit(tokens);
    // The processes may have died long after this process first took over from that tmux server.
    await bestEffort(sweep(tmux));
    // A pane has one pipe: a command's copies to its file, and a watch can read there.
    const commands = records.filter(({ id }) => id.startsWith(COMMAND_LETTER)) as StoredCommand[];
    // No other process can take over these watches now, so a failure with the commands must not prevent it here.
    await bestEffort(this.recovered?.takeOver(commands));
    const watched = records.filter(({ id }) => id.startsWith(WATCH_LETTER)) as StoredWatch[];
    await this.#watches?.takeOver(watched, tmux);
  }

  /** Returns a test for the records of a tmux server that this one may take over; undefined if it may take over all. */
  async #scopeOn(tmux: Tmux, key: string): Promise<((record: StoredRecord) => boolean) | undefined> {
    const visible = await this.#options.visiblePanes(tmux);
    if (visible === undefined) return undefined;
    // Panes of an earlier tmux server can have the same ids.
    return isUnfinishedIn(key === await tmux.servers.key() ? visible : new Set());
  }

  close(): void {
    clearTimeout(this.#pruning);
    this.#watches?.close();
    this.recovered?.close();
  }

  /** Prunes the folder after some time, and then regularly; records of earlier processes count too. */
  #prune(store: RecordStore, afterMs: number): void {
    this.#pruning = setTimeout(() => {
      void store.prune();
      this.#prune(store, PRUNE_EVERY_MS);
    }, afterMs);
    Deno.unrefTimer(this.#pruning);
  }
}
