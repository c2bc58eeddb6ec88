// End of the command that started the shell in which another command runs: the shell has ended too.
import { beforeDone } from "../../shell/marks.ts";
import type { CommandRecord } from "./record.ts";

export const SHELL_GONE = "The shell it ran in ended together with the command that had started that shell";

/** Cuts the output of a command where an outer command's mark is: what follows is that shell's prompt. */
export class OuterEnd {
  readonly #secrets: readonly string[];
  #isPast = false;

  constructor(record: CommandRecord, secret: string, outer?: CommandRecord) {
    this.#secrets = outer?.secrets ?? [];
    record.secrets = [secret, ...this.#secrets];
  }

  /** Returns the part of the pane's next bytes that comes before the mark. */
  before(bytes: Uint8Array): Uint8Array {
    if (this.#isPast) return new Uint8Array();
    const last = this.#secrets.length === 0 ? undefined : beforeDone(bytes, this.#secrets);
    this.#isPast = last !== undefined;
    return last ?? bytes;
  }
}
