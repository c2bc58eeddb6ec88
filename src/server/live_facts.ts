// Live state for the decision on a call; tmux or the kernel is asked for a fact only when it is needed.
import { idKind } from "../ids.ts";
import type { PaneInspection } from "../process/probe.ts";
import type { LiveFacts, PolicySnapshot } from "../policy/types.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { Tmux } from "../tmux/tmux.ts";

export interface LiveSources {
  tmux: Tmux;
  snapshot(): Promise<ServerSnapshot>;
  /** Stamps of the buffers, by name. */
  buffers(): Promise<ReadonlyMap<string, string>>;
}

/** Facts for the decision on one call: from its snapshot, and on demand from tmux and the kernel. */
export function liveFacts({ tmux, snapshot, buffers }: LiveSources): LiveFacts {
  const inspect = async (paneId: string): Promise<PaneInspection | undefined> => {
    const pane = (await snapshot()).panes.find((row) => row.paneId === paneId);
    return pane && await tmux.machine.inspector.inspect({ panePid: pane.pid, tty: pane.tty });
  };
  let newShell: Promise<string | undefined> | undefined;
  return {
    snapshot: (): Promise<PolicySnapshot> => snapshot(),
    caller: async () => tmux.callerIn(await snapshot()),
    showsOwnServer: async (paneId) => {
      const tty = (await snapshot()).panes.find((row) => row.paneId === paneId)?.tty;
      return tty !== undefined && (await ownClientTtys(tmux, await snapshot())).has(tty);
    },
    ownerOf: async (id) =>
      findOwner(id, await snapshot()) ??
        (idKind(id) === "session" ? await tmux.sessions.ownerOf(id) : undefined),
    sessionOwner: (id) => tmux.sessions.ownerOf(id),
    async sessionOf(clientTty) {
      // A control client has a name and no terminal.
      const fields = { tty: "#{client_tty}", sessionId: "#{session_id}", name: "#{client_name}" };
      const rows = await tmux.rows.list(fields, ["list-clients"]);
      return rows.find((row) => row.tty === clientTty || row.name === clientTty)?.sessionId;
    },
    bufferStamp: async (name) => (await buffers()).get(name),
    asksPassword: async (paneId) => (await inspect(paneId))?.inputKind === "password",
    shellOf: async (paneId) => (await inspect(paneId))?.shell,
    newShell: () => newShell ??= defaultShell(tmux),
  };
}

/** The shell that tmux runs, or would run with a new server. */
async function defaultShell(tmux: Tmux): Promise<string | undefined> {
  const option = await tmux.options.show("default-shell", { global: true }).catch(() => undefined);
  const path = option?.value ?? (await tmux.machine.environment())["SHELL"];
  return path?.split("/").at(-1);
}

/** Ttys of the clients of this program's own tmux; empty on another machine, whose ttys have unrelated names. */
async function ownClientTtys(tmux: Tmux, snapshot: ServerSnapshot): Promise<Set<string>> {
  const own = tmux.machine.host === undefined ? ownServer(tmux, snapshot) : undefined;
  if (own === undefined) return new Set();
  const rows = await own.rows.list({ tty: "#{client_tty}" }, ["list-clients"]);
  return new Set(rows.map(({ tty }) => tty));
}

function ownServer(tmux: Tmux, snapshot: ServerSnapshot): Tmux | undefined {
  if (tmux.callerIn(snapshot).kind !== "outside") return tmux;
  const [socketPath] = tmux.caller?.tmux?.split(",") ?? [];
  return socketPath === undefined ? undefined : tmux.at(socketPath);
}

/** Stamps of buffers by name; setting a buffer again changes its time or size. */
export async function readBuffers(tmux: Tmux): Promise<Map<string, string>> {
  const buffers = await tmux.buffers.list();
  return new Map(buffers.map(({ name, created, size }) => [name, `${created} ${size}`]));
}

function findOwner(id: string, { ownerOf, panes }: ServerSnapshot): string | undefined {
  // For a pane that the call names by its service, the snapshot couldn't ask for the owner.
  const service = panes.find((row) => row.paneId === id && row.service !== "");
  return ownerOf(id) ?? service?.owner;
}
