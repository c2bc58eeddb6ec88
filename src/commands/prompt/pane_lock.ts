// Lets one server at a time type into a pane; of two commands typed at once, neither would run.
import type { AppError } from "../../errors.ts";
import { ifTrue, NO_OPTION } from "../../tmux/conditions.ts";
import { equals, type RowCodec } from "../../tmux/row_codec.ts";
import type { ScopedRow } from "../../tmux/rows.ts";
import { SERVER_KEY } from "../../tmux/server_key.ts";
import type { Command, Send } from "../../tmux_exec/exec.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { ProcessIdentity } from "../../process/process_identity.ts";
import { cannotRun } from "../refusals.ts";
import { endAbandonedLoader, hasAbandonedLoader } from "./abandoned_loader.ts";
import { undoWhenReached } from "../../tmux/undo.ts";
import { bestEffort, settled } from "../../promises.ts";
import { delay } from "../../timer.ts";

/** Pane option that holds the lock: when typing began (seconds since 1970), the lock's id, and its owner's stamp. */
const TYPING_SINCE = "@tmux_mcp_typing_since";
const LOCK = { lock: `#{${TYPING_SINCE}}` };
/** Time (s) after which the lock of an owner that can't be checked is stale: a shell gets a minute to start. */
const STALE_SECONDS = 120;
/**
 * Time (ms) to wait for a lock that a live server holds: it may already have returned its result, because a release
 * takes a tmux client where none is attached.
 */
const PATIENCE_MS = 500;
const PAUSE_MS = 20;

export interface PaneLock {
  /** True if the previous owner was killed while it typed. */
  takenOver: boolean;
  /**
   * Releases the lock; called once the output begins, or if the command was not run. Cheapest through `send`. If tmux
   * may still type a loader that it was asked for, and its client ends before it types what ends that loader, the lock
   * is released once the loader has ended.
   */
  release(send?: Send, mayTypeLoader?: boolean): void;
}

export class PaneLocks {
  readonly #process: ProcessIdentity | undefined;
  /**
   * Ids of locks held here. A lock with this process's stamp but none of these ids is left over from a call that
   * failed before tmux replied.
   */
  readonly #held: Set<string> = new Set();

  /** The running sweep. It takes locks itself, which a call would meanwhile find held. */
  #sweeping: Promise<void> = Promise.resolve();

  /** `process` is this process; undefined where the system shows no process to others. */
  constructor(process: ProcessIdentity | undefined) {
    this.#process = process;
  }

