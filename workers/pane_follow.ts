// Follows one pane for one watch: bytes become lines, lines and kernel facts become the first event.
import type { Probe } from "../src/process/probe.ts";
import { signalName } from "../src/process/signals.ts";
import { MarkScanner } from "../src/shell/marks.ts";
import { LineReader } from "../src/terminal/lines.ts";
import type { LineBlock } from "../src/terminal/line_block.ts";
import { describeEnding } from "../src/process/ending.ts";
import type { CommandMark, Ending, FollowSpec, PaneRef, Report, Trigger } from "../src/watch/protocol.ts";
import { PaneProcesses } from "./pane_processes.ts";
import type { PaneListener, SessionLink } from "./session_link.ts";
import { Tail } from "./tail.ts";
import { type Fired, TextTriggers } from "./text_triggers.ts";

export interface PaneFollowOptions {
  pane: PaneRef;
  spec: FollowSpec;
  link: SessionLink;
  probe: Probe;
  fired(event: string, detail: string, ending?: Ending): void;
  mark(mark: CommandMark): void;
  bytes(bytes: Uint8Array): void;
  gap(): void;
  ended(ending: Ending): void;
  progress(newLines: number, lastLine: string): void;
}

/** An unfinished line counts once it has rested this long. */
const REST_MS = 50;

export class PaneFollow implements PaneListener {
  readonly pane: PaneRef;
  readonly #options: PaneFollowOptions;
  readonly #reader: LineReader | undefined;
  readonly #text: TextTriggers;
  readonly #tail = new Tail();
  readonly #processes: PaneProcesses;
  readonly #scanner: MarkScanner | undefined;
  /** Whether new text counts: from the start, or between C and D of a command. */
  #counting: boolean;
  /** Whether bytes are handed on: a command's end with D, though what it left running may print on. */
  #streaming: boolean;
  #finished = false;
  #ended = false;
  #lastOutput = performance.now();
  #resting: ReturnType<typeof setTimeout> | undefined;
  #seen = { lines: 0, at: performance.now() };
  #checking = false;

