// tmux servers: the current one, its neighbours in the same folder, and ending it.
import { int } from "../columns.ts";
import { AppError } from "../../errors.ts";
import { pidOfKey, SERVER_KEY } from "../server_key.ts";
import { ServerObjects } from "./server_objects.ts";

export interface ServerInfo {
  alive: boolean;
  /** Version of the server; if none runs, of the program that would start one. */
  version: string;
  pid?: number;
  socketPath: string;
  /** Number of sessions that the call may see. */
  sessions: number;
  /** Name of the machine, if it is not this one. */
  host?: string;
}

const SERVER = { version: "#{version}", pid: int("#{pid}"), socketPath: "#{socket_path}" };

const SESSION = {
  sessionId: "#{session_id}",
  sessionName: "#{session_name}",
  serverKey: SERVER_KEY,
  paneIds: "#{W:#{P:#{pane_id} }}",
};

/** Longest time (ms) by which the clock puts the start of a server's process before or after what its key says. */
const START_MS = 10_000;

/** A server here that takes longer (ms) to reply is not listed; on a host, the way there may take as long. */
const PROBE_MS = 1000;

export class Servers extends ServerObjects {
  async info(timeoutMs?: number): Promise<ServerInfo> {
    const { codec, machine, socketPath } = this.tmux;
    // A live server can be without sessions (`exit-empty off`).
    const text = await this.tmux.runIfServer([
      ["list-sessions", "-F", codec.format(SESSION)],
      codec.dividerCommand(),
      ["display-message", "-p", codec.format(SERVER)],
    ], timeoutMs === undefined ? {} : { timeoutMs });
    const [listed = "", described = ""] = codec.split(text ?? "");
    const [server] = codec.parse(SERVER, described);
    const where = machine.host === undefined ? {} : { host: machine.host };
    if (!server) return { alive: false, version: await machine.version(), socketPath, sessions: 0, ...where };
    const sessions = codec.parse(SESSION, listed).filter(({ paneIds, ...session }) =>
      paneIds.trimEnd().split(" ").some((paneId) => this.tmux.sees({ ...session, paneId }))
    );
    return { alive: true, ...server, sessions: sessions.length, ...where };
  }

  /** Returns live servers in tmux's folder and at the extra sockets, if `allowed`; one that is silent is left out. */
  async list(
    extraSocketPaths: readonly string[],
    allowed: (socketPath: string) => boolean,
  ): Promise<(ServerInfo & { socket: string })[]> {
    const { machine } = this.tmux;
    const timeoutMs = machine.host === undefined ? PROBE_MS : undefined;
    const paths = new Set([...await machine.sockets(), ...extraSocketPaths]);
    const servers = await Promise.all(
      [...paths].filter(allowed).map(async (socket) => {
        const info = await new Servers(this.tmux.at(socket)).info(timeoutMs).catch(() => undefined);
        return info?.alive ? [{ ...info, socket }] : [];
      }),
    );
    return servers.flat();
  }

  /** Returns the pid and start time of the running server, which no two servers share; undefined if none runs. */
  async key(options: { timeoutMs?: number } = {}): Promise<string | undefined> {
    return (await this.tmux.runIfServer([["display-message", "-p", SERVER_KEY]], options))?.trim();
  }

  /**
   * True while the process of the server with this key lives, which may be one that nobody can ask: a socket in a folder
   * for temporary files is removed sooner or later.
   */
  async lives(key: string): Promise<boolean> {
    const [pid = 0, started = 0] = key.split("-").map(Number);
    const age = await this.tmux.machine.inspector.ageMs(pid);
    return age !== undefined && Math.abs(Date.now() - age - started * 1000) < START_MS;
  }

  /**
   * True if the server with this key runs.
   * @throws {AppError} `tmux-unavailable` if its process lives, and nobody can ask it
   */
  async runs(key: string): Promise<boolean> {
    if (await this.key() === key) return true;
    if (!await this.lives(key)) return false;
    const server = `tmux server with pid ${pidOfKey(key)}`;
    throw new AppError("tmux-unavailable", `Cannot reach the ${server}: it has lost its socket`, {
      hint: `Send it SIGUSR1, for which tmux creates "${this.tmux.socketPath}" again`,
    });
  }

  async kill(): Promise<void> {
    await this.tmux.run([["kill-server"]]);
  }
}
