// People attached to sessions: where each sits, and what the terminal there understands.
import { flag, int, type RowOf, text } from "../columns.ts";
import type { TmuxGateway } from "../gateway.ts";

const PERSON = {
  pid: int("#{client_pid}"),
  control: flag("#{client_control_mode}"),
  readOnly: flag("#{client_readonly}"),
  sessionId: text("#{session_id}"),
  name: text("#{client_name}"),
  tty: text("#{client_tty}"),
  /** Name that the terminal reports, or empty. */
  terminal: text("#{client_termtype}"),
  version: text("#{version}"),
};

/** A client with a person at it. Control clients are programs, this one's own among them. */
export type Person = RowOf<typeof PERSON>;

/** The people attached to these sessions, or to any. */
export async function listPeople(tmux: TmuxGateway, sessionIds?: readonly string[]): Promise<Person[]> {
  const clients = await tmux.rows.list(PERSON, ["list-clients"]);
  const own = tmux.ownClients();
  return clients.filter(({ pid, control, sessionId }) =>
    !control && !own.has(pid) && (sessionIds?.includes(sessionId) ?? true)
  );
}