  constructor(options: PaneFollowOptions) {
    const { pane, spec, probe } = options;
    this.pane = pane;
    this.#options = options;
    this.#text = new TextTriggers(spec.triggers, spec);
    this.#scanner = spec.marks && new MarkScanner(spec.marks);
    this.#counting = spec.marks === undefined;
    this.#streaming = spec.stream;
    const reads = spec.triggers.length > 0 || spec.pace !== undefined;
    this.#reader = reads ? new LineReader({ columns: pane.columns }) : undefined;
    this.#processes = new PaneProcesses({
      pane,
      probe,
      triggers: spec.triggers,
      ownCommand: spec.marks !== undefined,
    });
  }

  /** Settles when every byte from now on is seen. */
  async begin(): Promise<void> {
    await this.#options.link.follow(this.pane.paneId, this);
    this.#lastOutput = performance.now();
  }

  output(bytes: Uint8Array): void {
    if (!this.#scanner) return this.#take(bytes);
    for (const piece of this.#scanner.scan(bytes)) {
      if (piece.kind !== "text") this.#mark(piece);
      else if (this.#counting) this.#take(piece.bytes);
    }
  }

  gap(): void {
    this.#tail.gap();
    this.#options.gap();
  }

  /** Something in the session changed its place; the pane may be gone. */
  changed(): void {
    this.#checkPane();
  }

  closed(): void {
    this.#end({});
  }

  /** Looks at what only the kernel and the clock know. */
  tick(now: number): void {
    if (this.#ended) return;
    if (!this.#processes.paneAlive()) return void this.#checkPane();
    if (this.#finished || !this.#counting) return;
    this.#progress(now);
    const idle = this.#options.spec.triggers.find((trigger) => trigger.kind === "idle");
    if (idle?.kind === "idle" && now - this.#lastOutput >= idle.seconds * 1000) {
      return this.#fire(idle, `No new output for ${idle.seconds} s`);
    }
    const found = this.#processes.check(now);
    if (found) this.#afterOutput(() => this.#fire(found.trigger, found.detail, found.ending));
  }

  async report(): Promise<Report> {
    if (!this.#ended) await this.#options.link.settle().catch(() => {});
    const { output, truncated } = this.#tail.text(this.#reader?.pending() ?? "");
    const state = this.#processes.state();
    const pending = this.#reader?.pending() ?? "";
    return {
      output,
      outputTruncated: truncated,
      totalLines: this.#tail.lines + (pending === "" ? 0 : 1),
      totalBytes: this.#tail.bytes + new TextEncoder().encode(pending).length,
      ...(state && { state }),
    };
  }

  /** Ends the watch of this pane; with `stream` or marks its bytes go on until `leave`. */
  finish(): void {
    this.#finished = true;
    clearTimeout(this.#resting);
  }

  async leave(): Promise<void> {
    this.finish();
    this.#ended = true;
    this.#processes.close();
    await this.#options.link.leave(this.pane.paneId, this, this.#options.spec.lingerMs);
  }

  #take(bytes: Uint8Array): void {
    if (this.#streaming) this.#options.bytes(bytes);
    this.#lastOutput = performance.now();
    if (!this.#reader) return;
    const block = this.#reader.push(bytes);
    this.#tail.add(block);
    if (this.#finished) return;
    this.#scan(block);
    clearTimeout(this.#resting);
    if (!this.#finished && !this.#text.none) this.#resting = setTimeout(() => this.#scanRest(), REST_MS);
  }

  /** The earliest of what this block made true; at one place the order the triggers were given in decides. */
  #scan(block: LineBlock): void {
    const { triggers } = this.#options.spec;
    const text = this.#text.scan(block);
    const bell = triggers.find((trigger) => trigger.kind === "bell");
    const rang = bell && block.bells[0] !== undefined
      ? { trigger: bell, place: block.bells[0], detail: "The bell rang" }
      : undefined;
    const first =
      [text, rang].filter((fired) => fired !== undefined).sort((a, b) =>
        a.place - b.place || triggers.indexOf(a.trigger) - triggers.indexOf(b.trigger)
      )[0];
    if (first) this.#fire(first.trigger, first.detail);
  }

  #scanRest(): void {
    const reader = this.#reader;
    if (this.#finished || !reader) return;
    const fired: Fired | undefined = this.#text.scanLine(reader.pending(), reader.offset);
    if (fired) this.#fire(fired.trigger, fired.detail);
  }

  #mark(mark: CommandMark): void {
    this.#options.mark(mark);
    if (mark.kind === "output") {
      this.#counting = true;
      this.#lastOutput = performance.now();
      this.#processes.begin();
    }
    if (mark.kind !== "done") return;
    this.#scanRest();
    this.#streaming = false;
    this.#processes.commandDone();
    const ending = { exitCode: mark.status };
    const exit = this.#options.spec.triggers.find((trigger) => trigger.kind === "exit");
    if (exit) this.#fire(exit, describeEnding(ending), ending);
  }

  #fire(trigger: Trigger, detail: string, ending?: Ending): void {
    if (this.#finished) return;
    this.finish();
    this.#options.fired(trigger.event, detail, ending);
  }

  /** Runs `then` once everything that was printed before this call has been looked at. */
  async #afterOutput(then: () => void): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    await this.#options.link.settle().catch(() => {});
    this.#checking = false;
    this.#scanRest();
    then();
  }

  /** Asks tmux whether the pane still is, and whether its program ended. */
  async #checkPane(): Promise<void> {
    if (this.#checking || this.#ended) return;
    this.#checking = true;
    const { paneId } = this.pane;
    const format = "#{pane_id} #{pane_pid} #{pane_dead} #{pane_dead_status} #{pane_dead_signal}";
    const reply = await this.#options.link.send(`list-panes -t '${paneId}' -F '${format}'`).catch(() =>
      undefined
    );
    this.#checking = false;
    const row = reply?.failed === false
      ? reply.text.split("\n").find((line) => line.startsWith(`${paneId} `))
      : undefined;
    if (row === undefined) return this.#end({});
    const [, pid, dead, status = "", signal = ""] = row.split(" ");
    // Neither dead nor replaced: tmux has yet to notice, and the next look asks again.
    if (dead === "1") await this.#afterOutput(() => this.#end(deadEnding(status, signal)));
    else if (Number(pid) !== this.pane.panePid) this.#end({});
  }

  #end(ending: Ending): void {
    if (this.#ended) return;
    this.#scanRest();
    this.#ended = true;
    const known = this.#processes.paneEnding(ending);
    const exit = this.#options.spec.triggers.find((trigger) => trigger.kind === "exit");
    if (exit) this.#fire(exit, describeEnding(known), known);
    else if (this.#options.spec.triggers.length > 0 && !this.#finished) {
      this.finish();
      this.#options.fired("gone", `Pane ${this.pane.paneId} is gone`, known);
    }
    this.#options.ended(known);
  }

  #progress(now: number): void {
    const { pace } = this.#options.spec;
    if (!pace || now - this.#seen.at < pace.lookMs) return;
    const newLines = this.#tail.lines - this.#seen.lines;
    const due = newLines >= pace.everyLines ||
      (pace.everyMs !== undefined && now - this.#seen.at >= pace.everyMs);
    if (!due) return;
    this.#seen = { lines: this.#tail.lines, at: now };
    this.#options.progress(newLines, this.#tail.lastLine());
  }
}

/** tmux's word on a dead pane; a status it does not have yet stays unknown. */
function deadEnding(status: string, signal: string): Ending {
  if (signal !== "") return { exitSignal: signalName(Number(signal)) };
  return status === "" ? {} : { exitCode: Number(status) };
}
