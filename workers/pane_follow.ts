// Follows one pane for one watch: turns bytes into lines, and lines and kernel facts into the first event.
import { describeEnding, type Ending } from "../src/process/ending.ts";
import { type MarkedPiece, MarkScanner } from "../src/shell/marks.ts";
import type { CommandMark, FollowEnd, FollowSpec, Trigger } from "../src/watch/protocol.ts";
import { serverOf } from "../src/watch/protocol.ts";
import type { Sleep } from "./poll_scheduler.ts";
import { ProcessPoller } from "./processes/process_poller.ts";
import { type ProcessFired, ProcessTriggers } from "./processes/process_triggers.ts";
import type { PaneFollowOptions } from "./pane_follow_options.ts";
import { PaneRequests } from "./pane_requests.ts";
import { type PaneReader, PaneStream } from "./sources/pane_stream.ts";
import { FinalOutput } from "./final_output.ts";
import { IdleTimer } from "./idle_timer.ts";
import { PaneText } from "./text/pane_text.ts";
import { SharedOffset } from "./shared_offset.ts";
import type { Fired } from "./text/text_triggers.ts";
import { bestEffort } from "../src/promises.ts";

interface EventDetails {
  ending?: Ending | undefined;
  /** Number of bytes received after those that the event is about. */
  bytesAfter?: number;
  /** The command may be done, its mark D lost: the host finds out. */
  mayBeDone?: boolean | undefined;
}

/** Triggers that mean nothing while a person is answering; `idle` would only have tmux asked at each tick. */
const HANDED_OVER: ReadonlySet<Trigger["kind"]> = new Set(["user_input", "bell", "idle"]);
/** Time (ms) from output to the next inspection: output is often the last thing before a program waits or ends. */
const POLL_AFTER_MS = 5;

export class PaneFollow implements PaneReader {
  readonly paneId: string;
  readonly requests: PaneRequests;
  readonly #stream: PaneStream;
  readonly #options: PaneFollowOptions;
  readonly #text: PaneText;
  readonly #processes: ProcessTriggers;
  readonly #poller: ProcessPoller;
  readonly #scanner: MarkScanner | undefined;
  readonly #finalOutput: FinalOutput | undefined;
  readonly #idleTimer: IdleTimer;
  /** True if new text counts: from the start, or between marks C and D of a command. */
  #counting: boolean;
  /** True if bytes are passed on. Those of a command end with D, although what it left running may keep printing. */
  #streaming: boolean;
  #finished = false;
  #ended = false;
  readonly #offset: SharedOffset;
  readonly #rest: PromiseWithResolvers<Uint8Array | undefined> = Promise.withResolvers();

  constructor(options: PaneFollowOptions) {
    const { pane, spec, probe } = options;
    this.#options = options;
    this.paneId = pane.paneId;
    this.#scanner = spec.marks && new MarkScanner(spec.marks);
    const last = spec.marks?.last?.kind;
    this.#counting = !spec.marks || last === "output" || last === "done";
    this.#streaming = spec.stream && last !== "done";
    this.#offset = new SharedOffset(options.placeOfOther);
    this.#idleTimer = new IdleTimer(spec.triggers);
    this.#text = new PaneText({ ...options, fired: (fired) => this.#textFired(fired) });
    // The stream attaches at once, and nobody else could detach it if what comes next fails.
    this.#stream = new PaneStream({ pane, spec, sourceOf: options.sourceOf, reader: this });
    try {
      this.#processes = new ProcessTriggers({ ...options, ended: () => this.#pollNow() });
    } catch (error) {
      bestEffort(this.#stream.leave({ atOnce: true }));
      throw error;
    }
    this.#poller = new ProcessPoller({
      processes: this.#processes,
      probe,
      found: (fired) => void this.#stream.afterOutput(() => this.#processFired(fired)),
      gone: () => void this.#stream.check(),
      tick: () => this.tick(),
      failed: options.failed,
    });
    const judged = async () => this.#counting ? await this.#poller.catchUp() : undefined;
    const parts = { stream: this.#stream, text: this.#text, processes: this.#processes };
    this.requests = new PaneRequests({ ...options, ...parts, judged });
    const received = () => this.#text.latest();
    if (spec.held) this.#finalOutput = new FinalOutput({ pane, stream: this.#stream, received });
  }

