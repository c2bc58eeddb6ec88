// The commands that run in each pane, and until when its shell may be drawing the prompt after the last one.
import type { FoundPane } from "../pane_refs.ts";
import type { CommandRecord } from "./record.ts";

type PaneKey = Pick<FoundPane, "serverKey" | "paneId">;

/** A shell that has just ended a command draws its prompt for this long at most (ms). */
export const PROMPT_MS = 5000;

export class PaneCommands {
  /** Every one but the first runs in a shell that the one before has begun. */
  readonly #running: Map<string, CommandRecord[]> = new Map();
  /** `performance.now()` */
  readonly #promptsBy: Map<string, number> = new Map();

  running(pane: PaneKey): CommandRecord | undefined {
    return this.#running.get(keyOf(pane))?.at(-1);
  }

  /** A program that runs there up to then may belong to the prompt (`git status`), in `performance.now()`. */
  promptBy(pane: PaneKey): number {
    return this.#promptsBy.get(keyOf(pane)) ?? 0;
  }

  add(pane: PaneKey, record: CommandRecord): void {
    const key = keyOf(pane);
    this.#running.set(key, [...(this.#running.get(key) ?? []), record]);
    record.left.then(() => {
      const left = this.#running.get(key)!.filter((each) => each !== record);
      left.length > 0 ? this.#running.set(key, left) : this.#running.delete(key);
      if (record.begun) this.#notePrompt(key);
    });
  }

  #notePrompt(key: string): void {
    const now = performance.now();
    for (const [each, end] of this.#promptsBy) if (end < now) this.#promptsBy.delete(each);
    this.#promptsBy.set(key, now + PROMPT_MS);
  }
}

function keyOf({ serverKey, paneId }: PaneKey): string {
  return `${serverKey} ${paneId}`;
}
