// One watch inside a worker: its panes, the first event among them, and what the host asked to be told.
import { AppError } from "../src/errors.ts";
import type { ControlReply } from "../src/tmux/control.ts";
import type { Probe } from "../src/process/probe.ts";
import type { FollowSpec, PaneRef, WorkerMessage } from "../src/watch/protocol.ts";
import type { Patterns } from "./patterns.ts";
import { PaneFollow } from "./pane_follow.ts";
import type { SessionLink } from "./session_link.ts";

export interface FollowOptions {
  watchId: string;
  spec: FollowSpec;
  probe: Probe;
  patterns: Patterns;
  linkFor(sessionId: string): SessionLink;
  post(message: WorkerMessage): void;
  /** The follow cannot go on. */
  failed(error: unknown): void;
}

export class Follow {
  readonly #options: FollowOptions;
  readonly #panes: PaneFollow[];
  /** The pane whose event came first. */
  #first: PaneFollow | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#panes = options.spec.panes.map((pane) => this.#paneFollow(pane));
  }

  async begin(): Promise<void> {
    const { watchId, post } = this.#options;
    await Promise.all(this.#panes.map((pane) => pane.begin()));
    post({ kind: "ready", watchId });
  }

  tick(): void {
    for (const pane of this.#panes) pane.tick();
  }

  /** The reply is posted in its place among the pane's bytes. */
  async send(id: number, lines: readonly string[]): Promise<void> {
    const { watchId, post } = this.#options;
    const { stream } = this.#panes[0]!;
    const replies: ControlReply[] = [];
    const told = (reply: ControlReply): void => {
      if (replies.push(reply) < lines.length) return;
      const failed = replies.find((each) => each.failed);
      const { text } = failed ?? reply;
      post({ kind: "reply", watchId, id, failed: failed !== undefined, text });
    };
    await Promise.all(lines.map((line) => stream.send(line, told).catch((error) => told(unsent(error)))));
  }

  async report(id: number): Promise<void> {
    const { watchId, post } = this.#options;
    for (const pane of this.#panes) pane.finish();
    post({ kind: "report", watchId, id, report: await (this.#first ?? this.#panes[0]!).report() });
  }

  async stop(atOnce: boolean): Promise<void> {
    await Promise.all(this.#panes.map((pane) => pane.leave(atOnce)));
  }

  #paneFollow(pane: PaneRef): PaneFollow {
    const { watchId, spec, probe, patterns, linkFor, post } = this.#options;
    const { paneId } = pane;
    const follow: PaneFollow = new PaneFollow({
      pane,
      spec,
      linkFor,
      probe,
      patterns,
      fired: (event, detail, ending) => {
        if (this.#first) return;
        this.#first = follow;
        for (const other of this.#panes) other.finish();
        post({ kind: "event", watchId, paneId, event, detail, ...(ending && { ending }) });
      },
      mark: (mark) => post({ kind: "mark", watchId, mark }),
      bytes: (bytes) => post({ kind: "bytes", watchId, paneId, bytes }),
      gap: () => post({ kind: "gap", watchId, paneId }),
      sized: (columns, rows) => post({ kind: "sized", watchId, paneId, columns, rows }),
      ended: (ending) => post({ kind: "ended", watchId, paneId, ending }),
      progress: (newLines, lastLine) => post({ kind: "progress", watchId, paneId, newLines, lastLine }),
      failed: this.#options.failed,
    });
    return follow;
  }
}

function unsent(error: unknown): ControlReply {
  return { failed: true, own: true, text: error instanceof Error ? error.message : String(error) };
}

/** What the host is told of a follow that cannot go on. */
export function failureMessage(watchId: string, error: unknown): WorkerMessage {
  const code = error instanceof AppError ? error.code : "internal";
  return { kind: "failed", watchId, code, message: error instanceof Error ? error.message : String(error) };
}
