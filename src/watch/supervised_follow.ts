// One follow as its owner holds it, whichever worker serves it: it changes workers where no client stays attached.
import { AppError } from "../errors.ts";
import type { Command } from "../tmux/exec.ts";
import type { FollowSpec, Report } from "./protocol.ts";
import type { FollowHandlers, WorkerHandle } from "./worker_handle.ts";

/** A follow as its owner holds it. */
export interface FollowHandle {
  readonly watchId: string;
  /** Settles when every byte from now on is seen; rejects when the follow fails or is stopped first. */
  readonly ready: Promise<void>;
  send(commands: Command[]): Promise<string>;
  /** Output of a pane up to now, by default the first; ends the watch, not the stream. */
  report(paneId?: string): Promise<Report>;
  /** `atOnce`: no client stays for the next follow, as where the caller cancelled. */
  stop(atOnce?: boolean): void;
}

/** A follow in the worker that serves it. */
export interface FollowRun {
  worker: WorkerHandle;
  end(atOnce: boolean): void;
}

export interface SupervisedFollowOptions {
  watchId: string;
  spec: FollowSpec;
  handlers: Omit<FollowHandlers, "ready">;
  /** Has a worker follow. */
  serve(spec: FollowSpec, handlers: FollowHandlers): FollowRun;
  /** No client stays attached where this one follows. */
  refused(spec: FollowSpec): void;
  over(): void;
}

export class SupervisedFollow implements FollowHandle {
  readonly #options: SupervisedFollowOptions;
  readonly #ready = Promise.withResolvers<void>();
  #spec: FollowSpec;
  #run: FollowRun;
  #begun = false;
  #over = false;

  constructor(options: SupervisedFollowOptions) {
    this.#options = options;
    this.#spec = options.spec;
    this.ready.catch(() => {});
    this.#run = this.#serve();
  }

  get watchId(): string {
    return this.#options.watchId;
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  send(commands: Command[]): Promise<string> {
    return this.#run.worker.send(this.watchId, commands);
  }

  report(paneId?: string): Promise<Report> {
    return this.#run.worker.report(this.watchId, paneId);
  }

  stop(atOnce = false): void {
    if (this.#over) return;
    this.#over = true;
    this.#ready.reject(new AppError("gone", "The watch has ended"));
    this.#options.over();
    this.#run.end(atOnce);
  }

  #serve(): FollowRun {
    return this.#options.serve(this.#spec, {
      ...this.#options.handlers,
      ready: () => {
        this.#begun = true;
        this.#ready.resolve();
      },
      failed: (error) => this.#failed(error),
      refused: (error) => this.#refused(error),
    });
  }

  #failed(error: AppError): void {
    this.#ready.reject(error);
    this.stop();
    this.#options.handlers.failed(error);
  }

  /** The panes are read through their pipes from now on; what they printed meanwhile is lost. */
  #refused(error: AppError): void {
    if (this.#over) return;
    if (this.#spec.server.unattached) return this.#failed(error);
    const { handlers, refused } = this.#options;
    refused(this.#spec);
    this.#run.end(true);
    this.#spec = { ...unattached(this.#spec), ...(this.#begun && { resumed: true }) };
    for (const { paneId } of this.#spec.panes) handlers.gap?.({ kind: "gap", watchId: this.watchId, paneId });
    this.#run = this.#serve();
  }
}

export function unattached(spec: FollowSpec): FollowSpec {
  return { ...spec, server: { ...spec.server, unattached: true } };
}
