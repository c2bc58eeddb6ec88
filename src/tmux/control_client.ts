// A control-mode client attached to one session: sends command lines, hands on what tmux tells.
import { AppError } from "../errors.ts";
import { type ControlHandler, ControlParser, type ControlReply } from "./control.ts";
import { DEFAULT_DEADLINE_MS, noAnswer } from "./exec.ts";
import { type ChildClient, type ProcessTarget, spawnClient } from "./process.ts";

export interface ControlClientOptions {
  target: ProcessTarget;
  sessionId: string;
  /** Client flags besides `ignore-size` (tmux(1), `attach-session -f`). */
  flags: readonly string[];
  output(paneId: string, bytes: Uint8Array): void;
  notification(name: string, rest: string): void;
  /** The client is gone, whoever ended it. */
  closed(reason: string): void;
}

type Pending = (reply: ControlReply) => void;

const DETACH_MS = 500;
const encoder = new TextEncoder();

/**
 * `-E` keeps the session's environment as it is, `ignore-size` its windows' sizes. Whatever the client prints is
 * read as it comes and nothing here waits, so tmux is never kept from reading a pane by this reader.
 */
export class ControlClient {
  readonly pid: number;
  readonly #child: ChildClient;
  readonly #options: ControlClientOptions;
  readonly #pending: Pending[] = [];
  readonly #attached: PromiseWithResolvers<void> = Promise.withResolvers();
  #closed = false;
  #exitReason = "";

  constructor(options: ControlClientOptions) {
    this.#options = options;
    const flags = ["ignore-size", ...options.flags].join(",");
    this.#child = spawnClient(options.target, [
      // attach-session would start a server where there is none, and run its user's configuration.
      "-N",
      "-C",
      "attach-session",
      "-E",
      "-t",
      options.sessionId,
      "-f",
      flags,
    ]);
    this.pid = this.#child.pid;
    const late = setTimeout(() => this.#late(), DEFAULT_DEADLINE_MS);
    this.#attached.promise.catch(() => {}).finally(() => clearTimeout(late));
    this.#read().catch((error) => this.#end(String(error)));
  }

  /** Settles when tmux has attached the client; from then on every byte of its panes is delivered. */
  get attached(): Promise<void> {
    return this.#attached.promise;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Sends one command line in tmux's own syntax; answers when tmux has run it. `told` is given the same reply, in
   * its place among the panes' output.
   * @throws {AppError} `gone` when the client has ended; when it ends before the answer, that is a failed reply
   */
  async send(line: string, told?: (reply: ControlReply) => void): Promise<ControlReply> {
    if (this.#closed) throw this.#gone();
    const { promise, resolve } = Promise.withResolvers<ControlReply>();
    this.#pending.push((reply) => {
      told?.(reply);
      resolve(reply);
    });
    // A client that no longer reads is about to end.
    this.#child.stdin.write(encoder.encode(line + "\n")).catch(() => {});
    return await promise;
  }

  /** Settles when everything tmux had to tell before this call has been handed on. */
  async sync(): Promise<void> {
    await this.send("display-message -p ''");
  }

  /** Detaches and sees the process end. */
  async close(): Promise<void> {
    if (!this.#closed) {
      await this.#child.stdin.close().catch(() => {});
      const timer = setTimeout(() => this.#child.end(), DETACH_MS);
      await this.#child.status;
      clearTimeout(timer);
    }
    await this.#child.end();
  }

  async #read(): Promise<void> {
    const handler: ControlHandler = {
      output: (paneId, bytes) => this.#options.output(paneId, bytes),
      reply: (reply) => this.#reply(reply),
      notification: (name, rest) => {
        if (name === "%exit") this.#exitReason = rest;
        this.#options.notification(name, rest);
      },
    };
    const parser = new ControlParser(handler);
    for await (const bytes of this.#child.stdout) parser.push(bytes);
    await this.#child.status;
    this.#end(this.#exitReason);
  }

  #reply(reply: ControlReply): void {
    if (reply.own) return this.#pending.shift()?.(reply);
    if (reply.failed) return this.#attached.reject(new AppError("not-found", reply.text));
    this.#attached.resolve();
  }

  #late(): void {
    this.#attached.reject(noAnswer(this.#options.target.bin, DEFAULT_DEADLINE_MS));
    this.#child.end().catch(() => {});
  }

  #end(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#attached.reject(this.#gone());
    const failed: ControlReply = { failed: true, own: true, text: "the control client ended" };
    for (const pending of this.#pending.splice(0)) pending(failed);
    this.#options.closed(reason);
    this.#child.end().catch(() => {});
  }

  #gone(): AppError {
    return new AppError("gone", `The control client of session "${this.#options.sessionId}" ended`, {
      hint: "Call list-sessions to see whether the session is still there",
    });
  }
}
