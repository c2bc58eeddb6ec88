// One follow, which a worker serves; it moves to another worker if no client stays attached.
import { AppError } from "../errors.ts";
import type { Command } from "../tmux_exec/exec.ts";
import type { ReleaseClient } from "./no_output_clients.ts";
import type {
  CommandMark,
  FollowEnd,
  FollowSpec,
  HostMessage,
  PaneRef,
  Report,
  SpoolRef,
  WorkerMessage,
} from "./protocol.ts";
import { bestEffort, handledLater } from "../promises.ts";

/** Callbacks of a follow's owner; `failed` is the last call. */
export interface FollowHandlers {
  failed(error: AppError): void;
  progress?(message: WorkerMessage & { kind: "progress" }): void;
  event?(message: WorkerMessage & { kind: "event" }): void;
  mark?(message: WorkerMessage & { kind: "mark" }): void;
  bytes?(message: WorkerMessage & { kind: "bytes" }): void;
  spooling?(message: WorkerMessage & { kind: "spooling" }): void;
  gap?(message: WorkerMessage & { kind: "gap" }): void;
  sized?(message: WorkerMessage & { kind: "sized" }): void;
  /** Returns what the dead pane shows beyond the output so far. */
  dead?(): Promise<Uint8Array | undefined>;
  ended?(message: WorkerMessage & { kind: "ended" }): void;
  /** Settles with true once the program was answered and the watch is to continue. */
  asks?(message: WorkerMessage & { kind: "asks" }): Promise<boolean>;
}

/** Receives what commands print. `isLate`: output from after them was passed on before, because the pane prints a lot. */
export type OnRead = (printed: string, isLate: boolean) => void;

/** A follow, as its owner holds it. Its requests reject with `timeout` once tmux has answered nobody for 5 s. */
export type FollowHandle = Pick<
  Follow,
  "ready" | "send" | "read" | "report" | "endWatch" | "assumeBegun" | "stop"
>;

/** Messages of a worker that are for the follow itself. */
export type FollowMessage = Exclude<
  WorkerMessage,
  { kind: "client" | "closed" | "sleeps" | "reply" | "report" | "refused" | "failed" | "unusable" }
>;

/** A worker, as the follows that it serves use it. */
export interface FollowWorker {
  start(follow: Follow): void;
  send(watchId: string, commands: Command[]): Promise<string>;
  read(watchId: string, commands: Command[], onRead: OnRead): Promise<void>;
  report(watchId: string, paneId?: string, commands?: Command[]): Promise<Report>;
  stop(watchId: string, end: FollowEnd): void;
  post(message: HostMessage): void;
}

export interface FollowOptions {
  watchId: string;
  spec: FollowSpec;
  handlers: FollowHandlers;
  /** True if it counts towards `watch.max_watches`. */
  isWatch: boolean;
}

export class Follow {
  readonly watchId: string;
  readonly #isWatch: boolean;
  readonly #handlers: FollowHandlers;
  #ready = Promise.withResolvers<void>();
  #spec: FollowSpec;
  #worker: FollowWorker | undefined;
  #release: ReleaseClient | undefined;
  #hasBegun = false;
  #isReady = false;
  #isOver = false;
  #isWatchOver = false;
  /** Panes in which a person is asked. */
  readonly #asking: Set<string> = new Set();

  constructor({ watchId, spec, handlers, isWatch }: FollowOptions) {
    this.watchId = watchId;
    this.#isWatch = isWatch;
    this.#spec = spec;
    this.#handlers = handlers;
    // A caller that stops a follow before it is ready needn't wait for it.
    handledLater(this.ready);
  }

  /** True if it counts towards `watch.max_watches`; a command may keep running once its watch is over. */
  get isWatch(): boolean {
    return this.#isWatch && !this.#isWatchOver;
  }

  get spec(): FollowSpec {
    return this.#spec;
  }

