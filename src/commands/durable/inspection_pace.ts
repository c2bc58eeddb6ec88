// Pauses between inspections of a recovered command's pane: a second, and longer while its host can't be reached.
import { isOutOfReach } from "../../errors.ts";

/** Number of ticks between two inspections. */
const TICKS = 5;
/** Their largest number, an hour: on a host that refuses the login, each inspection is another failed one. */
const MAX_TICKS = 18_000;

export class InspectionPace {
  readonly #maxTicks: number;
  #ticks = TICKS;
  #left = 0;

  constructor({ host }: { host?: string | undefined }) {
    this.#maxTicks = host === undefined ? TICKS : MAX_TICKS;
  }

  /** Counts a tick; returns true if an inspection is due. */
  tick(): boolean {
    const isDue = this.#left === 0;
    this.#left = (isDue ? this.#ticks : this.#left) - 1;
    return isDue;
  }

  /** Settles with an inspection, which may fail, and notes if it has reached tmux. */
  async note(inspection: Promise<void>): Promise<void> {
    const isReached = await inspection.then(() => true, (error) => !isOutOfReach(error));
    this.#ticks = isReached ? TICKS : Math.min(2 * this.#ticks, this.#maxTicks);
  }

  /** Lets the next tick be due: somebody asks for the command. */
  hurry(): void {
    this.#left = 0;
  }
}
