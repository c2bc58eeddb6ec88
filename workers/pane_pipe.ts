// What one pane prints, read through the pane's own pipe, for which no client attaches.
import { AppError } from "../src/errors.ts";
import type { Command, Exec } from "../src/tmux/exec.ts";
import { Copier, type Copying } from "./copier.ts";
import { type Answer, type PaneListener, type PaneSource, settle, tell } from "./pane_source.ts";

export interface PanePipeOptions {
  paneId: string;
  exec: Exec;
  copying: Copying;
  /** Runs after everything that was to be run before, whichever pane that was for. */
  inTurn<T>(act: () => Promise<T>): Promise<T>;
}

/** tmux takes a moment to see that a pipe has ended; one that stays longer is somebody else's. */
const TAKEN_MS = 500;
const TAKEN_LOOK_MS = 10;

/** A pane has one pipe: one that is there is left alone. */
export class PanePipe implements PaneSource {
  readonly #options: PanePipeOptions;
  readonly #copier: Copier;
  readonly #listeners: Set<PaneListener> = new Set();
  #bytes = 0;

  constructor(options: PanePipeOptions) {
    this.#options = options;
    this.#copier = new Copier({
      ...options,
      start: (pipe) => this.#start(pipe),
      output: (bytes) => this.#output(bytes),
      ended: () => this.#ended(),
    });
  }

  get closed(): boolean {
    return this.#copier.closed;
  }

  /** Its pane's output comes wherever the pane is. */
  serves(): boolean {
    return true;
  }

  async follow(_: string, listener: PaneListener): Promise<void> {
    this.#listeners.add(listener);
    await this.#copier.connected;
  }

  leave(_: string, listener: PaneListener): Promise<void> {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#copier.end();
    return Promise.resolve();
  }

  send(commands: readonly Command[], told?: (answer: Answer) => void): Promise<Answer> {
    const { exec, inTurn } = this.#options;
    return inTurn(async () => {
      const { code, stdout, stderr } = await exec(commands);
      const text = code === 0 ? new TextDecoder().decode(stdout) : stderr;
      const answer = { failed: code !== 0, text: text.replace(/\n$/, "") };
      await this.#copier.drain();
      told?.(answer);
      return answer;
    });
  }

  async sync(): Promise<void> {
    await this.#options.exec([["display-message", "-p", ""]]);
    await this.#copier.drain();
  }

  settle(): Promise<void> {
    return settle(this, () => this.#bytes);
  }

  /** Something is not as it was in its pane. */
  changed(): void {
    for (const listener of [...this.#listeners]) tell(listener, () => listener.changed());
  }

  async #start(pipe: string): Promise<void> {
    const { exec, paneId } = this.#options;
    const until = performance.now() + TAKEN_MS;
    for (;;) {
      const { code, stdout, stderr } = await exec([
        ["display-message", "-p", "-t", paneId, "#{pane_pipe}"],
        ["if-shell", "-F", "-t", paneId, "#{?pane_pipe,0,1}", pipe],
      ]);
      if (code !== 0) throw new AppError("not-found", stderr.trim());
      if (new TextDecoder().decode(stdout).trim() === "0") return;
      if (performance.now() > until) throw taken(paneId);
      await new Promise((resolve) => setTimeout(resolve, TAKEN_LOOK_MS));
    }
  }

  #output(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    for (const listener of [...this.#listeners]) tell(listener, () => listener.output(bytes));
  }

  #ended(): void {
    for (const listener of [...this.#listeners]) tell(listener, () => listener.closed());
    this.#listeners.clear();
  }
}

function taken(paneId: string): AppError {
  return new AppError(
    "busy",
    `Cannot follow pane "${paneId}" without attaching: its output is piped already`,
    {
      hint: "End that pipe (pipe-pane with outputPath: null, if it is not a person's), or let clients attach",
    },
  );
}
