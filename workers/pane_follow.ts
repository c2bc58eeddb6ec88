// Follows one pane for one watch: bytes become lines, lines and kernel facts become the first event.
import { describeEnding, type Ending } from "../src/process/ending.ts";
import type { Probe } from "../src/process/probe.ts";
import type { Poller } from "../src/ffi/poller.ts";
import { MarkScanner } from "../src/shell/marks.ts";
import type { CommandMark, FollowSpec, PaneRef, Report, Trigger } from "../src/watch/protocol.ts";
import type { Sleep } from "./poll_scheduler.ts";
import { ProcessPoller } from "./process_poller.ts";
import type { FollowEnd } from "./follow.ts";
import type { Patterns } from "./patterns.ts";
import { PaneProcesses } from "./pane_processes.ts";
import { PaneStream } from "./pane_stream.ts";
import type { PaneLocation, PaneSource } from "./pane_source.ts";
import { FinalOutput } from "./final_output.ts";
import { ProgressThrottle } from "./progress_throttle.ts";
import { IdleTimer } from "./idle_timer.ts";
import { OutputBuffer } from "./output_buffer.ts";
import { type Fired, TextTriggers } from "./text_triggers.ts";

export interface PaneFollowOptions {
  pane: PaneRef;
  spec: FollowSpec;
  sourceOf(pane: PaneLocation): PaneSource;
  probe: Probe;
  poller: Poller;
  patterns: Patterns;
  fired(event: string, detail: string, ending?: Ending): void;
  /** With `handsOver`: the program waits for input, and the watch goes on. */
  asks(detail: string): void;
  mark(mark: CommandMark): void;
  bytes(bytes: Uint8Array): void;
  spooling(active: boolean): void;
  gap(): void;
  sized(columns: number, rows: number): void;
  /** Returns what the dead pane of a command shows beyond what came: where its output begins, only the host knows. */
  dead(): Promise<Uint8Array | undefined>;
  ended(ending: Ending): void;
  progress(newLines: number, lastLine: string): void;
  failed(error: unknown): void;
  /** Something has happened that may make more of what is looked for at each tick true. */
  stirred(): void;
}

/** Triggers that mean nothing while a person is answering. */
const HANDED_OVER: ReadonlySet<Trigger["kind"]> = new Set(["user_input", "bell", "idle"]);
/** An unfinished line counts once it has rested this long. */
const REST_MS = 50;
/** Output is often the last thing before a program waits or ends: the kernel is asked this long after it. */
const LOOK_AFTER_MS = 5;

export class PaneFollow {
  readonly pane: PaneRef;
  readonly stream: PaneStream;
  readonly #options: PaneFollowOptions;
  readonly #printed: OutputBuffer;
  readonly #text: TextTriggers;
  readonly #processes: PaneProcesses;
  readonly #poller: ProcessPoller;
  readonly #scanner: MarkScanner | undefined;
  readonly #finalOutput: FinalOutput | undefined;
  readonly #throttle: ProgressThrottle | undefined;
  readonly #idleTimer: IdleTimer;
  /** True if new text counts: from the start, or between C and D of a command. */
  #counting: boolean;
  /** True if bytes are handed on: a command's end with D, though what it left running may print on. */
  #streaming: boolean;
  #finished = false;
  #ended = false;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #settling = false;

