// The live state a call is decided on, each fact asked of tmux or the kernel only when the decision needs it.
import type { LiveFacts, LiveServer } from "../policy/types.ts";
import type { Survey } from "../tmux/survey.ts";
import type { Tmux } from "../tmux/tmux.ts";

export interface LiveSources {
  tmux: Tmux;
  survey(): Promise<Survey>;
}

export function liveFacts({ tmux, survey }: LiveSources): LiveFacts {
  return {
    survey: (): Promise<LiveServer> => survey(),
    caller: async () => tmux.callerIn(await survey()),
    ownerOf: async (id) => findOwner(id, await survey()),
    async sessionOf(clientTty) {
      // A control client has a name and no terminal.
      const fields = { tty: "#{client_tty}", sessionId: "#{session_id}", name: "#{client_name}" };
      const rows = await tmux.rows.records(fields, ["list-clients"]);
      return rows.find((row) => row.tty === clientTty || row.name === clientTty)?.sessionId;
    },
    hasBuffer: async (name) => (await tmux.buffers.list()).some((buffer) => buffer.name === name),
    async shellOf(paneId) {
      const pane = (await survey()).panes.find((row) => row.paneId === paneId);
      if (pane === undefined) return undefined;
      return (await tmux.machine.sight.look({ panePid: pane.pid, tty: pane.tty })).shell;
    },
  };
}

/** A session's owner was asked for by its id or by the name the call gave. */
function findOwner(id: string, { owners, panes }: Survey): string | undefined {
  const name = panes.find((row) => row.sessionId === id)?.sessionName;
  return owners.get(id) ?? (name === undefined ? undefined : owners.get(name));
}
