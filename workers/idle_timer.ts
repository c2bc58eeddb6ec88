// Measures how long a pane has printed nothing, and fires the idle triggers.
import type { Trigger } from "../src/watch/protocol.ts";

type IdleTrigger = Trigger & { kind: "idle" };

export class IdleTimer {
  readonly #triggers: readonly IdleTrigger[];
  #since = performance.now();

  constructor(triggers: readonly Trigger[]) {
    this.#triggers = triggers.filter((trigger) => trigger.kind === "idle");
  }

  /** Starts again: there is output, or output counts from now on. */
  reset(): void {
    this.#since = performance.now();
  }

  due(now: number): IdleTrigger | undefined {
    return this.#triggers.find((trigger) => now >= this.#end(trigger));
  }

  /** Time at which the first trigger fires if nothing is printed before. */
  get dueAt(): number {
    return Math.min(Infinity, ...this.#triggers.map((trigger) => this.#end(trigger)));
  }

  #end({ seconds }: IdleTrigger): number {
    return this.#since + seconds * 1000;
  }
}