  follows(paneId: string, server: FollowSpec["server"]): boolean {
    return paneId === this.paneId && serverOf(server) === serverOf(this.#options.spec.server);
  }

  async begin(): Promise<void> {
    await this.#stream.begin();
    await this.#finalOutput?.begin();
    this.#idleTimer.reset();
    if (this.#counting) this.#poller.pollIn(0);
  }

  tick(): void {
    this.#poller.refreshed(() => this.#tick(performance.now()));
  }

  #tick(now: number): void {
    if (this.#ended || this.#poller.isEnding(now) || this.#finished || !this.#counting) return;
    const progress = this.#text.progress(now);
    if (progress) this.#options.post({ kind: "progress", ...progress });
    const idle = this.#processes.isHandedOver ? undefined : this.#idleTimer.due(now);
    if (idle) void this.#stream.afterOutput(() => this.#fireIdle());
    this.#poller.judge(now);
  }

  /** Time for which another tick would find nothing; undefined if that is unknown. */
  get sleep(): Sleep | undefined {
    if (this.#ended) return { until: Infinity, awaited: [] };
    if (this.#options.probe.refresh) return undefined;
    const checked = this.#counting && !this.#finished;
    const dueAt = Math.min(this.#idleTimer.dueAt, this.#text.progressDueAt);
    const awaited = this.#processes.awaited(checked);
    return awaited && { until: checked ? dueAt : Infinity, awaited };
  }

  #pollNow(): void {
    try {
      this.#options.pollSoon();
      this.tick();
    } catch (error) {
      this.failed(error);
    }
  }

  /** Reads the final output of a dead pane. Only the host knows where the output of a command begins. */
  async died(): Promise<void> {
    if (this.#scanner) this.#options.post({ kind: "dead" });
    const reading = this.#scanner ? this.#rest.promise : this.#finalOutput?.read();
    const bytes = await reading?.catch(() => undefined);
    if (bytes?.length) this.#take(bytes, this.#scanner && { streams: false });
    if (!bytes && this.#scanner && !this.#counting) this.gap(); // tmux lost mark C too.
    if (this.#scanner) this.#streaming = false;
  }

  /** Receives the dead pane's missing output from the host. */
  rest(bytes: Uint8Array | undefined): void {
    this.#rest.resolve(bytes);
  }

  /** Ends the watch of this pane. With `stream` or marks, its bytes are passed on until `leave`. */
  finish(): void {
    this.#finished = true;
    this.#text.stopScanning();
    this.#poller.finish();
  }

  async leave(options: FollowEnd): Promise<void> {
    this.finish();
    this.#ended = true;
    this.#poller.close();
    this.#processes.close();
    await this.#stream.leave(options);
  }

  /** Place after all bytes received so far; undefined before the first. */
  get place(): number | undefined {
    return this.#offset.value;
  }

  output(bytes: Uint8Array): void {
    this.#offset.add(bytes.length);
    if (this.#scanner) this.#pass(this.#scanner.scan(bytes));
    else this.#take(bytes);
  }

  /** Notes that the command runs, though its mark C was not read. */
  assumeBegun(): void {
    if (!this.#ended) this.#pass(this.#scanner?.assumeOutput() ?? []);
  }

  #pass(pieces: readonly MarkedPiece[]): void {
    for (const piece of pieces) {
      if (piece.kind !== "text") this.#mark(piece);
      else if (this.#counting) this.#take(piece.bytes);
    }
  }

  missed(bytes: Uint8Array): void {
    if (!this.#options.spec.stream) return this.output(bytes);
    // The text lacks the escape sequences, and the marks with them.
    this.gap();
    if (this.#counting) this.#take(bytes, { streams: false });
  }

  gap(): void {
    this.#text.gap();
    this.#scanner?.gap();
    this.#processes.gap();
    if (!this.#scanner || this.#streaming) this.#options.post({ kind: "gap" });
  }

  spooling(active: boolean): void {
    this.#options.post({ kind: "spooling", active });
  }

  failed(error: unknown): void {
    this.#options.failed(error);
  }

  get kernelEnding(): Ending | undefined {
    return this.#processes.paneExit.kernelEnding;
  }

  sized(columns: number, rows: number): void {
    this.#text.columns = columns;
    this.#finalOutput?.sized(columns);
    if (this.#streaming) this.#options.post({ kind: "sized", columns, rows });
    // tmux rewraps what a resized pane shows, whether its program prints or not.
    this.#fireKind("output", "The pane's size may have changed");
  }

  #take(bytes: Uint8Array, { streams = this.#streaming } = {}): void {
    if (streams) this.#options.post({ kind: "bytes", bytes });
    this.#processes.printed(bytes, performance.now());
    this.#idleTimer.reset();
    this.#options.pollSoon();
    this.#fireKind("output", "There is new output");
    this.#text.push(bytes);
    this.#poller.pollIn(POLL_AFTER_MS);
  }

  #mark(received: CommandMark): void {
    const mark = this.#processes.mark(received);
    this.#options.post({ kind: "mark", mark });
    if (mark.kind === "output") {
      this.#counting = true;
      this.#options.pollSoon();
      this.#idleTimer.reset();
      this.#stream.beginSpool();
    }
    if (mark.kind !== "done") return;
    this.#stream.endSpool();
    this.#text.scanUnfinished();
    this.#text.finish();
    this.#streaming = false;
    if (mark.stoppedPid !== undefined) return this.#poller.pollIn(0);
    const ending = { exitCode: mark.status };
    this.#fireKind("exit", describeEnding(ending), ending);
  }

  /** Fires the trigger of this kind, if there is one. */
  #fireKind(kind: Trigger["kind"], detail: string, ending?: Ending): void {
    const trigger = this.#options.spec.triggers.find((trigger) => trigger.kind === kind);
    if (trigger) this.#fire(trigger, detail, { ending });
  }

  #fireIdle(): void {
    const idle = this.#idleTimer.due(performance.now());
    if (idle) this.#fire(idle, `No new output for ${idle.seconds} s`);
  }

  answered(): void {
    this.#processes.asksAgain();
    this.#idleTimer.reset();
  }

  #fire(trigger: Trigger, detail: string, details: EventDetails = {}): void {
    if (this.#finished) return;
    // The bell called the person, who may take their time.
    if (this.#processes.isHandedOver && HANDED_OVER.has(trigger.kind)) return;
    const { mayBeDone } = details;
    if (trigger.kind === "user_input" && (mayBeDone || this.#options.spec.handsOver)) {
      return this.#options.post({ kind: "asks", detail, reader: this.#processes.handOver(), mayBeDone });
    }
    this.#postEvent(trigger.event, detail, details);
  }

  #postEvent(event: string, detail: string, { ending, bytesAfter = 0 }: EventDetails): void {
    this.finish();
    const place = (this.place ?? 0) - bytesAfter;
    this.#options.post({ kind: "event", event, detail, place, ...(ending && { ending }) });
  }

  /** Fires for a match in text; later text may have arrived in the same bytes. */
  #textFired({ trigger, detail, place }: Fired): void {
    this.#fire(trigger, detail, { bytesAfter: this.#text.offset - place });
  }

  #processFired({ trigger, detail, ...details }: ProcessFired): void {
    this.#text.scanUnfinished();
    this.#fire(trigger, detail, details);
  }

  async ended(reported: Ending): Promise<void> {
    if (this.#ended) return;
    this.#text.scanUnfinished();
    this.#ended = true;
    const ending = await this.#processes.paneExit.ending(reported);
    this.#fireKind("exit", describeEnding(ending), ending);
    if (this.#options.spec.triggers.length > 0 && !this.#finished) {
      const detail = `${describeEnding(ending)}; pane ${this.paneId} was closed, respawned or is dead`;
      this.#postEvent("gone", detail, { ending });
    }
    this.#options.post({ kind: "ended", ending: ending });
  }
}
