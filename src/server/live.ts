// The live state a call is decided on, each fact asked of tmux or the kernel only when the decision needs it.
import type { LiveFacts, LiveServer } from "../policy/types.ts";
import type { Survey } from "../tmux/survey.ts";
import type { Tmux } from "../tmux/tmux.ts";

export interface LiveSources {
  tmux: Tmux;
  survey(): Promise<Survey>;
  /** Stamps of the buffers, by name. */
  buffers(): Promise<ReadonlyMap<string, string>>;
}

export function liveFacts({ tmux, survey, buffers }: LiveSources): LiveFacts {
  return {
    survey: (): Promise<LiveServer> => survey(),
    caller: async () => tmux.callerIn(await survey()),
    showsOwnServer: async (paneId) => {
      const tty = (await survey()).panes.find((row) => row.paneId === paneId)?.tty;
      return tty !== undefined && (await ownClientTtys(tmux, await survey())).has(tty);
    },
    ownerOf: async (id) => findOwner(id, await survey()),
    async sessionOf(clientTty) {
      // A control client has a name and no terminal.
      const fields = { tty: "#{client_tty}", sessionId: "#{session_id}", name: "#{client_name}" };
      const rows = await tmux.rows.records(fields, ["list-clients"]);
      return rows.find((row) => row.tty === clientTty || row.name === clientTty)?.sessionId;
    },
    bufferStamp: async (name) => (await buffers()).get(name),
    async shellOf(paneId) {
      const pane = (await survey()).panes.find((row) => row.paneId === paneId);
      if (pane === undefined) return undefined;
      return (await tmux.machine.sight.look({ panePid: pane.pid, tty: pane.tty })).shell;
    },
  };
}

/** Terminals of the clients of the tmux that this program runs in; none on another machine, whose names are its own. */
async function ownClientTtys(tmux: Tmux, survey: Survey): Promise<Set<string>> {
  const own = tmux.machine.host === undefined ? ownServer(tmux, survey) : undefined;
  if (own === undefined) return new Set();
  const rows = await own.rows.records({ tty: "#{client_tty}" }, ["list-clients"]);
  return new Set(rows.map(({ tty }) => tty));
}

function ownServer(tmux: Tmux, survey: Survey): Tmux | undefined {
  if (tmux.callerIn(survey).kind !== "outside") return tmux;
  const [socketPath] = tmux.caller?.tmux?.split(",") ?? [];
  return socketPath === undefined ? undefined : tmux.at(socketPath);
}

/** Whoever sets a buffer, it is made at another time or has another size then. */
export async function readBuffers(tmux: Tmux): Promise<Map<string, string>> {
  const buffers = await tmux.buffers.list();
  return new Map(buffers.map(({ name, created, size }) => [name, `${created} ${size}`]));
}

/** A session's owner was asked for by its id or by the name the call gave. */
function findOwner(id: string, { owners, panes }: Survey): string | undefined {
  const name = panes.find((row) => row.sessionId === id)?.sessionName;
  return owners.get(id) ?? (name === undefined ? undefined : owners.get(name));
}
