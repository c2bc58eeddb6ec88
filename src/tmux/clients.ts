// Clients: the terminals people are attached with. This program's own are never among them.
import { notFound } from "../errors.ts";
import { flag, int, text } from "./columns.ts";
import type { Tmux } from "./tmux.ts";

const CLIENT = {
  tty: text("#{client_tty}"),
  pid: int("#{client_pid}"),
  readOnly: flag("#{client_readonly}"),
  sessionName: text("#{session_name}"),
  name: text("#{client_name}"),
};

export interface Client {
  tty: string;
  name: string;
  sessionName: string;
  pid: number;
  attached: boolean;
  readOnly: boolean;
}

export class Clients {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  async list(): Promise<Client[]> {
    const rows = await this.#tmux.rows.list(CLIENT, ["list-clients"]);
    const own = this.#tmux.ownClients();
    return rows.filter((row) => !own.has(row.pid)).map((row) => ({
      ...row,
      attached: row.sessionName !== "",
    }));
  }

  /** Ends the attachment of a client, given by its tty, or by its name where it has none. */
  async detach(clientTty: string): Promise<void> {
    const found = (await this.list()).find(({ tty, name }) => tty === clientTty || name === clientTty);
    if (!found) throw notFound("client", clientTty);
    await this.#tmux.run([["detach-client", "-t", found.name]]);
  }
}
