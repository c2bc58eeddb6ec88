// One watch inside a worker: its panes, the first event among them, and what the host asked to be told.
import { AppError } from "../src/errors.ts";
import type { Probe } from "../src/process/probe.ts";
import type { FollowSpec, PaneRef, WorkerMessage } from "../src/watch/protocol.ts";
import { PaneFollow } from "./pane_follow.ts";
import type { SessionLink } from "./session_link.ts";

export interface FollowOptions {
  watchId: string;
  spec: FollowSpec;
  probe: Probe;
  linkFor(pane: PaneRef): SessionLink;
  post(message: WorkerMessage, transfer?: Transferable[]): void;
}

export class Follow {
  readonly #options: FollowOptions;
  readonly #panes: { follow: PaneFollow; link: SessionLink }[];
  /** The pane whose event came first. */
  #first: PaneFollow | undefined;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#panes = options.spec.panes.map((pane) => {
      const link = options.linkFor(pane);
      return { link, follow: this.#paneFollow(pane, link) };
    });
  }

  async begin(): Promise<void> {
    const { watchId, post } = this.#options;
    await Promise.all(this.#panes.map(({ follow }) => follow.begin()));
    post({ kind: "ready", watchId });
  }

  tick(now: number): void {
    for (const { follow } of this.#panes) follow.tick(now);
  }

  async send(id: number, lines: readonly string[]): Promise<void> {
    const { watchId, post } = this.#options;
    const link = this.#panes[0]!.link;
    const replies = await Promise.all(lines.map((line) => link.send(line)));
    const failed = replies.find((reply) => reply.failed);
    post({
      kind: "reply",
      watchId,
      id,
      failed: failed !== undefined,
      text: (failed ?? replies.at(-1))?.text ?? "",
    });
  }

  async report(id: number): Promise<void> {
    const { watchId, post } = this.#options;
    const follow = this.#first ?? this.#panes[0]!.follow;
    for (const pane of this.#panes) pane.follow.finish();
    post({ kind: "report", watchId, id, report: await follow.report() });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#panes.map(({ follow }) => follow.leave()));
  }

  #paneFollow(pane: PaneRef, link: SessionLink): PaneFollow {
    const { watchId, spec, probe, post } = this.#options;
    const { paneId } = pane;
    const follow: PaneFollow = new PaneFollow({
      pane,
      spec,
      link,
      probe,
      fired: (event, detail, ending) => {
        if (this.#first) return;
        this.#first = follow;
        for (const other of this.#panes) other.follow.finish();
        post({ kind: "event", watchId, paneId, event, detail, ...(ending && { ending }) });
      },
      mark: (mark) => post({ kind: "mark", watchId, mark }),
      bytes: (bytes) => {
        const copy = bytes.slice();
        post({ kind: "bytes", watchId, paneId, bytes: copy }, [copy.buffer]);
      },
      gap: () => post({ kind: "gap", watchId, paneId }),
      ended: (ending) => post({ kind: "ended", watchId, paneId, ending }),
      progress: (newLines, lastLine) => post({ kind: "progress", watchId, paneId, newLines, lastLine }),
    });
    return follow;
  }
}

/** What the host is told of a follow that cannot go on. */
export function failureMessage(watchId: string, error: unknown): WorkerMessage {
  const code = error instanceof AppError ? error.code : "internal";
  return { kind: "failed", watchId, code, message: error instanceof Error ? error.message : String(error) };
}
