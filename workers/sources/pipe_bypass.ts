// Moves a flooding pane from its control client to its own pipe and back, with no byte lost or duplicated.
import type { ControlReply } from "../../src/tmux/control_parser.ts";
import { quoteCommand } from "../../src/tmux/quoting.ts";
import { startPipe } from "../../src/tmux/spool_pipe.ts";
import type { ControlClient } from "../../src/tmux/control_client.ts";
import { PipePaneReader, type PipeReaderContext } from "./pipe_pane_reader.ts";
import { type PaneSpool, untilSilent } from "./pane_source.ts";
import { bestEffort } from "../../src/promises.ts";

export interface PipeBypassOptions extends BypassedClient {
  paneId: string;
  pipeContext: PipeReaderContext;
  /** The pipe copies to this file too, and stays until that ends. */
  spool?: PaneSpool;
}

/** The control client that the pipe stands in for. */
export interface BypassedClient {
  client: ControlClient;
  /** Receives the pane's output in place of the control client's. */
  output(bytes: Uint8Array): void;
  /** Called when the pipe ended by itself; the output that it still held is lost. */
  gap(): void;
  /** The control client's output counts again. `useful`: the pane may be moved to its pipe again. */
  ended(useful: boolean): void;
}

/** Time (ms) without output after which a pane goes back to the control client. */
const QUIET_MS = 1000;

/**
 * Pipe that stands in for a control client. tmux writes each byte of `%output` with a `printf` of its own, so a
 * flooding pane costs it twice the CPU with a control client; what it writes to a pipe it only copies. Both begin
 * with the same byte, because tmux reads no pane between the commands of one line: what the client passes on between
 * the start of the pipe and its own silence is in the pipe too.
 */
