// Copying what a pane prints to a file.
import { shellWord } from "../../shell/quoting.ts";
import { flag } from "../columns.ts";
import { literalTime } from "../record_codec.ts";
import type { TmuxGateway } from "../gateway.ts";

const PIPE = { piping: flag("#{pane_pipe}") };

export class Pipes {
  readonly #tmux: TmuxGateway;

  constructor(tmux: TmuxGateway) {
    this.#tmux = tmux;
  }

  /** Starts copying a pane's output to a file, instead of to where it was copied before. */
  async start(paneId: string, path: string, { append }: { append: boolean }): Promise<boolean> {
    const file = await this.#tmux.machine.ensurePrivateFile(path);
    const command = `umask 077; exec cat ${append ? ">>" : ">"} ${shellWord(file)}`;
    return await this.#pipe(["pipe-pane", "-t", paneId, literalTime(command)], paneId);
  }

  async stop(paneId: string): Promise<boolean> {
    return await this.#pipe(["pipe-pane", "-t", paneId], paneId);
  }

  async #pipe(command: string[], paneId: string): Promise<boolean> {
    return (await this.#tmux.rows.read(PIPE, paneId, { acts: [command] })).piping;
  }
}
