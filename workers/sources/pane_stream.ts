// Reads one pane's bytes, whichever session it is in, and notices its end.
import { isGone, messageOf } from "../../src/errors.ts";
import { COLLECT_ENDED, COLLECTING_LOOKS, type Ending, isKnown } from "../../src/process/ending.ts";
import type { FollowEnd, FollowSpec, PaneRef } from "../../src/watch/protocol.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import {
  type CommandAnswer,
  type PaneListener,
  type PaneLocation,
  type PaneSource,
  Refusal,
} from "./pane_source.ts";
import { GapFiller } from "./gap_filler.ts";
import { listApart, type ListedPane, LISTING, parseListed } from "./listed_pane.ts";
import { pollUntil } from "../../src/timer.ts";
import { bestEffort } from "../../src/promises.ts";

export interface PaneStreamOptions {
  pane: PaneRef;
  spec: Pick<FollowSpec, "server" | "lingerMs" | "spool" | "marks">;
  sourceOf(place: PaneLocation): PaneSource;
  reader: PaneReader;
}

/** Receives a stream's output and events. */
export interface PaneReader {
  output(bytes: Uint8Array): void;
  /** Text that the pane has shown since the last output, and that had to be read from the pane. */
  missed(bytes: Uint8Array): void;
  /** Some bytes were lost. */
  gap(): void;
  /** From here on the pane's bytes go to the spool too, or no longer do. */
  spooling(active: boolean): void;
  /** The pane stays although its program has ended; all output that can still come has come. */
  died(): Promise<void>;
  /** Ending of the pane's process as the kernel reports it; undefined until that is gone. */
  readonly kernelEnding: Ending | undefined;
  /** Size of the pane, when tmux was asked for it; it may be unchanged. */
  sized(columns: number, rows: number): void;
  /**
   * The pane, or the program that it was created with, is over; nothing more comes. tmux (3.3a) then drops what it
   * has not sent, so unless the pane stays, the end of that program's output can be missing (see final_output). A
   * program run in a pane's shell loses nothing.
   */
  ended(ending: Ending): Promise<void>;
  failed(error: unknown): void;
}

/** Time (ms) to ask: tmux knows that a pane is dead before it knows how the program ended. */
const STATUS_MS = 1000;
const STATUS_PAUSE_MS = 10;
/** Maximum number of moves in a row: a client may be detached before it replies (by a hook). */
export const MAX_MOVES = 20;

export class PaneStream implements PaneListener {
  readonly #options: PaneStreamOptions;
  readonly #filler: GapFiller;
  #source: PaneSource;
  /** True once a source follows the pane: what came before is no part of the stream. */
  #begun = false;
  #ended = false;
  #checking: Promise<void> | undefined;
  #checkAgain = false;
  #settling = false;
  /** True while the command's output is to go to its spool. */
  #spools = false;
  #moves = 0;

