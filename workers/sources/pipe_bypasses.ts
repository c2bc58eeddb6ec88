// Panes of a session that flood, and are meanwhile read through their own pipes.
import type { ControlClient } from "../../src/tmux/control_client.ts";
import type { PipeReaderContext } from "./pipe_pane_reader.ts";
import type { PaneSpool } from "./pane_source.ts";
import { type BypassedClient, PipeBypass } from "./pipe_bypass.ts";
import { bestEffort } from "../../src/promises.ts";

export interface PipeBypassesOptions {
  client: ControlClient;
  pipeContext: PipeReaderContext | undefined;
  output(paneId: string, bytes: Uint8Array): void;
  gap(paneId: string): void;
}

/** Bytes within a time (ms) that count as a flood; the pipe takes a few milliseconds to start. */
const FLOOD_BYTES = 1 << 18;
const FLOOD_MS = 250;
/**
 * The same bytes for a command with a spool, which moves to its pipe sooner: what is not written when this process is
 * killed is lost.
 */
const SPOOL_BYTES = 1 << 15;
/** Time (ms) before a command gets a pipe for its spool, which costs three processes; a short command needs none. */
const SPOOL_AFTER_MS = 200;
/** Times (ms) before the first and between the last attempts after that. */
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 60_000;

export class PipeBypasses {
  readonly #options: PipeBypassesOptions;
  readonly #open: Map<string, PipeBypass> = new Map();
  /** Bytes that each pane has printed, since when. */
  readonly #printed: Map<string, { since: number; bytes: number }> = new Map();
  /** Spools of panes' commands; they get the output from a moment after the command began. */
  readonly #spools: Map<string, { spool: PaneSpool; timer: ReturnType<typeof setTimeout> }> = new Map();
  /** Number of answers that each pane awaits, whose place in its output a pipe would lose. */
  readonly #deferring: Map<string, number> = new Map();
  /** Panes whose pipe is somebody else's, or prints more than this thread can read. */
  readonly #refused: Set<string> = new Set();

  constructor(options: PipeBypassesOptions) {
    this.#options = options;
  }

  /** True if the pane's output may come through its pipe. */
  has(paneId: string): boolean {
    return this.#open.has(paneId);
  }

  /** Notes a pane's bytes that the control client has passed on; true if they come through its pipe as well. */
  passed(paneId: string, count: number): boolean {
    const bypass = this.#open.get(paneId);
    if (!bypass && this.#isFlood(paneId, count) && !this.#deferring.get(paneId)) this.#begin(paneId);
    const carried = bypass?.carries === true;
    bypass?.passed(count);
    return carried;
  }

  /** Lets no flood of the pane begin a pipe until the returned function is called. */
  defer(paneId: string): () => void {
    const add = (count: number): void =>
      void this.#deferring.set(paneId, (this.#deferring.get(paneId) ?? 0) + count);
    add(1);
    return () => add(-1);
  }

  /** Handles a control client that is silent about a pane; returns true if this class asked for that. */
  paused(paneId: string): boolean {
    const bypass = this.#open.get(paneId);
    if (bypass?.silent) return true;
    bypass?.fail();
    return false;
  }

  /** Copies the pane's output to a spool as well, once it floods or after a moment. */
  beginSpool(paneId: string, spool: PaneSpool): void {
    this.endSpool(paneId);
    if (this.#options.pipeContext) this.#spoolIn(SPOOL_AFTER_MS, { paneId, spool });
  }

  endSpool(paneId: string): void {
    clearTimeout(this.#spools.get(paneId)?.timer);
    this.#spools.delete(paneId);
    this.#open.get(paneId)?.endSpool();
  }

  /** Settles when what tmux has written to a pane's pipe, by default to each, has been passed on. */
  async drain(paneId?: string): Promise<void> {
    const all = paneId === undefined ? [...this.#open.values()] : [this.#open.get(paneId)];
    await Promise.all(all.map((bypass) => bypass?.drain()));
  }

  leave(paneId: string): void {
    clearTimeout(this.#spools.get(paneId)?.timer);
    this.#spools.delete(paneId);
    this.#open.get(paneId)?.end();
    this.#printed.delete(paneId);
    this.#refused.delete(paneId);
  }

  /** Gives up a pane's pipe so that it can continue for the control client of another session. */
  release(paneId: string): PipeBypass | undefined {
    const bypass = this.#open.get(paneId);
    if (!bypass?.canMove) return undefined;
    bypass.hold();
    this.#open.delete(paneId);
    this.leave(paneId);
    return bypass;
  }

  /** Takes over a pipe that was given up for another control client. */
  adopt(paneId: string, bypass: PipeBypass): void {
    const { client } = this.#options;
    this.#open.get(paneId)?.fail();
    this.#open.set(paneId, bypass);
    bestEffort(bypass.resume({ client, ...this.#reports(paneId) }));
  }

  /** Handles the end of the control client: pipes that outlive it wait for another one. */
  hold(): void {
    for (const paneId of this.#known()) {
      const bypass = this.#open.get(paneId);
      if (bypass?.canOutlive) bypass.hold();
      else this.leave(paneId);
    }
  }

  close(): void {
    for (const paneId of this.#known()) this.leave(paneId);
  }

  #known(): Set<string> {
    return new Set([...this.#open.keys(), ...this.#spools.keys()]);
  }

  /**
   * Starts the spool after some time, and tries again later if the pane has another pipe: a watch's pipe ends with
   * its flood, and the one that keeps a command's last output after a moment (see commands/command_input).
   */
  #spoolIn(
    ms: number,
    { paneId, spool, retryMs = FIRST_RETRY_MS }: { paneId: string; spool: PaneSpool; retryMs?: number },
  ): void {
    const timer = setTimeout(() => {
      if (!this.#open.has(paneId) && !this.#refused.delete(paneId)) this.#begin(paneId);
      if (this.#open.get(paneId)?.isSpooling) return;
      this.#spoolIn(retryMs, { paneId, spool, retryMs: Math.min(2 * retryMs, LAST_RETRY_MS) });
    }, ms);
    this.#spools.set(paneId, { spool, timer });
  }

  #isFlood(paneId: string, count: number): boolean {
    const { pipeContext } = this.#options;
    if (!pipeContext || this.#refused.has(paneId)) return false;
    const now = performance.now();
    const known = this.#printed.get(paneId);
    const printed = known && now - known.since < FLOOD_MS ? known : { since: now, bytes: 0 };
    printed.bytes += count;
    this.#printed.set(paneId, printed);
    return printed.bytes >= (this.#spools.has(paneId) ? SPOOL_BYTES : FLOOD_BYTES);
  }

  #begin(paneId: string): void {
    const { client, pipeContext } = this.#options;
    if (!pipeContext) return;
    this.#printed.delete(paneId);
    const spool = this.#spools.get(paneId)?.spool;
    const bypass = new PipeBypass({
      paneId,
      client,
      pipeContext,
      ...(spool && { spool }),
      ...this.#reports(paneId),
    });
    this.#open.set(paneId, bypass);
  }

  #reports(paneId: string): Omit<BypassedClient, "client"> {
    const { output, gap } = this.#options;
    return {
      output: (bytes) => output(paneId, bytes),
      gap: () => gap(paneId),
      ended: (useful) => {
        this.#open.delete(paneId);
        if (!useful) this.#refused.add(paneId);
      },
    };
  }
}
