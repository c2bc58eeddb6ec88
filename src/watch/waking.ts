// Sees that a program has woken since keys were typed to it, or that it still sleeps.
import { READS_IN_THREAD, UNSEEN } from "../process/classify.ts";
import { type PaneInspection, readerOf } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";

/**
 * Time (ms) within which typed keys wake the program that waits for them. It waits until then as if it were done with
 * them: under load, the kernel can keep them for over a second.
 */
const WAKE_MS = 2000;

export class Waking {
  readonly #inspector: Pick<ProcessInspector, "sleeps">;
  readonly #pid: number;
  /** Number of times the program had slept; undefined if that is unknown, or has changed. */
  #slept: number | undefined;
  #until: number | undefined;

  private constructor(inspector: Pick<ProcessInspector, "sleeps">, pid: number, slept: number | undefined) {
    this.#inspector = inspector;
    this.#pid = pid;
    this.#slept = slept;
  }

  /** Call it before the keys are typed, with the last inspection. */
  static async before(
    inspector: Pick<ProcessInspector, "sleeps">,
    inspection: PaneInspection,
  ): Promise<Waking> {
    const { pid } = readerOf(inspection);
    const { waitingForInput, evidence } = inspection;
    // Only the sleeps of the main thread are counted, and among another user's programs the reader is unknown.
    const isCounted = waitingForInput && ![READS_IN_THREAD, UNSEEN].some((sign) => evidence.includes(sign));
    return new Waking(inspector, pid, isCounted ? await inspector.sleeps(pid) : undefined);
  }

  /** True unless the program provably still sleeps, and its time to wake is not over. Call it once they are typed. */
  async hasWoken(): Promise<boolean> {
    if (this.#slept === undefined) return true;
    this.#until ??= performance.now() + WAKE_MS;
    if (performance.now() < this.#until && await this.#inspector.sleeps(this.#pid) === this.#slept) {
      return false;
    }
    this.#slept = undefined;
    return true;
  }
}
