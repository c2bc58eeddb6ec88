// People attached to sessions: where they are, and what their terminals understand.
import { flag, int, type RowOf } from "../columns.ts";
import type { TmuxGateway } from "../gateway.ts";

const PERSON = {
  pid: int("#{client_pid}"),
  control: flag("#{client_control_mode}"),
  readOnly: flag("#{client_readonly}"),
  sessionId: "#{session_id}",
  name: "#{client_name}",
  tty: "#{client_tty}",
  /** Name that the terminal reports; empty if it reports none. */
  terminal: "#{client_termtype}",
  version: "#{version}",
};

/** A client with a person at it. Control clients, including those of this program, are programs. */
export type Person = RowOf<typeof PERSON>;

/** Returns the people attached to these sessions, or to any session. */
export async function listPeople(tmux: TmuxGateway, sessionIds?: readonly string[]): Promise<Person[]> {
  const clients = await tmux.rows.list(PERSON, ["list-clients"]);
  const own = tmux.ownClients();
  return clients.filter(({ pid, control, sessionId }) =>
    !control && !own.has(pid) && (sessionIds?.includes(sessionId) ?? true)
  );
}
