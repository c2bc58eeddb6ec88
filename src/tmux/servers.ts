// tmux servers: the one that is talked to, its neighbours in the same folder, ending it.
import { AppError } from "../errors.ts";
import { int, text } from "./columns.ts";
import type { Tmux } from "./tmux.ts";

export interface ServerInfo {
  alive: boolean;
  /** The server's version; where none runs, that of the program that would start one. */
  version: string;
  pid?: number;
  socketPath: string;
  sessions: number;
}

/** What only the composition root knows of this machine's tmux. */
export interface Surroundings {
  /** The folder that tmux keeps its sockets in. */
  socketFolder: string;
  /** What `tmux -V` says. */
  version(): Promise<string>;
  /** The server at another socket. */
  at(socketPath: string): Tmux;
}

const SERVER = {
  version: text("#{version}"),
  pid: int("#{pid}"),
  socketPath: text("#{socket_path}"),
};

const SESSION = { id: text("#{session_id}"), ...SERVER };

/** A server that takes longer to answer is not listed. */
const PROBE_MS = 1000;

export class Servers {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  async info(deadlineMs?: number): Promise<ServerInfo> {
    const rows = await this.#tmux.rows(
      SESSION,
      ["list-sessions"],
      deadlineMs === undefined ? {} : { deadlineMs },
    );
    const [first] = rows;
    if (!first) {
      const version = await this.#surroundings().version();
      return { alive: false, version, socketPath: this.#tmux.socketPath, sessions: 0 };
    }
    const { id: _id, ...server } = first;
    return { alive: true, ...server, sessions: rows.length };
  }

  /** The live servers in tmux's folder, and at the sockets given, of those `allowed`; what does not answer is left out. */
  async list(
    extraSocketPaths: readonly string[],
    allowed: (socketPath: string) => boolean,
  ): Promise<(ServerInfo & { socket: string })[]> {
    const { socketFolder, at } = this.#surroundings();
    const paths = new Set([...await socketsIn(socketFolder), ...extraSocketPaths]);
    const found = await Promise.all(
      [...paths].filter(allowed).map(async (socket) => {
        const info = await at(socket).servers.info(PROBE_MS).catch(() => undefined);
        return info?.alive ? [{ ...info, socket }] : [];
      }),
    );
    return found.flat();
  }

  /** Ends the server with everything in it. */
  async kill(): Promise<void> {
    await this.#tmux.run([["kill-server"]]);
  }

  #surroundings(): Surroundings {
    const { surroundings } = this.#tmux;
    if (surroundings !== undefined) return surroundings;
    throw new AppError("unsupported", "Cannot look for tmux servers there", {
      hint: "Call list-sessions to see whether one answers",
    });
  }
}

async function socketsIn(folder: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.filter((entry) => !entry.isDirectory).map((entry) => `${folder}/${entry.name}`).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
