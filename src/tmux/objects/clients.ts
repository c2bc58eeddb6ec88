// Clients: terminals with people at them, without the clients of this program and others like it.
import { hasCode, notFound } from "../../errors.ts";
import { flag, int, type RowOf } from "../columns.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { CLIENT_NAME } from "../../tmux_protocol/attacher.ts";
import type { Pids } from "../gateway.ts";
import { ServerObjects } from "./server_objects.ts";

const CLIENT = {
  tty: "#{client_tty}",
  pid: int("#{client_pid}"),
  readOnly: flag("#{client_readonly}"),
  sessionName: "#{session_name}",
  name: "#{client_name}",
};

const MAX_TRIES = 5;

export type Client = RowOf<typeof CLIENT> & { attached: boolean };

export class Clients extends ServerObjects {
  async list(): Promise<Client[]> {
    const rows = await this.tmux.rows.list(CLIENT, ["list-clients"]);
    const own = this.tmux.ownClients();
    return rows.filter((row) => !isProgram(row, own)).map((row) => ({
      ...row,
      attached: row.sessionName !== "",
    }));
  }

  /**
   * Runs `act` with commands that its batch must begin with. They make the control clients of this program, and of
   * others like it, drop the output of a pane that they have not read; its followers report a gap. tmux (3.3 to 3.7)
   * crashes if a program is started in a pane while a control client has unread output of the previous program.
   */
  async letGo<T>(paneId: string, act: (first: Command[]) => Promise<T>): Promise<T> {
    for (let tries = 1;; tries++) {
      try {
        return await act(await this.#pauses(paneId));
      } catch (error) {
        // A client that has left since it was listed ends the batch.
        if (tries === MAX_TRIES || !isClientGone(error)) throw error;
      }
    }
  }

  /** Detaches a client, named by its tty, or by its name if it has no tty. */
  async detach(clientTty: string): Promise<void> {
    const client = (await this.list()).find(({ tty, name }) => tty === clientTty || name === clientTty);
    if (!client) throw notFound("client", clientTty);
    await this.tmux.run([["detach-client", "-t", client.name]]);
  }

  async #pauses(paneId: string): Promise<Command[]> {
    const rows = await this.tmux.rows.list(CLIENT, ["list-clients"]);
    const own = this.tmux.ownClients();
    return rows.filter((row) => isProgram(row, own))
      .map(({ name }) => ["refresh-client", "-t", name, "-A", `${paneId}:pause`]);
  }
}

/** True for a client of this program, or of another like it: no person uses it. */
export function isProgram({ pid, name }: Pick<Client, "pid" | "name">, own: Pids): boolean {
  return own.has(pid) || name.startsWith(CLIENT_NAME);
}

function isClientGone(error: unknown): boolean {
  return hasCode(error, "not-found") && /find client/.test(error.message);
}