  constructor(options: PaneStreamOptions) {
    this.#options = options;
    this.#source = options.sourceOf(options.pane);
    const { pane: { paneId }, reader } = options;
    this.#filler = new GapFiller({
      paneId,
      send: (...sent) => this.send(...sent),
      isClosed: () => this.#source.closed,
      output: (bytes) => reader.output(bytes),
      missed: (bytes) => reader.missed(bytes),
      gap: () => reader.gap(),
    });
  }

  /** Settles when every later byte is passed on. */
  async begin(): Promise<void> {
    try {
      await this.#source.follow(this.#options.pane.paneId, this);
    } catch (error) {
      if (!await this.#isFollowedNow(error)) throw error;
    }
    this.#begun = true;
    const { marks } = this.#options.spec;
    if (marks?.last?.kind === "output") this.beginSpool();
    else if (!marks) this.#filler.begin();
  }

  output(bytes: Uint8Array): void {
    if (!this.#ended) this.#filler.output(bytes);
  }

  gap(): void {
    if (!this.#ended) bestEffort(this.#filler.fill());
  }

  sized(columns: number, rows: number): void {
    if (!this.#ended) this.#options.reader.sized(columns, rows);
  }

  changed(): void {
    this.check();
  }

  failed(error: unknown): void {
    this.#options.reader.failed(error);
  }

  /** Runs commands, as the source's `send` does. */
  send(commands: readonly Command[], onReply?: (answer: CommandAnswer) => void): Promise<CommandAnswer> {
    return this.#source.send(this.#options.pane.paneId, commands, onReply);
  }

  /** Runs commands that only read, as the source's `read` does. */
  read(commands: readonly Command[], onReply: (answer: CommandAnswer) => void): Promise<void> {
    return this.#source.read(this.#options.pane.paneId, commands, onReply);
  }

  /** Settles when what tmux has read so far has been passed on; at once if nothing more comes. */
  async sync(): Promise<void> {
    if (!this.#ended) await bestEffort(this.#source.sync());
  }

  /** Settles when what was printed before this call has been passed on, as far as it can still come. */
  async settle(): Promise<void> {
    await bestEffort(this.#source.settle(this.#options.pane.paneId));
  }

  /**
   * Runs `act` once everything that was printed before this call has been passed on, and not while the stream moves
   * to another source: mark D may be among what comes then. At most one call at a time.
   */
  async afterOutput(act: () => void): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    try {
      do {
        await (this.#checking ?? this.#filler.passed);
        await this.settle();
      } while (this.#checking ?? this.#filler.passed);
      act();
    } catch (error) {
      this.#options.reader.failed(error);
    } finally {
      this.#settling = false;
    }
  }

  /** Asks tmux where the pane is and if it is alive; a call that comes meanwhile is handled afterwards. */
  check(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#checkAgain = true;
    return this.#checking ??= this.#checkAll();
  }

  async #checkAll(): Promise<void> {
    try {
      while (this.#checkAgain && !this.#ended) {
        this.#checkAgain = false;
        await this.#checkOnce();
      }
    } catch (error) {
      this.#options.reader.failed(error);
    } finally {
      this.#checking = undefined;
    }
  }

  /** Starts the spool, because the command has begun: its output goes there too, unless the command ends soon. */
  beginSpool(): void {
    this.#filler.begin();
    this.#spools = true;
    this.#spoolFromSource();
  }

  /** Ends the spool, because the command has ended. */
  endSpool(): void {
    this.#spools = false;
    this.#source.endSpool?.(this.#options.pane.paneId);
  }

  async leave({ atOnce, keepsSpool = false }: FollowEnd): Promise<void> {
    this.#ended = true;
    const { pane, spec: { lingerMs, spool } } = this.#options;
    if (!keepsSpool && spool) this.endSpool();
    await this.#source.leave(pane.paneId, this, atOnce ? 0 : lingerMs);
  }

  async #checkOnce(): Promise<void> {
    const places = await this.#places();
    const here = places.find(({ sessionId }) => this.#source.serves(sessionId));
    const place = here ?? places[0];
    if (this.#ended) return;
    if (place?.dead) return await this.#died(place);
    if (place?.panePid !== this.#options.pane.panePid) return this.#end({});
    this.#options.reader.sized(place.columns, place.rows);
    if (!here || this.#source.closed) await this.#move(place.sessionId);
  }

  async #died(place: ListedPane): Promise<void> {
    await this.settle();
    this.#filler.giveUp();
    let listed: ListedPane | undefined = place;
    const { reader } = this.#options;
    let looksAfterEnd = 0;
    const isOver = () => !listed || isKnown(listed.ending) || isKnown(reader.kernelEnding);
    const asks = async (): Promise<boolean> => {
      // tmux 3.2a has no name for the signal that ended a process.
      if (reader.kernelEnding) looksAfterEnd++;
      listed = (await this.#places()).find(({ dead }) => dead);
      return isOver() || looksAfterEnd === COLLECTING_LOOKS;
    };
    if (!isOver()) await bestEffort(this.send([COLLECT_ENDED]));
    if (!isOver()) await pollUntil(asks, { ms: STATUS_MS, pauseMs: STATUS_PAUSE_MS });
    await reader.died();
    this.#end(listed?.ending ?? {});
  }

  /** Follows the pane to where it went: its session ended, its window moved, or the client was detached. */
  async #move(sessionId: string): Promise<void> {
    const { paneId } = this.#options.pane;
    const old = this.#source;
    if (++this.#moves > MAX_MOVES) {
      // A pipe that waited for another client would wait forever, and keep the pane from being read through another.
      if (this.#options.spec.spool) this.#options.reader.spooling(false);
      await this.leave({ atOnce: true });
      throw new Refusal("its reader is ended again and again");
    }
    const next = this.#source = this.#options.sourceOf({ paneId, sessionId });
    const followed = next.follow(paneId, this).then(() => true, (error) => this.#unfollowed(error));
    const isWhole = !this.#begun || old.passPipe?.(paneId, next) === true;
    if (!isWhole) this.#filler.hold();
    if (!old.closed) await old.leave(paneId, this, 0);
    const follows = await followed;
    if (this.#ended) return await this.#source.leave(paneId, this, 0);
    if (!follows) return;
    if (!isWhole && this.#spools) this.#spoolFromSource();
    await bestEffort(isWhole ? this.#source.sync() : this.#filler.fill());
    if (!this.#source.closed) this.#moves = 0;
  }

  #spoolFromSource(): void {
    const { pane, spec: { spool }, reader } = this.#options;
    const spooling = (active: boolean): void => reader.spooling(active);
    if (spool) this.#source.beginSpool?.(pane.paneId, { ...spool, spooling });
  }

  /** Checks again if an object is gone; after any other failure, the pane can't be followed. */
  #unfollowed(error: unknown): false {
    if (isGone(error)) this.#checkAgain = true;
    else this.#options.reader.failed(error);
    return false;
  }

  /**
   * True if the session that a client could not attach to has ended, and the pane is followed in another one by now, or
   * if another client could attach: on a host, ssh may not have started the first.
   * @throws {Refusal} if the session still exists on this machine
   */
  async #isFollowedNow(error: unknown): Promise<boolean> {
    if (!isGone(error)) return false;
    const { pane: { panePid, sessionId }, spec: { server } } = this.#options;
    const alive = (await this.#places()).filter((place) => place.panePid === panePid && !place.dead);
    const isRefused = !server.via && alive.some((place) => place.sessionId === sessionId);
    if (isRefused) throw new Refusal(messageOf(error));
    if (alive.length > 0) await this.check();
    return alive.length > 0 && !this.#source.closed;
  }

  #end(ending: Ending): void {
    if (this.#ended) return;
    this.#filler.giveUp();
    this.#ended = true;
    const { reader } = this.#options;
    reader.ended(ending).catch((error) => reader.failed(error));
  }

  async #places(): Promise<ListedPane[]> {
    const filter = `#{==:#{pane_id},${this.#options.pane.paneId}}`;
    const command = ["list-panes", "-a", "-f", filter, "-F", LISTING];
    const answer = await this.send([command]).catch(() => undefined);
    // The source may be gone.
    const text = answer?.failed === false ? answer.text : await listApart(this.#options.spec.server, command);
    // The user's hooks may print after the rows.
    return text.split("\n").filter((row) => row.startsWith("$")).map(parseListed);
  }
}