  constructor(options: PaneFollowOptions) {
    const { pane, spec, probe, poller } = options;
    this.pane = pane;
    this.#options = options;
    this.#text = new TextTriggers(spec.triggers, spec, options.patterns);
    this.#scanner = spec.marks && new MarkScanner(spec.marks);
    this.#counting = spec.marks === undefined;
    this.#streaming = spec.stream;
    this.#idleTimer = new IdleTimer(spec.triggers);
    this.#throttle = spec.pace && new ProgressThrottle(spec.pace);
    const reads = spec.triggers.length > 0 || spec.pace !== undefined || spec.held === true;
    this.#printed = new OutputBuffer(reads ? pane.columns : undefined);
    if (spec.resumed) this.#printed.gap();
    // The one that can fail comes first: the others hold descriptors.
    this.stream = new PaneStream({
      pane,
      server: spec.server,
      lingerMs: spec.lingerMs,
      sourceOf: options.sourceOf,
      output: (bytes) => this.#output(bytes),
      died: () => this.#readLastWords(),
      isEndingKnown: () => this.#processes.isEndingKnown,
      gap: () => this.#gap(),
      sized: (columns, rows) => this.#sized(columns, rows),
      ...(spec.spool && { spool: spec.spool }),
      spooling: options.spooling,
      over: (ending) => void this.#end(ending).catch(options.failed),
      failed: options.failed,
    });
    this.#processes = new PaneProcesses({
      pane,
      probe,
      poller,
      triggers: spec.triggers,
      ownCommand: spec.marks !== undefined,
      ended: () => this.#guarded(() => this.#stir()),
    });
    this.#poller = new ProcessPoller({
      processes: this.#processes,
      probe,
      found: ({ trigger, detail, ending }) => this.#afterOutput(() => this.#fire(trigger, detail, ending)),
      gone: () => void this.stream.check(),
      tick: () => this.tick(),
      failed: options.failed,
    });
    if (spec.held) this.#finalOutput = new FinalOutput(pane.paneId, this.stream, () => this.#printed.came());
  }

  async begin(): Promise<void> {
    await this.stream.begin();
    await this.#finalOutput?.begin();
    this.#idleTimer.broken();
    if (this.#counting) this.#poller.pollIn(0);
  }

  tick(): void {
    this.#poller.refreshed(() => this.#tick(performance.now()));
  }

  #tick(now: number): void {
    if (this.#ended) return;
    if (this.#poller.isEnding(now) || this.#finished || !this.#counting) return;
    if (this.#throttle) this.#progress(this.#throttle, now);
    const idle = this.#idleTimer.due(now);
    if (idle) this.#fire(idle, `No new output for ${idle.seconds} s`);
    this.#poller.judge(now);
  }

  /** How long another tick would find nothing; undefined where it has to be tried. */
  get sleep(): Sleep | undefined {
    if (this.#ended) return { until: Infinity, awaited: [] };
    if (this.#options.probe.refresh) return undefined;
    const checked = this.#counting && !this.#finished;
    const awaited = this.#processes.awaited(checked);
    return awaited && { until: checked ? this.#dueAt() : Infinity, awaited };
  }

  #stir(): void {
    this.#options.stirred();
    this.tick();
  }

  /** When the clock alone makes something true. */
  #dueAt(): number {
    return Math.min(this.#idleTimer.dueAt, this.#throttle?.dueAt(this.#printed.lines) ?? Infinity);
  }

  async #readLastWords(): Promise<void> {
    const reading = this.#scanner ? this.#options.dead() : this.#finalOutput?.read();
    const bytes = await reading?.catch(() => undefined);
    if (this.#scanner) this.#streaming = false;
    if (bytes) this.#take(bytes);
  }

  async report(): Promise<Report> {
    if (!this.#ended) await this.stream.sync();
    const report = this.#printed.report();
    await this.#options.probe.refresh?.().catch(() => {});
    return { ...report, ...this.#processes.report() };
  }

  /** Ends the watch of this pane; with `stream` or marks its bytes go on until `leave`. */
  finish(): void {
    this.#finished = true;
    clearTimeout(this.#resting);
    this.#poller.finish();
  }

  async leave(how: FollowEnd): Promise<void> {
    this.finish();
    this.#ended = true;
    this.#poller.close();
    this.#processes.close();
    await this.stream.leave(how);
  }

  #output(bytes: Uint8Array): void {
    if (!this.#scanner) return this.#take(bytes);
    for (const piece of this.#scanner.scan(bytes)) {
      if (piece.kind !== "text") this.#mark(piece);
      else if (this.#counting) this.#take(piece.bytes);
    }
  }

  #gap(): void {
    this.#printed.gap();
    this.#options.gap();
  }

  #sized(columns: number, rows: number): void {
    this.#printed.columns = columns;
    if (this.#streaming) this.#options.sized(columns, rows);
    // tmux wraps what a resized pane shows again, whether its program prints or not.
    this.#fireKind("output", "The pane's size may have changed");
  }

  #take(bytes: Uint8Array): void {
    if (this.#streaming) this.#options.bytes(bytes);
    this.#processes.printed(performance.now());
    this.#idleTimer.broken();
    this.#options.stirred();
    this.#fireKind("output", "There is new output");
    const block = this.#printed.push(bytes);
    if (!block || this.#finished) return;
    this.#fireIf(this.#text.scan(block));
    if (this.#finished) return;
    clearTimeout(this.#resting);
    if (this.#text.readsLines && this.#printed.begun) {
      this.#resting = this.#later(REST_MS, () => this.#scanRest());
    }
    this.#poller.pollIn(LOOK_AFTER_MS);
  }

  #scanRest(): void {
    const { unfinished } = this.#printed;
    if (this.#finished || !unfinished) return;
    this.#fireIf(this.#text.scanLine(unfinished.line, unfinished.place));
  }

  #mark(said: CommandMark): void {
    const stoppedPid = said.kind === "done" ? this.#processes.commandDone(said.status) : undefined;
    const mark = stoppedPid === undefined ? said : { ...said, stoppedPid };
    this.#options.mark(mark);
    if (mark.kind === "output") {
      this.#counting = true;
      this.#options.stirred();
      this.#idleTimer.broken();
      this.#processes.begin();
      this.stream.beginSpool();
    }
    if (mark.kind !== "done") return;
    this.stream.endSpool();
    this.#scanRest();
    this.#printed.finish();
    this.#streaming = false;
    if (stoppedPid !== undefined) return this.#poller.pollIn(0);
    const ending = { exitCode: mark.status };
    this.#fireKind("exit", describeEnding(ending), ending);
  }

  #fireIf(fired: Fired | undefined): void {
    if (fired) this.#fire(fired.trigger, fired.detail);
  }

  /** Fires the trigger of this kind, where there is one. */
  #fireKind(kind: Trigger["kind"], detail: string, ending?: Ending): void {
    const asked = this.#options.spec.triggers.find((trigger) => trigger.kind === kind);
    if (asked) this.#fire(asked, detail, ending);
  }

  /** A person was answering until now. */
  answered(): void {
    this.#processes.asksAgain();
    this.#idleTimer.broken();
  }

  #fire(trigger: Trigger, detail: string, ending?: Ending): void {
    if (this.#finished) return;
    // The bell is rung to call the person, and they may take their time.
    if (this.#processes.isHandedOver && HANDED_OVER.has(trigger.kind)) return;
    if (this.#options.spec.handsOver && trigger.kind === "user_input") {
      this.#processes.handOver();
      return this.#options.asks(detail);
    }
    this.finish();
    this.#options.fired(trigger.event, detail, ending);
  }

  /** Runs `then` once everything that was printed before this call has been looked at. */
  async #afterOutput(then: () => void): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    try {
      await this.stream.settle();
      this.#scanRest();
      then();
    } catch (error) {
      this.#options.failed(error);
    } finally {
      this.#settling = false;
    }
  }

  async #end(told: Ending): Promise<void> {
    if (this.#ended) return;
    this.#scanRest();
    this.#ended = true;
    const known = await this.#processes.paneEnding(told);
    this.#fireKind("exit", describeEnding(known), known);
    if (this.#options.spec.triggers.length > 0 && !this.#finished) {
      this.finish();
      const detail = `${describeEnding(known)}; pane ${this.pane.paneId} was closed, respawned or is dead`;
      this.#options.fired("gone", detail, known);
    }
    this.#options.ended(known);
  }

  #progress(throttle: ProgressThrottle, now: number): void {
    const newLines = throttle.due(this.#printed.lines, now);
    if (newLines !== undefined) this.#options.progress(newLines, this.#printed.lastLine());
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.failed(error);
    }
  }

  #later(ms: number, act: () => void): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#guarded(act), ms);
  }
}
