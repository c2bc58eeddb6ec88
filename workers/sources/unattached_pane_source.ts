// Reads a pane through its own pipe, so that no client attaches.
import { AppError } from "../../src/errors.ts";
import type { Libc } from "../../src/ffi/libc.ts";
import { SpoolReader } from "./spool_reader.ts";
import type { Command, Exec, Reply } from "../../src/tmux_exec/exec.ts";
import { isBareRead, PrintingHooks, readWithoutHooks } from "../../src/tmux/printing_hooks.ts";
import { startPipe } from "../../src/tmux/spool_pipe.ts";
import { PipePaneReader, type PipeReaderContext } from "./pipe_pane_reader.ts";
import {
  type CommandAnswer,
  notify,
  type PaneListener,
  type PaneLocation,
  type PaneSource,
  untilSilent,
} from "./pane_source.ts";
import { pollUntil } from "../../src/timer.ts";

export interface UnattachedPaneSourceOptions extends Pick<PaneLocation, "paneId" | "commandSpool"> {
  exec: Exec;
  pipeContext: PipeReaderContext;
  /** Opens and reads regular files. */
  files: Pick<Libc, "open" | "close" | "readAt" | "errno">;
  /** Runs after all earlier commands, whichever pane they were for. */
  inTurn<T>(act: () => Promise<T>): Promise<T>;
}

/**
 * Time (ms) for tmux to notice that a pipe has ended; a pipe that stays longer is somebody else's. Under load, half a
 * second was too short once in 1,180 tests.
 */
const TAKEN_MS = 2000;
const TAKEN_POLL_MS = 20;
/** A pane's size, then values that change when its program is over. */
export const PANE_STATE = "#{pane_width} #{pane_height} #{pane_pid} #{pane_dead}";

/**
 * Source that reads one pane's pipe. A pane has only one pipe; an existing one is left alone, and if it copies to a
 * command's file, that file is read.
 */
export class UnattachedPaneSource implements PaneSource {
  readonly #options: UnattachedPaneSourceOptions;
  readonly #pipeReader: PipePaneReader | SpoolReader;
  readonly #listeners: Set<PaneListener> = new Set();
  #bytes = 0;
  /** The last `PANE_STATE`; undefined until the pipe is open. */
  #state: string | undefined;

  constructor(options: UnattachedPaneSourceOptions) {
    this.#options = options;
    const { commandSpool, pipeContext, files } = options;
    const startBesideSpool = async () => void (this.#state = await this.#readState());
    const reading = {
      pipeContext,
      output: (bytes: Uint8Array) => this.#output(bytes),
      ended: () => this.#ended(),
    };
    this.#pipeReader = commandSpool
      ? new SpoolReader({ ...reading, spool: commandSpool, files, start: startBesideSpool })
      : new PipePaneReader({ ...reading, paneId: options.paneId, start: (text) => this.#start(text) });
  }

  get closed(): boolean {
    return this.#pipeReader.closed;
  }

  /** True for every session: a pane's pipe works wherever the pane is. */
  serves(): boolean {
    return true;
  }

  async follow(_: string, listener: PaneListener): Promise<void> {
    this.#listeners.add(listener);
    await this.#pipeReader.connected;
  }

  leave(_: string, listener: PaneListener): Promise<void> {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#pipeReader.end();
    return Promise.resolve();
  }

  send(
    _: string,
    commands: readonly Command[],
    onReply?: (answer: CommandAnswer) => void,
  ): Promise<CommandAnswer> {
    return this.#answer(commands, () => this.#pipeReader.drain(), onReply);
  }

  /** tmux may reply to commands before it writes what it has read of the pane; by its next reply it has. */
  async read(
    _: string,
    commands: readonly Command[],
    onReply: (answer: CommandAnswer) => void,
  ): Promise<void> {
    await this.#answer(commands, () => this.sync(), onReply);
  }

  async sync(): Promise<void> {
    // Unread output was more likely printed at the new size than at the old one.
    this.noteState(await this.#readState());
    await this.#pipeReader.drain();
  }

  settle(): Promise<void> {
    return untilSilent(this, () => this.#bytes);
  }

  #answer(
    commands: readonly Command[],
    settle: () => Promise<void>,
    onReply?: (answer: CommandAnswer) => void,
  ): Promise<CommandAnswer> {
    return this.#options.inTurn(async () => {
      const before = this.#bytes;
      const { code, stdout, stderr } = await this.#run(commands);
      const printed = new TextDecoder().decode(stdout);
      const text = code === 0 ? printed : stderr;
      const answer = { failed: code !== 0, text: text.replace(/\n$/, ""), printed };
      await settle();
      const placed = { ...answer, isLate: this.#bytes !== before };
      onReply?.(placed);
      return placed;
    });
  }

  /** Reports what has changed in the pane's `PANE_STATE`, which is empty if the pane is gone. */
  noteState(state: string): void {
    const before = this.#state;
    if (before === undefined || state === before) return;
    this.#state = state;
    const [columns, rows, ...life] = state.split(" ");
    const [columnsBefore, rowsBefore, ...lifeBefore] = before.split(" ");
    const isSized = state !== "" && (columns !== columnsBefore || rows !== rowsBefore);
    const isChanged = life.join() !== lifeBefore.join();
    for (const listener of [...this.#listeners]) {
      if (isSized) notify(listener, () => listener.sized(Number(columns), Number(rows)));
      if (isChanged) notify(listener, () => listener.changed());
    }
  }

  async #run(commands: readonly Command[]): Promise<Reply> {
    const { exec } = this.#options;
    return isBareRead(commands)
      ? await readWithoutHooks(commands, new PrintingHooks(), exec)
      : await exec(commands);
  }

  async #start(text: string): Promise<void> {
    const { exec, paneId } = this.#options;
    const isStarted = async (): Promise<boolean> => {
      const { code, stdout, stderr } = await exec([
        ["display-message", "-p", "-t", paneId, `#{pane_pipe} ${PANE_STATE}`],
        startPipe(paneId, text),
      ]);
      if (code !== 0) throw new AppError("not-found", stderr.trim());
      const [, piped, state] = /^(\d) (.*)/.exec(new TextDecoder().decode(stdout)) ?? [];
      if (piped === "0") this.#state = state;
      return piped === "0";
    };
    if (!await pollUntil(isStarted, { ms: TAKEN_MS, pauseMs: TAKEN_POLL_MS })) throw taken(paneId);
  }

  async #readState(): Promise<string> {
    const { stdout } = await this.#run([["display-message", "-p", "-t", this.#options.paneId, PANE_STATE]]);
    return new TextDecoder().decode(stdout).trim();
  }

  #output(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    for (const listener of [...this.#listeners]) notify(listener, () => listener.output(bytes));
  }

  #ended(): void {
    for (const listener of [...this.#listeners]) notify(listener, () => listener.changed());
    this.#listeners.clear();
  }
}

function taken(paneId: string): AppError {
  const what = `Cannot follow pane "${paneId}" without attaching: its output is piped already`;
  return new AppError("busy", what, {
    hint: "End that pipe (pipe-pane with outputPath: null) unless it is a person's, or let clients attach",
  });
}
