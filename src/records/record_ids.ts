// Ids of commands, watches and tasks; no two server processes create the same one.

const TOKEN_CHARS = 8;
/** Server key in the id of a record that is not about a tmux server. */
export const NO_SERVER = "0-0";

export class RecordIds {
  /** Part of every id of this process. */
  readonly token: string = crypto.randomUUID().slice(0, TOKEN_CHARS);
  readonly #counts: Map<string, number> = new Map();

  /** Returns a new id; `kind` is one letter. */
  next(kind: string, serverKey: string = NO_SERVER): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return `${kind}${count}-${this.token}-${serverKey}`;
  }

  issued(id: string): boolean {
    return id.split("-")[1] === this.token;
  }
}
