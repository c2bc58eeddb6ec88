// Keeps panes that were created for a program until their final output has been read, which tmux drops for control
// clients.
import { mayCrash } from "../tmux/crash_risk.ts";
import type { Command } from "../tmux_exec/exec.ts";
import { paneKey } from "../tmux/server_key.ts";
import type { Tmux } from "../tmux/tmux.ts";
import {
  adoptCommands,
  closes,
  INHERITED,
  leaseCommands,
  ownValueCommands,
  readLease,
  releaseCommands,
} from "./remain_on_exit.ts";
import type { FoundPane } from "./pane_refs.ts";
import { within } from "../timer.ts";

/** Time (ms) for tmux to release all panes at the end of the server, which clients soon kill. */
const CLOSE_MS = 500;

/** Ends a hold. If the pane's program has ended, the pane closes once nothing here holds it any more. */
export type ReleaseLease = () => Promise<void>;

interface Lease {
  users: number;
  readonly taken: Promise<boolean>;
  end(): Promise<void>;
}

/** Holds on panes: one per pane for all follows here. What another process holds, or the owner keeps, is left alone. */
export class RemainOnExitLeases {
  readonly #held: Map<string, Lease> = new Map();
  /** Holds that are being ended, by pane. */
  readonly #ending: Map<string, Promise<void>> = new Map();
  readonly #attach: boolean;
  readonly #isDead: (processStamp: string) => boolean;

  /** `attach`: control clients may attach. Without them no output is lost, so nothing is held. */
  constructor({ attach }: { attach: boolean }, isDead: (processStamp: string) => boolean) {
    this.#attach = attach;
    this.#isDead = isDead;
  }

  /**
   * Holds a pane that was created for a program; returns undefined for any other pane, and if the hold couldn't be
   * attributed later. The hold of a process that was killed is taken over, so that the pane stays held all the time.
   */
  async lease(tmux: Tmux, pane: FoundPane): Promise<ReleaseLease | undefined> {
    if (!this.#attach || mayCrash(tmux.target)) return undefined;
    const key = paneKey(pane.serverKey, pane.paneId);
    await this.#ending.get(key);
    const inherited = this.#originalOfDead(pane);
    if (!this.#held.has(key) && inherited === undefined && !await isProgram(tmux, pane)) return undefined;
    const held = this.#held.get(key) ?? this.#begin(key, tmux.outlivingCall(), { ...pane, inherited });
    held.users++;
    let released = false;
    const release = async (): Promise<void> => {
      if (released) return;
      released = true;
      if (--held.users > 0) return;
      await this.#end(key, held);
    };
    if (await held.taken) return release;
    await release();
    return undefined;
  }

  /** Releases everything that is held, as far as tmux answers in time. */
  async close(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    const released = Promise.all([...held.map((each) => each.end()), ...this.#ending.values()]);
    await within(released, { ms: CLOSE_MS });
  }

  async #end(key: string, held: Lease): Promise<void> {
    if (this.#held.get(key) === held) this.#held.delete(key);
    const ended = held.end();
    this.#ending.set(key, ended);
    await ended;
    if (this.#ending.get(key) === ended) this.#ending.delete(key);
  }

  /** Returns the `remain-on-exit` value that the dead process which holds the pane would restore. */
  #originalOfDead({ lease = "" }: FoundPane): string | undefined {
    const { stamp, original } = readLease(lease) ?? {};
    return stamp !== undefined && this.#isDead(stamp) ? original : undefined;
  }

  #begin(
    key: string,
    tmux: Tmux,
    { paneId, inherited }: { paneId: string; inherited: string | undefined },
  ): Lease {
    const run = (commands: Command[]): Promise<boolean> => tmux.run(commands).then(() => true, () => false);
    const stamp = tmux.processStamp!;
    let original = inherited ?? INHERITED;
    const take = async (): Promise<boolean> => {
      if (inherited !== undefined) return await run(adoptCommands(paneId, stamp, inherited));
      original = (await tmux.run(ownValueCommands(paneId)).catch(() => "")).trim() || INHERITED;
      return await run(leaseCommands(paneId, stamp, original));
    };
    const taken = take();
    const held = {
      users: 0,
      taken,
      end: async () => void (await taken && await run(releaseCommands(paneId, original))),
    };
    this.#held.set(key, held);
    return held;
  }
}

/** True if the pane closes when its program ends, or did so until this process held it. */
function isHoldable({ processStamp }: Tmux, { lease = "", stays }: FoundPane): boolean {
  if (lease === "") return !stays;
  const { stamp, original } = readLease(lease) ?? {};
  return original !== undefined && closes(original) && stamp === processStamp;
}

/** True if a program runs in the pane. A shell that ends was left by its user: nobody waits for its last output. */
async function isProgram(tmux: Tmux, pane: FoundPane): Promise<boolean> {
  const isHere = tmux.machine.host === undefined && tmux.processStamp !== undefined;
  if (!pane.forProgram || !isHoldable(tmux, pane) || !isHere) return false;
  const { shell, foregroundPid } = await tmux.machine.inspector.inspect(pane);
  return shell === undefined || foregroundPid !== pane.panePid;
}