  /** True once its worker reads the panes. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** True while no output can be missed; false again from `becomeUnattached` on. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Settles when no further byte can be missed; rejects when the follow fails or is stopped first. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Starts the follow in a worker; `release` is called when the follow stops. */
  serve(worker: FollowWorker, release?: ReleaseClient): void {
    this.#worker = worker;
    this.#release = release;
    if (this.#isWatchOver) this.#spec = watchless(this.#spec);
    worker.start(this);
  }

  /** Runs commands where the pane is read; returns what they print. */
  send(commands: Command[]): Promise<string> {
    return this.#worker!.send(this.watchId, commands);
  }

  /**
   * Runs commands that only read. `onRead` is called before anything that is printed later is passed on; the promise
   * settles after that.
   */
  read(commands: Command[], onRead: OnRead): Promise<void> {
    return this.#worker!.read(this.watchId, commands, onRead);
  }

  /**
   * Returns a pane's output up to now (by default the first pane's). It ends the watch, but not the stream. With
   * commands, the output ends where these are run, and what they print is returned too.
   */
  report(paneId?: string, commands?: Command[]): Promise<Report> {
    this.#isWatchOver = true;
    return this.#worker!.report(this.watchId, paneId, commands);
  }

  /** Ends the watch, but not the stream; its report is not wanted. */
  endWatch(): void {
    if (!this.#isWatchOver && !this.#isOver) bestEffort(this.report());
  }

  /** Takes the command for begun, unless its mark C was read or is still awaited: output was lost, perhaps with it. */
  assumeBegun(): void {
    const last = this.#spec.marks?.last;
    // A mark C or D that was read says more.
    if (last?.kind === "ready") {
      this.#noteMark({ kind: "output", shell: last.shell, listening: last.listening });
    }
    this.#worker?.post({ kind: "assumeBegun", watchId: this.watchId });
  }

  stop(end: FollowEnd = { atOnce: false }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ready.reject(watchEnded());
    this.#release?.(end);
    this.#worker?.stop(this.watchId, end);
  }

  /** Ends the follow with an error, because its worker can't continue it. */
  fail(error: AppError): void {
    this.#ready.reject(error);
    this.stop();
    this.#handlers.failed(error);
  }

  /** Makes the follow read its panes through their pipes; output until it is ready again is lost. */
  becomeUnattached(): void {
    this.#release?.({ atOnce: true });
    this.#spec = { ...unattached(this.#spec), ...(this.#hasBegun && { resumed: true }) };
    this.#isReady = false;
    if (this.#hasBegun) this.#ready = Promise.withResolvers();
    handledLater(this.ready);
    // Nothing is missing of a command that is over.
    if (this.#spec.marks?.last?.kind === "done") return;
    for (const { paneId } of this.#spec.panes) {
      this.#handlers.gap?.({ kind: "gap", watchId: this.watchId, paneId });
    }
  }

  /** Has the follow read the spools of the commands in its panes; returns true if one had none before. */
  readSpools(spoolOf: (pane: PaneRef) => SpoolRef | undefined): boolean {
    let hasNew = false;
    const panes = this.#spec.panes.map((pane) => {
      const commandSpool = pane.commandSpool ? undefined : spoolOf(pane);
      hasNew ||= commandSpool !== undefined;
      return commandSpool ? { ...pane, commandSpool } : pane;
    });
    this.#spec = { ...this.#spec, panes };
    return hasNew;
  }

  /** Handles a message from its worker. */
  receive(message: FollowMessage): void {
    switch (message.kind) {
      case "ready":
        this.#hasBegun = this.#isReady = true;
        return this.#ready.resolve();
      case "asks":
        return void this.#ask(message);
      case "event":
        this.#isWatchOver = true;
        return this.#handlers.event?.(message);
      case "mark":
        this.#noteMark(message.mark);
        return this.#handlers.mark?.(message);
      case "dead":
        return void this.#postRest(this.#handlers.dead?.());
      default:
        (this.#handlers[message.kind] as ((message: FollowMessage) => void) | undefined)?.(message);
    }
  }

  /** Has a follow that begins again, in another worker, look for what comes after this mark. */
  #noteMark(last: CommandMark): void {
    const { marks } = this.#spec;
    if (marks) this.#spec = { ...this.#spec, marks: { ...marks, last } };
  }

  /** Has a person asked; if the follow begins again meanwhile, its worker sees the same question again. */
  async #ask(message: WorkerMessage & { kind: "asks" }): Promise<void> {
    if (this.#asking.has(message.paneId)) return;
    this.#asking.add(message.paneId);
    const isAnswered = await this.#handlers.asks?.(message);
    this.#asking.delete(message.paneId);
    if (isAnswered) this.#worker?.post({ kind: "answered", watchId: this.watchId });
  }

  async #postRest(rest: Promise<Uint8Array | undefined> | undefined): Promise<void> {
    const bytes = await rest;
    // The worker may have changed meanwhile.
    this.#worker?.post({ kind: "rest", watchId: this.watchId, bytes });
  }
}

/** The error for a caller of a follow that has been stopped. */
export function watchEnded(): AppError {
  return new AppError("gone", "The watch has ended", { hint: "Call pane-state for what its pane does now" });
}

/** Returns the same follow, but of the stream alone. */
function watchless({ pace: _pace, handsOver: _handsOver, ...spec }: FollowSpec): FollowSpec {
  return { ...spec, triggers: [] };
}

/** Returns the same follow, but without a client that attaches: a pipe loses no final output. */
export function unattached({ held: _, ...spec }: FollowSpec): FollowSpec {
  return { ...spec, server: { ...spec.server, unattached: true } };
}
