// Requests to one worker that it has yet to reply to. None waits for a tmux that no longer answers.
import { AppError, hasCode } from "../errors.ts";
import { handledLater } from "../promises.ts";
import { within } from "../timer.ts";
import { createProcessExec } from "../tmux/spawn.ts";
import { DEFAULT_TIMEOUT_MS, noAnswer } from "../tmux_exec/exec.ts";
import type { OnRead } from "./follow.ts";
import type { ServerRef, WorkerMessage } from "./protocol.ts";

export type WorkerReply = WorkerMessage & { kind: "reply" | "report" };

/** A request about a followed pane. */
export interface WorkerRequest {
  watchId: string;
  /** The tmux server that its reply depends on. */
  server: ServerRef;
  /** Called with what commands that succeeded have printed, before the next message is handled. */
  onRead?: OnRead | undefined;
  post(id: number): void;
}

interface PendingRequest extends PromiseWithResolvers<WorkerReply> {
  onRead: OnRead | undefined;
}

/** Time (ms) without a reply after which tmux is asked in another way: during a flood of output, a reply is late. */
const PATIENCE_MS = DEFAULT_TIMEOUT_MS / 2;

export class PendingRequests {
  readonly #pending: Map<string, PendingRequest> = new Map();
  readonly #patienceMs: number;
  #nextId = 0;

  /** `patienceMs`: tests use less. */
  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** Number of requests without a reply, including those that are given up. */
  get size(): number {
    return this.#pending.size;
  }

  /** @throws {AppError} `timeout` if tmux answers nobody for 5 s; what a request is rejected with */
  async ask({ watchId, server, onRead, post }: WorkerRequest): Promise<WorkerReply> {
    const id = ++this.#nextId;
    const request: PendingRequest = { ...Promise.withResolvers(), onRead };
    handledLater(request.promise);
    this.#pending.set(`${watchId} ${id}`, request);
    post(id);
    for (let answers = true; answers;) {
      const reply = await within(request.promise, { ms: this.#patienceMs });
      if (reply) return reply;
      const over = new AbortController();
      const asked = answersOthers(server, over.signal);
      answers = await Promise.race([request.promise.then(() => true), asked]).finally(() => over.abort());
      // Once this settles, the tmux client that asked has ended too.
      await asked;
    }
    request.onRead = undefined;
    throw noAnswer("tmux", DEFAULT_TIMEOUT_MS);
  }

  resolve(reply: WorkerReply): void {
    const key = `${reply.watchId} ${reply.id}`;
    const request = this.#pending.get(key);
    this.#pending.delete(key);
    if (reply.kind === "reply" && !reply.failed) request?.onRead?.(reply.text, reply.isLate === true);
    request?.resolve(reply);
  }

  reject(watchId: string, error: AppError): void {
    for (const [key, request] of this.#pending) {
      if (!key.startsWith(`${watchId} `)) continue;
      this.#pending.delete(key);
      request.reject(error);
    }
  }

  rejectAll(error: AppError): void {
    for (const request of this.#pending.values()) request.reject(error);
  }
}

/** False if another client of tmux gets no answer either; a tmux that is gone ends the worker's own client. */
async function answersOthers(server: ServerRef, signal: AbortSignal): Promise<boolean> {
  const options = { signal, timeoutMs: DEFAULT_TIMEOUT_MS - PATIENCE_MS };
  const answer = createProcessExec(server)([["display-message", "-p", ""]], options);
  return await answer.then(() => true, (error) => !hasCode(error, "timeout"));
}
