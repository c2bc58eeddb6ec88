// A pane that shows exactly the bytes a test gives it.
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { exactFlags } from "../../src/tmux/objects/input.ts";
import { RemoteProcessInspector } from "../../src/process/remote/process_inspector.ts";
import type { Machine } from "../../src/tmux/machine.ts";
import { Tmux } from "../../src/tmux/tmux.ts";
import { type PrivateTmux, privateTmux } from "./private_tmux.ts";

/** A machine that is never asked. */
const NOWHERE: Machine = {
  inspector: new RemoteProcessInspector(() => Promise.reject(new Error("nowhere"))),
  version: () => Promise.resolve(""),
  sockets: () => Promise.resolve([]),
  wouldReplaceFile: () => Promise.resolve(false),
  environment: () => Promise.resolve({}),
  absolutePath: (path) => Promise.resolve(path),
  folder: () => Promise.resolve(undefined),
  ensurePrivateFile: (path) => Promise.resolve(path),
  fileSize: () => Promise.resolve(undefined),
  terminate: () => Promise.resolve(),
  writeTerminal: () => Promise.resolve(undefined),
};

export class PrintedPane implements AsyncDisposable {
  readonly tmux: Tmux;
  readonly id: string;
  readonly #server: PrivateTmux;
  #printed = 0;

  constructor(tmux: Tmux, id: string, server: PrivateTmux) {
    this.tmux = tmux;
    this.id = id;
    this.#server = server;
  }

  static async create(
    { width = 80, height = 24, historyLimit = 2000 }: {
      width?: number;
      height?: number;
      historyLimit?: number;
    } = {},
  ): Promise<PrintedPane> {
    const server = await privateTmux();
    const tmux: Tmux = new Tmux({
      exec: createProcessExec(server.target),
      target: () => server.target,
      machine: () => NOWHERE,
      at: () => tmux,
      socket: server.socketPath,
      socketPath: server.socketPath,
      ownClients: () => new Set(),
      owner: "test",
    });
    await tmux.run([["set-option", "-g", "history-limit", String(historyLimit)]]);
    const size = ["-x", String(width), "-y", String(height)];
    const made = await tmux.run([
      [
        "new-session",
        "-d",
        "-s",
        "printed",
        "-P",
        "-F",
        "#{pane_id}",
        ...size,
        "stty raw -echo; printf '\\033]2;0\\007'; exec cat",
      ],
    ]);
    // tmux 3.2 takes the size of the client.
    await tmux.run([["resize-window", "-t", "printed", ...size]]);
    const pane = new PrintedPane(tmux, made.trim(), server);
    await pane.#settle();
    return pane;
  }

  /** Prints bytes as they are (`\n` as a line end) and waits until tmux has taken them in. */
  async print(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(
      `${text.replaceAll("\n", "\r\n")}\x1b]2;${++this.#printed}\x07`,
    );
    await this.tmux.run([
      ["load-buffer", "-b", "printed", "-"],
      ["paste-buffer", "-d", "-r", ...exactFlags(await this.tmux.snapshot()), "-b", "printed", "-t", this.id],
    ], { stdin: bytes });
    await this.#settle();
  }

  async resize(width: number, height: number): Promise<void> {
    await this.tmux.run([["resize-window", "-t", this.id, "-x", String(width), "-y", String(height)]]);
  }

  async #settle(): Promise<void> {
    for (let tries = 0; tries < 2000; tries++) {
      const title = await this.tmux.run([["display-message", "-p", "-t", this.id, "#{pane_title}"]]);
      if (title.trim() === String(this.#printed)) return;
    }
    throw new Error("The pane never showed what it was given");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
