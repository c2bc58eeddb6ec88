// Keeps one pane's bytes coming, through whichever session it is in, and knows when the pane is over.
import { createProcessExec } from "../src/tmux/process.ts";
import { signalName } from "../src/process/signals.ts";
import type { Ending, PaneRef, ServerRef } from "../src/watch/protocol.ts";
import type { ControlReply } from "../src/tmux/control.ts";
import type { PaneListener, SessionLink } from "./session_link.ts";

export interface PaneStreamOptions {
  pane: PaneRef;
  server: ServerRef;
  /** How long a client nobody needs any more stays for the next one (ms). */
  lingerMs: number;
  /** The control client of a session, attached when first asked for. */
  linkFor(sessionId: string): SessionLink;
  output(bytes: Uint8Array): void;
  /** Some bytes were lost. */
  gap(): void;
  /** Its size, when tmux was asked for it. */
  sized(columns: number, rows: number): void;
  /**
   * The pane, or the program it was made with, is over: nothing more comes. tmux (3.3a) closes a pane as soon as its
   * own program ends and drops what it has not sent by then, so the last of that program's output can be missing;
   * a program run in a pane's shell loses nothing.
   */
  over(ending: Ending): void;
  failed(error: unknown): void;
}

/** A pane as tmux lists it: once for each session its window is linked into. */
interface Place {
  sessionId: string;
  panePid: number;
  columns: number;
  rows: number;
  dead: boolean;
  ending: Ending;
}

const FIELDS = [
  "session_id",
  "pane_pid",
  "pane_width",
  "pane_height",
  "pane_dead",
  "pane_dead_status",
  "pane_dead_signal",
];
const FORMAT = FIELDS.map((field) => `#{${field}}`).join(" ");
/** tmux knows that a pane is dead a little before it knows how it ended. */
const STATUS_TRIES = 5;
const STATUS_WAIT_MS = 10;
/** A client that is detached (`attach -d`) comes back, but not for ever. */
const MAX_MOVES = 20;

export class PaneStream implements PaneListener {
  readonly #options: PaneStreamOptions;
  #link: SessionLink;
  #over = false;
  #looking = false;
  #lookAgain = false;
  #moves = 0;

  constructor(options: PaneStreamOptions) {
    this.#options = options;
    this.#link = options.linkFor(options.pane.sessionId);
  }

  /** Settles when every byte from now on is handed on. */
  begin(): Promise<void> {
    return this.#link.follow(this.#options.pane.paneId, this);
  }

  output(bytes: Uint8Array): void {
    if (!this.#over) this.#options.output(bytes);
  }

  gap(): void {
    this.#options.gap();
  }

  changed(): void {
    this.check();
  }

  closed(): void {
    this.check();
  }

  failed(error: unknown): void {
    this.#options.failed(error);
  }

  /** As the control client's `send`. */
  send(line: string, told?: (reply: ControlReply) => void): Promise<ControlReply> {
    return this.#link.send(line, told);
  }

  /** Settles when what tmux has read so far has been handed on. */
  async sync(): Promise<void> {
    await this.#link.sync().catch(() => {});
  }

  /** Settles when what was printed before this call has been handed on, as far as it can still come. */
  async settle(): Promise<void> {
    await this.#link.settle().catch(() => {});
  }

  /** Asks tmux where the pane is and whether it lives; a question that comes meanwhile is asked after it. */
  async check(): Promise<void> {
    this.#lookAgain = true;
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#lookAgain && !this.#over) {
        this.#lookAgain = false;
        await this.#look();
      }
    } catch (error) {
      this.#options.failed(error);
    } finally {
      this.#looking = false;
    }
  }

  async leave(atOnce: boolean): Promise<void> {
    this.#over = true;
    const { pane, lingerMs } = this.#options;
    await this.#link.leave(pane.paneId, this, atOnce ? 0 : lingerMs);
  }

  async #look(): Promise<void> {
    const places = await this.#places();
    const here = places.find(({ sessionId }) => sessionId === this.#link.sessionId);
    const place = here ?? places[0];
    if (this.#over) return;
    if (place?.dead) return await this.#died(place);
    if (place?.panePid !== this.#options.pane.panePid) return this.#end({});
    this.#options.sized(place.columns, place.rows);
    if (!here || this.#link.closed) await this.#move(place.sessionId);
  }

  async #died(place: Place): Promise<void> {
    await this.settle();
    let known: Place | undefined = place;
    for (let i = 0; i < STATUS_TRIES && known && Object.keys(known.ending).length === 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, STATUS_WAIT_MS));
      known = (await this.#places()).find(({ dead }) => dead);
    }
    this.#end(known?.ending ?? {});
  }

  /** Follows the pane where it went: its session ended, its window moved, or the client was detached. */
  async #move(sessionId: string): Promise<void> {
    if (++this.#moves > MAX_MOVES) return this.#end({});
    const { paneId } = this.#options.pane;
    const old = this.#link;
    this.#options.gap();
    if (!old.closed) await old.leave(paneId, this, 0);
    this.#link = this.#options.linkFor(sessionId);
    await this.#link.follow(paneId, this).catch(() => this.#lookAgain = true);
    if (this.#over) await this.#link.leave(paneId, this, 0);
  }

  #end(ending: Ending): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.over(ending);
  }

  async #places(): Promise<Place[]> {
    const filter = `#{==:#{pane_id},${this.#options.pane.paneId}}`;
    const reply = await this.#link.send(`list-panes -a -f '${filter}' -F '${FORMAT}'`).catch(() => undefined);
    const text = reply?.failed === false ? reply.text : await this.#ask(filter);
    return text.split("\n").filter((row) => row !== "").map(parsePlace);
  }

  /** As a client of its own, where the control client is gone; no server has no panes. */
  async #ask(filter: string): Promise<string> {
    const exec = createProcessExec(this.#options.server);
    const reply = await exec([["list-panes", "-a", "-f", filter, "-F", FORMAT]]);
    return reply.code === 0 ? new TextDecoder().decode(reply.stdout) : "";
  }
}

function parsePlace(row: string): Place {
  const [sessionId = "", pid, columns, rows, dead, status = "", signal = ""] = row.split(" ");
  const code: Ending = status === "" ? {} : { exitCode: Number(status) };
  return {
    sessionId,
    panePid: Number(pid),
    columns: Number(columns),
    rows: Number(rows),
    dead: dead === "1",
    ending: signal === "" ? code : { exitSignal: signalName(Number(signal)) },
  };
}
