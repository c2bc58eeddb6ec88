// Passes on the output of a pane. After an interruption, the text that the pane printed meanwhile comes first.
import { bestEffort } from "../../src/promises.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { type CommandAnswer, untilPlaced } from "./pane_source.ts";
import { type Missed, StreamPlace } from "./stream_place.ts";

export interface GapFillerOptions {
  paneId: string;
  /** Sends commands, as `PaneSource.send` does. */
  send(commands: readonly Command[], onReply: (answer: CommandAnswer) => void): Promise<CommandAnswer>;
  /** True if the source has ended; the one that follows it is asked instead. */
  isClosed(): boolean;
  output(bytes: Uint8Array): void;
  missed(bytes: Uint8Array): void;
  gap(): void;
}

export class GapFiller {
  readonly #options: GapFillerOptions;
  #place: StreamPlace;
  /** Output received since an interruption, held until what was printed before it is known. */
  #held: Uint8Array[] | undefined;
  #passed: PromiseWithResolvers<void> | undefined;
  /** Number of the last interruption; answers to questions about earlier ones do not count. */
  #interruption = 0;

  constructor(options: GapFillerOptions) {
    this.#options = options;
    this.#place = new StreamPlace(options.paneId);
  }

  /** Settles when no output is held back; undefined if none is. */
  get passed(): Promise<void> | undefined {
    return this.#passed?.promise;
  }

  begin(): void {
    bestEffort(this.#options.send(this.#place.beginning, ({ failed, printed }) => {
      if (!failed) this.#place.begin(printed);
    }));
  }

  output(bytes: Uint8Array): void {
    if (this.#held) return void this.#held.push(bytes.slice());
    this.#place.push(bytes);
    this.#options.output(bytes);
  }

  /** Holds output back: some may be missing from here until `fill`. */
  hold(): void {
    this.#held ??= [];
    this.#passed ??= Promise.withResolvers();
  }

  /** Fills the gap once all output arrives again; what arrived meanwhile is in the pane too. */
  async fill(): Promise<void> {
    const interruption = ++this.#interruption;
    this.hold();
    await untilPlaced(
      (onReply) => bestEffort(this.#options.send(this.#place.query, onReply)),
      ({ isLate, failed, printed }) => {
        if (isLate || failed || interruption !== this.#interruption) return;
        if (!this.#isWhole(printed)) this.#filled(this.#place.missed(printed));
      },
    );
    if (interruption === this.#interruption && !this.#options.isClosed()) this.giveUp();
  }

  /** Reports a gap, because nothing more can be read from the pane. */
  giveUp(): void {
    if (this.#held) this.#filled({ bytes: new Uint8Array(0), repeats: true });
  }

  /** Passes the held output on, and returns true, if the pane shows no more than the stream and this output. */
  #isWhole(printed: string): boolean {
    const held = this.#held ?? [];
    const place = this.#place.with(held);
    const { bytes, repeats } = place.missed(printed);
    if (repeats || bytes.length > 0) return false;
    this.#place = place;
    this.#release();
    for (const bytes of held) this.#options.output(bytes);
    return true;
  }

  #filled({ bytes, repeats }: Missed): void {
    const held = this.#held ?? [];
    this.#release();
    if (repeats) this.#options.gap();
    if (bytes.length > 0) this.#options.missed(bytes);
    if (repeats) { for (const each of held) this.output(each); }
  }

  /** Ends the interruption; the caller passes on what was held, before what waits for `passed` continues. */
  #release(): void {
    this.#held = undefined;
    this.#interruption++;
    this.#passed?.resolve();
    this.#passed = undefined;
  }
}