export class PipeBypass {
  #options: PipeBypassOptions;
  readonly #pipeReader: PipePaneReader;
  /** Output of the pipe from the time before the client was silent. */
  #held: Uint8Array[] | undefined = [];
  /** Bytes of the pipe that the client has already passed on; undefined until the pipe began. */
  #ahead: number | undefined;
  /** Set while all output belongs in the spool. */
  #spool: PaneSpool | undefined;
  #isSpooling = false;
  #silent = false;
  /** True once the client has passed on all output from before the pipe. */
  #isConfirmed = false;
  #isHeld = false;
  #ended = false;
  #bytes = 0;
  #lastOutput = 0;
  #quiet: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PipeBypassOptions) {
    this.#options = options;
    const { paneId, pipeContext, spool } = options;
    this.#spool = spool;
    this.#pipeReader = new PipePaneReader({
      paneId,
      pipeContext,
      ...(spool && { spool }),
      start: (text) => this.#start(text),
      output: (bytes) => this.#take(bytes),
      ended: () => this.#lost(),
    });
    this.#begin().catch(() => this.fail());
  }

  /** True if the pipe carries this pane's output in place of the control client. */
  get carries(): boolean {
    return this.#held === undefined && !this.#ended;
  }

  /** True if the control client was asked to be silent about this pane. */
  get silent(): boolean {
    return this.#silent;
  }

  /** True if the pane's output goes to a spool. */
  get isSpooling(): boolean {
    return this.#isSpooling;
  }

  /** True if it can leave its control client: it stays until its spool's command ends. */
  get canMove(): boolean {
    return !this.#ended && (this.#isHeld || (this.carries && this.#spool !== undefined));
  }

  /** True if it has all output that its control client, which has ended, did not pass on. */
  get canOutlive(): boolean {
    return this.canMove || (!this.#ended && this.#isConfirmed && this.#spool !== undefined);
  }

  /** Ends the spool, because its command has ended: the pane goes back as after a flood. */
  endSpool(): void {
    if (!this.#spool) return;
    this.#spool = undefined;
    this.#pipeReader.endSpool();
    if (this.carries) this.#goBackIn(QUIET_MS);
  }

  /** Notes that the control client has passed on this many bytes of the pane. */
  passed(count: number): void {
    if (this.carries) this.#bytes += count;
    else if (this.#ahead !== undefined) this.#ahead += count;
  }

  drain(): Promise<void> {
    return this.#pipeReader.drain();
  }

  /** Holds the pane's output until `resume`: its control client has ended, or no longer shows the pane. */
  hold(): void {
    clearTimeout(this.#quiet);
    this.#held ??= [];
    this.#isHeld = true;
  }

  /** Stands in for the control client of the session that now has the pane. */
  async resume(bypassed: BypassedClient): Promise<void> {
    this.#options = { ...this.#options, ...bypassed };
    this.#isHeld = false;
    this.#silent = true;
    this.#carry();
    await bypassed.client.attached;
    if (!this.#ended) await this.#silence(() => {});
  }

  /** Ends the pipe: nothing reads the pane any more. */
  end(): void {
    this.#finish(true);
  }

  /** Gives the pipe up and leaves the pane to the control client. */
  fail(): void {
    this.#finish(false);
  }

  async #begin(): Promise<void> {
    await this.#pipeReader.connected;
    if (this.#ended || this.#isHeld || this.carries) return;
    await this.#silence(() => this.#carry());
  }

  async #start(text: string): Promise<void> {
    const { paneId, client } = this.#options;
    const line = quoteCommand(startPipe(paneId, text, ["display-message", "-p", "taken"]));
    const isStarted = ({ failed, text }: ControlReply): boolean => !failed && text === "";
    const reply = await client.sendAll([line], (reply) => {
      if (!isStarted(reply)) return;
      this.#ahead = 0;
      this.#reportSpooling(true);
    });
    if (!isStarted(reply)) throw new Error(`Pane "${paneId}" has a pipe already, or can't have one`);
    // tmux drops the output that it still has for a client as it detaches it, and takes no later command from it.
    bestEffort(client.send("display-message -p ''", ({ failed }) => this.#isConfirmed = !failed));
  }

  #take(bytes: Uint8Array): void {
    if (this.#held) return void this.#held.push(bytes.slice());
    const passedOn = Math.min(this.#ahead ?? 0, bytes.length);
    this.#ahead = (this.#ahead ?? 0) - passedOn;
    if (passedOn === bytes.length) return;
    this.#bytes += bytes.length - passedOn;
    this.#lastOutput = performance.now();
    this.#options.output(bytes.subarray(passedOn));
  }

  /** Passes on the pipe's output once the client passes on nothing more. */
  #carry(): void {
    if (this.#ended) return;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const bytes of held) this.#take(bytes);
    this.#goBackIn(QUIET_MS);
  }

  #goBackIn(ms: number): void {
    if (this.#ended || this.#spool) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      const remaining = QUIET_MS - (performance.now() - this.#lastOutput);
      if (remaining > 0) this.#goBackIn(remaining);
      else this.#back().catch(() => this.fail());
    }, ms);
  }

  /**
   * Goes back to the client. If the pane prints while the client resumes, it is unknown which of both has a byte
   * first, so the pipe stays.
   */
  async #back(): Promise<void> {
    const { client } = this.#options;
    let before = -1;
    await this.#send("continue", () => before = this.#bytes);
    const sync = async (): Promise<void> => {
      await client.sync();
      await this.drain();
    };
    await untilSilent({ sync }, () => this.#bytes);
    if (this.#ended) return;
    if (this.#bytes === before) return this.#finish(true);
    await this.#silence(() => this.#goBackIn(QUIET_MS));
  }

  /** Handles a pipe that was ended by tmux, by its watchdog, or by a pipe that somebody else started. */
  #lost(): void {
    if (this.#ended) return;
    this.#reportSpooling(false);
    if (this.#silent) {
      bestEffort(this.#reportGap());
      bestEffort(this.#send("continue"));
    }
    this.fail();
  }

  /** Reports a gap, unless the pipe ended with its pane: nothing comes after that. */
  async #reportGap(): Promise<void> {
    const { client, paneId, gap } = this.#options;
    await client.send(`has-session -t ${paneId}`, ({ failed }) => failed || gap());
  }

  #reportSpooling(active: boolean): void {
    if (active === this.#isSpooling) return;
    this.#isSpooling = active;
    this.#spool?.spooling(active);
  }

  #finish(useful: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reportSpooling(false);
    clearTimeout(this.#quiet);
    this.#pipeReader.end();
    this.#options.ended(useful);
  }

  #silence(onReply: () => void): Promise<ControlReply> {
    this.#silent = true;
    return this.#send("pause", onReply);
  }

  #send(state: "pause" | "continue", onReply?: () => void): Promise<ControlReply> {
    return this.#options.client.send(`refresh-client -A '${this.#options.paneId}:${state}'`, onReply);
  }
}
