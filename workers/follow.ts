// One watch inside a worker: its panes, the first event among them, and what the host asked to be told.
import { AppError } from "../src/errors.ts";
import type { Command } from "../src/tmux/exec.ts";
import type { Probe } from "../src/process/probe.ts";
import type { Poller } from "../src/ffi/poller.ts";
import type { FollowSpec, PaneRef, WorkerMessage } from "../src/watch/protocol.ts";
import { type Sleep, sleepOfAll } from "./poll_scheduler.ts";
import type { Patterns } from "./patterns.ts";
import { PaneFollow } from "./pane_follow.ts";
import { type CommandAnswer, type PaneLocation, type PaneSource, Refusal } from "./pane_source.ts";

export interface FollowOptions {
  watchId: string;
  spec: FollowSpec;
  probe: Probe;
  /** Reports ends of processes. */
  poller: Poller;
  patterns: Patterns;
  sourceOf(pane: PaneLocation): PaneSource;
  post(message: WorkerMessage): void;
  /** The follow cannot go on. */
  failed(error: unknown): void;
  /** The next tick may find something. */
  stirred(): void;
}

/** How a follow ends. */
export interface FollowEnd {
  /** No client stays for the next follow. */
  atOnce: boolean;
  /** A command's pipe goes on copying to its spool. */
  keepsSpool?: boolean;
}

export class Follow {
  readonly #options: FollowOptions;
  readonly #panes: PaneFollow[] = [];
  readonly #rest: PromiseWithResolvers<Uint8Array | undefined> = Promise.withResolvers();
  /** The pane whose event came first. */
  #first: PaneFollow | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    try {
      for (const pane of options.spec.panes) this.#panes.push(this.#paneFollow(pane));
    } catch (error) {
      this.stop({ atOnce: true }).catch(() => {});
      throw error;
    }
  }

  async begin(): Promise<void> {
    const { watchId, post } = this.#options;
    await Promise.all(this.#panes.map((pane) => pane.begin()));
    post({ kind: "ready", watchId });
  }

  tick(): void {
    for (const pane of this.#panes) pane.tick();
  }

  /** How long another tick would find nothing in any of its panes. */
  get sleep(): Sleep | undefined {
    return sleepOfAll(this.#panes);
  }

  /** The reply is posted in its place among the pane's bytes. */
  async send(id: number, commands: readonly Command[]): Promise<void> {
    const { watchId, post } = this.#options;
    const told = ({ failed, text }: CommandAnswer): void =>
      post({ kind: "reply", watchId, id, failed, text });
    await this.#panes[0]!.stream.send(commands, told).catch((error) => told(unsent(error)));
  }

  async report(id: number): Promise<void> {
    const { watchId, post } = this.#options;
    for (const pane of this.#panes) pane.finish();
    post({ kind: "report", watchId, id, report: await (this.#first ?? this.#panes[0]!).report() });
  }

  /** Takes the dead pane's missing output from the host. */
  rest(bytes: Uint8Array | undefined): void {
    this.#rest.resolve(bytes);
  }

  /** The program was answered: its next question counts. */
  answered(): void {
    for (const pane of this.#panes) pane.answered();
  }

  async stop(how: FollowEnd): Promise<void> {
    await Promise.all(this.#panes.map((pane) => pane.leave(how)));
  }

  #paneFollow(pane: PaneRef): PaneFollow {
    const { watchId, spec, probe, poller, patterns, sourceOf, post } = this.#options;
    const { paneId } = pane;
    const follow: PaneFollow = new PaneFollow({
      pane,
      spec,
      sourceOf,
      probe,
      poller,
      patterns,
      fired: (event, detail, ending) => {
        if (this.#first) return;
        this.#first = follow;
        for (const other of this.#panes) other.finish();
        post({ kind: "event", watchId, paneId, event, detail, ...(ending && { ending }) });
      },
      asks: (detail) => post({ kind: "asks", watchId, paneId, detail }),
      mark: (mark) => post({ kind: "mark", watchId, mark }),
      bytes: (bytes) => post({ kind: "bytes", watchId, paneId, bytes }),
      spooling: (active) => post({ kind: "spooling", watchId, active }),
      gap: () => post({ kind: "gap", watchId, paneId }),
      sized: (columns, rows) => post({ kind: "sized", watchId, paneId, columns, rows }),
      dead: () => {
        post({ kind: "dead", watchId });
        return this.#rest.promise;
      },
      ended: (ending) => post({ kind: "ended", watchId, paneId, ending }),
      progress: (newLines, lastLine) => post({ kind: "progress", watchId, paneId, newLines, lastLine }),
      failed: this.#options.failed,
      stirred: this.#options.stirred,
    });
    return follow;
  }
}

function unsent(error: unknown): CommandAnswer {
  return { failed: true, text: error instanceof Error ? error.message : String(error) };
}

/** Failure of a follow, as the host receives it. */
export function failureMessage(watchId: string, error: unknown): WorkerMessage {
  if (error instanceof Refusal) return { kind: "refused", watchId, message: error.message };
  const code = error instanceof AppError ? error.code : "internal";
  return { kind: "failed", watchId, code, message: error instanceof Error ? error.message : String(error) };
}
