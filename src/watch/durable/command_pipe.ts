// The pipe of tmux's that copies a command's output to a file while no server reads it.
import { pipeToSpool, type SpoolFile } from "../../tmux/spool_pipe.ts";
import type { Tmux } from "../../tmux/tmux.ts";

export interface CommandPipeOptions {
  /** The file it copies to, and how large it may become. */
  file: SpoolFile;
  serverPid: number;
  /** Files that a tmux server's pipes copy to, and how large each may become. */
  spoolsPiped(serverPid: number): SpoolFile[];
  /** Ends the pipe of a tmux server that copies to this file. */
  endPipe(serverPid: number, path: string): void;
}

export class CommandPipe {
  readonly #options: CommandPipeOptions;

  constructor(options: CommandPipeOptions) {
    this.#options = options;
  }

  /** It may have ended with the server that began it; one whose file is full keeps running and copies nothing. */
  isCopying(bytes: number): boolean {
    const { file, serverPid, spoolsPiped } = this.#options;
    const spool = spoolsPiped(serverPid).find(({ path }) => path === file.path);
    return spool !== undefined && bytes < spool.maxBytes;
  }

  /** Begins it again; false where its file is full. */
  async restart(tmux: Tmux, paneId: string, bytes: number): Promise<boolean> {
    const { file, serverPid, endPipe } = this.#options;
    // One with a smaller limit may have filled it.
    endPipe(serverPid, file.path);
    if (bytes >= file.maxBytes) return false;
    await tmux.run([pipeToSpool(paneId, file)]);
    return true;
  }
}
