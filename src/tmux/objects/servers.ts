// tmux servers: the one that is talked to, its neighbours in the same folder, ending it.
import { int, text } from "../columns.ts";
import { SERVER_KEY } from "../server_key.ts";
import type { TmuxGateway } from "../gateway.ts";

export interface ServerInfo {
  alive: boolean;
  /** The server's version; where none runs, that of the program that would start one. */
  version: string;
  pid?: number;
  socketPath: string;
  /** Those that the call may see. */
  sessions: number;
  /** The machine, where it is not this one. */
  host?: string;
}

const SERVER = {
  version: text("#{version}"),
  pid: int("#{pid}"),
  socketPath: text("#{socket_path}"),
};

const SESSION = { sessionId: text("#{session_id}"), sessionName: text("#{session_name}"), ...SERVER };

/** A server that takes longer to answer is not listed. */
const PROBE_MS = 1000;

export class Servers {
  readonly #tmux: TmuxGateway;

  constructor(tmux: TmuxGateway) {
    this.#tmux = tmux;
  }

  async info(deadlineMs?: number): Promise<ServerInfo> {
    const rows = await this.#tmux.rows.list(
      SESSION,
      ["list-sessions"],
      deadlineMs === undefined ? {} : { deadlineMs },
    );
    const [first] = rows;
    const { machine, socketPath } = this.#tmux;
    const where = machine.host === undefined ? {} : { host: machine.host };
    if (!first) {
      return { alive: false, version: await machine.version(), socketPath, sessions: 0, ...where };
    }
    const { sessionId: _id, sessionName: _name, ...server } = first;
    return { alive: true, ...server, sessions: rows.filter((row) => this.#tmux.sees(row)).length, ...where };
  }

  /** Live servers in tmux's folder and at the given sockets, among those `allowed`; a server that does not answer is left out. */
  async list(
    extraSocketPaths: readonly string[],
    allowed: (socketPath: string) => boolean,
  ): Promise<(ServerInfo & { socket: string })[]> {
    const { machine } = this.#tmux;
    const paths = new Set([...await machine.sockets(), ...extraSocketPaths]);
    const found = await Promise.all(
      [...paths].filter(allowed).map(async (socket) => {
        const info = await new Servers(this.#tmux.at(socket)).info(PROBE_MS).catch(() => undefined);
        return info?.alive ? [{ ...info, socket }] : [];
      }),
    );
    return found.flat();
  }

  /** Pid and start time of the server that runs; no two servers have the same. */
  async key(): Promise<string | undefined> {
    const asked = ["display-message", "-p", SERVER_KEY];
    const text = await this.#tmux.runIfServer([asked], { deadlineMs: PROBE_MS });
    return text?.trim();
  }

  /** Ends the server and everything in it. */
  async kill(): Promise<void> {
    await this.#tmux.run([["kill-server"]]);
  }
}
