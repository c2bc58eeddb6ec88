// Collects the output of a tmux client, up to a limit.

import { concatBytes } from "../bytes.ts";
import { AppError } from "../errors.ts";

const MAX_MIB = 64;

/** Error for output past the limit. */
export class TooMuchOutput extends AppError {
  constructor() {
    super("tmux-error", `tmux printed more than ${MAX_MIB} MiB`, { hint: "Request fewer lines" });
  }
}

export class BoundedOutput {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  /** @throws {TooMuchOutput} past 64 MiB */
  push(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > MAX_MIB * 1024 * 1024) throw new TooMuchOutput();
    this.#chunks.push(bytes);
  }

  bytes(): Uint8Array {
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : concatBytes(this.#chunks);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes());
  }
}
