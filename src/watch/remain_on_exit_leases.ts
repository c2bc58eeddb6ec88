// Keeps panes that were made for a program until what it wrote last has been read: tmux drops it for control clients.
import { mayCrash } from "../tmux/control_client.ts";
import type { Command } from "../tmux/exec.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { leaseCommands, releaseCommands } from "./commands/remain_on_exit.ts";
import type { FoundPane } from "./pane_refs.ts";

/** Ends a hold; the pane goes, if its program has ended, once nobody here holds it any more. */
export type ReleaseLease = () => Promise<void>;

interface Lease {
  users: number;
  readonly taken: Promise<boolean>;
  end(): Promise<void>;
}

/** One hold is on a pane, for all here who follow it; what another process holds, or its owner keeps, is left alone. */
export class RemainOnExitLeases {
  readonly #held: Map<string, Lease> = new Map();
  readonly #attach: boolean;

  /** Without attached clients nothing is lost, and nothing held. */
  constructor({ attach }: { attach: boolean }) {
    this.#attach = attach;
  }

  /** Undefined for a pane that is not one of those, or whose hold could not be attributed later. */
  async lease(tmux: Tmux, pane: FoundPane): Promise<ReleaseLease | undefined> {
    if (!this.#attach || mayCrash(tmux.target)) return undefined;
    const key = `${pane.serverKey} ${pane.paneId}`;
    if (!this.#held.has(key) && !await isProgram(tmux, pane)) return undefined;
    const held = this.#held.get(key) ?? this.#begin(key, tmux.outlivingCall(), pane.paneId);
    held.users++;
    let released = false;
    const release = async (): Promise<void> => {
      if (released) return;
      released = true;
      if (--held.users > 0) return;
      if (this.#held.get(key) === held) this.#held.delete(key);
      await held.end();
    };
    if (await held.taken) return release;
    await release();
    return undefined;
  }

  /** Lets go of all that is held. */
  async close(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(held.map((each) => each.end()));
  }

  #begin(key: string, tmux: Tmux, paneId: string): Lease {
    const run = (commands: Command[]): Promise<boolean> => tmux.run(commands).then(() => true, () => false);
    const taken = run(leaseCommands(paneId, tmux.processMark!));
    const held = {
      users: 0,
      taken,
      end: async () => void (await taken && await run(releaseCommands(paneId, "off"))),
    };
    this.#held.set(key, held);
    return held;
  }
}

/** A shell that ends was left by its user: nobody waits for its last output. */
async function isProgram(tmux: Tmux, pane: FoundPane): Promise<boolean> {
  const isHere = tmux.machine.host === undefined && tmux.processMark !== undefined;
  if (!pane.holdable || !isHere) return false;
  const { shell, foregroundPid } = await tmux.machine.inspector.inspect(pane);
  return shell === undefined || foregroundPid !== pane.panePid;
}
