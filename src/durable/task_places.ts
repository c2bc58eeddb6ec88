// The tmux servers and panes that tasks of other processes are about: are they in scope, and do they still exist?
import { AppError, hasCode } from "../errors.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { TaskPlace } from "./task_call.ts";

export interface TaskPlacesOptions {
  /** Returns the tmux server at a socket of this machine; without a socket, the configured one. */
  connect(where: { socket?: string }): Tmux;
  /** Undefined if every socket and pane is in scope. */
  seesSocket: ((path: string) => boolean) | undefined;
  /** Ids of the panes in scope; undefined if all are. */
  visiblePanes(tmux: Tmux): Promise<ReadonlySet<string> | undefined>;
  /** True if the output of programs may be shown. */
  contents: boolean;
  allows(tool: string): boolean;
}

export class TaskPlaces {
  readonly #options: TaskPlacesOptions;

  constructor(options: TaskPlacesOptions) {
    this.#options = options;
  }

  /** True if the output of programs may be shown. */
  get contents(): boolean {
    return this.#options.contents;
  }

  /** True if this client may call a tool, and so read what it returned to another process. */
  allows(tool: string): boolean {
    return this.#options.allows(tool);
  }

  /** True if the tmux server of a place is in scope, and still the same; undefined if it does not answer. */
  async isThere({ socket, serverKey }: TaskPlace): Promise<boolean | undefined> {
    const { connect, seesSocket } = this.#options;
    if (seesSocket?.(socket) === false) return false;
    try {
      return serverKey !== undefined && await connect({ socket }).servers.runs(serverKey);
    } catch (error) {
      return hasCode(error, "denied") || hasCode(error, "invalid-argument") ? false : undefined;
    }
  }

  /** True if all panes of a place are in scope. A place without panes may be about every pane, so it is not. */
  async sees(place: TaskPlace | undefined): Promise<boolean> {
    const { connect, seesSocket, visiblePanes } = this.#options;
    if (seesSocket === undefined) return true;
    if (place === undefined || place.paneIds.length === 0) return false;
    // A pane of another tmux server can have the same id.
    const isThere = await this.isThere(place);
    if (isThere === undefined) throw new AppError("timeout", `tmux at "${place.socket}" does not answer`);
    if (!isThere) return false;
    const visible = await visiblePanes(connect(place));
    return place.paneIds.every((id) => visible?.has(id) ?? true);
  }

  /** Returns the arguments that direct a call to the tmux server at this socket. */
  argumentsFor(socket: string): { socket?: string } {
    return socket === this.#options.connect({}).socketPath ? {} : { socket };
  }
}
