// JSON-RPC batches of protocol 2025-03-26: several messages on one line, with all answers on another line.

/** The only protocol version with batches. */
export const BATCH_VERSION = "2025-03-26";

type Id = string | number;
type Answer = { readonly id?: Id | null | undefined };

interface Batch {
  readonly unanswered: Id[];
  readonly answers: Answer[];
}

/** Batches whose answers aren't complete. */
export class Batches {
  readonly #write: (answers: readonly Answer[]) => void;
  #open: Batch[] = [];

  constructor(write: (answers: readonly Answer[]) => void) {
    this.#write = write;
  }

  /** Adds a batch, given the ids of its requests and the answers to its invalid elements. */
  add(ids: readonly Id[], refusals: readonly Answer[]): void {
    const batch = { unanswered: [...ids], answers: [...refusals] };
    this.#open.push(batch);
    this.#check(batch);
  }

  /** Takes an answer if it belongs to a batch, and returns true. The batch is written when its last answer has come. */
  takes(answer: Answer): boolean {
    const batch = this.#remove(answer.id);
    if (!batch) return false;
    batch.answers.push(answer);
    this.#check(batch);
    return true;
  }

  /** Removes a cancelled request, which gets no answer. */
  cancelled(id: unknown): void {
    const batch = this.#remove(id);
    if (batch) this.#check(batch);
  }

  #remove(id: unknown): Batch | undefined {
    const batch = this.#open.find(({ unanswered }) => unanswered.some((each) => each === id));
    batch?.unanswered.splice(batch.unanswered.findIndex((each) => each === id), 1);
    return batch;
  }

  #check(batch: Batch): void {
    if (batch.unanswered.length > 0) return;
    this.#open = this.#open.filter((each) => each !== batch);
    if (batch.answers.length > 0) this.#write(batch.answers);
  }
}
