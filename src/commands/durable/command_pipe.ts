// The tmux pipe that copies a command's output to a file while no server reads it.
import { pipeToSpool, type SpoolCopier, type SpoolFile } from "../../tmux/spool_pipe.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { pollUntil } from "../../timer.ts";

export interface CommandPipeOptions {
  /** File that it copies to, with its size limit. */
  file: SpoolFile;
  serverPid: number;
  /** Pipes of a tmux server that copy to files. */
  spoolsPiped(serverPid: number): SpoolCopier[];
  /** Ends the pipe of a tmux server that copies to this file. */
  endPipe(serverPid: number, path: string): void;
}

/** Longest time (ms) that a shell takes to become the pipe's program, on a busy machine. */
const BEGUN_MS = 2000;
const POLL_MS = 10;

export class CommandPipe {
  readonly #options: CommandPipeOptions;

  constructor(options: CommandPipeOptions) {
    this.#options = options;
  }

  /** True if the pipe still copies: it may have ended with the server that began it, or its file may be full. */
  isCopying(bytes: number): boolean {
    const { file, serverPid, spoolsPiped } = this.#options;
    const spool = spoolsPiped(serverPid).find(({ path }) => path === file.path);
    return spool !== undefined && bytes < spool.maxBytes;
  }

  get file(): SpoolFile {
    return this.#options.file;
  }

  /** Settles once the pipe's program has begun: only then others that read the pane find it. */
  async begun(): Promise<void> {
    await pollUntil(() => this.isCopying(0), { ms: BEGUN_MS, pauseMs: POLL_MS });
  }

  /** Starts the pipe again; returns false if its file is full. */
  async restart(tmux: Tmux, paneId: string, bytes: number): Promise<boolean> {
    const { file, serverPid, endPipe } = this.#options;
    // A pipe with a smaller limit may have filled its file.
    endPipe(serverPid, file.path);
    if (bytes >= file.maxBytes) return false;
    await tmux.run([pipeToSpool(paneId, file)]);
    return true;
  }
}