  /**
   * Takes the lock of a pane. `send` reaches tmux through an attached client, if there is one.
   * @throws {AppError} `busy` if another live server keeps it
   */
  async take(tmux: Tmux, paneId: string, send?: Send): Promise<PaneLock> {
    const sweeping = this.#sweeping;
    await settled(sweeping);
    try {
      return await this.#take(tmux, paneId, send);
    } catch (error) {
      if (sweeping === this.#sweeping) throw error;
      await settled(this.#sweeping);
      return await this.#take(tmux, paneId);
    }
  }

  async #take(tmux: Tmux, paneId: string, send?: Send): Promise<PaneLock> {
    const id = crypto.randomUUID();
    const value = [Math.floor(Date.now() / 1000), id, this.#process?.stamp ?? ""].join(" ").trim();
    // Cancelling ends a tmux client, but the server still runs what it has read from it, so the reply must come first.
    const uncancelled = tmux.outlivingCall();
    const isHeld = equals(LOCK.lock, value);
    const unset = unsetIf(isHeld, paneId);
    const release = (send?: Send, mayTypeLoader = false): void => {
      this.#held.delete(id);
      const sent = send?.(unset) ?? Promise.reject(new Error("No client is attached"));
      const undo = async (): Promise<void> => {
        if (mayTypeLoader) await endAbandonedLoader(uncancelled.unbound, paneId, isHeld);
        await uncancelled.unbound.run([unset]);
      };
      // Others keep away from the pane for as long as this process lives.
      bestEffort(sent.catch(() => undoWhenReached(undo)));
    };
    this.#held.add(id);
    try {
      return { takenOver: await this.#replace({ paneId, from: "", to: value }, uncancelled, send), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Sets the lock, as soon as none is in force; returns true if an abandoned one was there. */
  async #replace(swapping: Swap, tmux: Tmux, send?: Send): Promise<boolean> {
    const { codec } = tmux;
    const { paneId, to } = swapping;
    const run = (commands: readonly Command[]): Promise<string> => tmux.run(commands);
    const swapped = send && swap(codec, swapping, async (commands) => `${await send(...commands)}\n`);
    // A client that ended may have swapped it already; the second swap then finds this lock in place.
    let lock = await swapped?.catch(() => undefined) ?? await swap(codec, swapping, run);
    let from = "";
    // A free lock may be unset at this moment: where no client is attached, a release has a connection of its own.
    for (const until = performance.now() + PATIENCE_MS; lock !== to;) {
      if (performance.now() > until) throw taken(paneId);
      const isFree = this.#isFree(lock);
      if (!isFree) await delay(PAUSE_MS);
      from = isFree ? lock : "";
      lock = await swap(codec, { ...swapping, from }, run);
    }
    return from !== "";
  }

  /**
   * Releases the locks of processes that were killed while they typed, and ends the loaders they typed. `mayType`
   * decides if a pane may be typed into; if not, its lock stays as long as it shows a loader.
   */
  sweep(tmux: Tmux, mayType: (pane: ScopedRow) => boolean): Promise<void> {
    this.#sweeping = settled(this.#sweeping).then(() => this.#sweep(tmux, mayType));
    return this.#sweeping;
  }

  async #sweep(tmux: Tmux, mayType: (pane: ScopedRow) => boolean): Promise<void> {
    const fields = {
      paneId: "#{pane_id}",
      sessionId: "#{session_id}",
      sessionName: "#{session_name}",
      serverKey: SERVER_KEY,
      lock: `#{${TYPING_SINCE}}`,
    };
    for (const pane of await tmux.rows.list(fields, ["list-panes", "-a"])) {
      const { paneId, lock } = pane;
      if (lock === "" || !this.#isDead(lock)) continue;
      if (!mayType(pane) && await hasAbandonedLoader(tmux, paneId)) continue;
      const held = await this.#take(tmux, paneId).catch(() => undefined);
      if (held?.takenOver && mayType(pane)) await endAbandonedLoader(tmux, paneId);
      held?.release();
    }
  }

  #isDead(lock: string): boolean {
    const { stamp } = readLock(lock);
    return stamp !== this.#process?.stamp && (this.#process?.isDead(stamp) ?? false);
  }

  #isFree(lock: string): boolean {
    const { since, id, stamp } = readLock(lock);
    if (since === undefined) return true;
    if (this.#held.has(id)) return false;
    if (stamp === this.#process?.stamp) return true;
    // The clock may have been set, and the machine may have slept.
    if (this.#process?.isElsewhere(stamp) === false) return this.#process.isDead(stamp);
    return Date.now() / 1000 - Number(since) >= STALE_SECONDS;
  }
}

function readLock(lock: string): { since: string | undefined; id: string; stamp: string } {
  const [, since, id = "", stamp = ""] = /^(\d+)(?: (\S+) ?(.*))?$/.exec(lock) ?? [];
  return { since, id, stamp };
}

interface Swap {
  paneId: string;
  from: string;
  to: string;
}

/** Changes the lock if it is still `from`, in one step; returns its value afterwards. */
async function swap(
  codec: RowCodec,
  { paneId, from, to }: Swap,
  run: (commands: readonly Command[]) => Promise<string>,
): Promise<string> {
  const printed = await run([
    ["has-session", "-t", paneId],
    ifTrue(paneId, equals(LOCK.lock, from), {
      then: [["set-option", "-p", "-t", paneId, TYPING_SINCE, to]],
      // A control client refuses an `if-shell` with only one branch.
      otherwise: [["display-message", "-p", ""]],
    }),
    ["display-message", "-p", "-t", paneId, codec.format(LOCK)],
  ]);
  return codec.parse(LOCK, printed)[0]?.lock ?? "";
}

/**
 * Returns the command that unsets the lock if a format is true, else an unused option: control clients refuse an
 * `if-shell` with one branch.
 */
function unsetIf(isHeld: string, paneId: string): Command {
  return ["set-option", "-pqu", "-t", paneId, `#{?${isHeld},${TYPING_SINCE},${NO_OPTION}}`];
}

function taken(paneId: string): AppError {
  return cannotRun(paneId, "one is being typed there", { hint: "Call again, or use another pane" });
}
