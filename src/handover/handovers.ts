// Hands a program's question over to a person: notifies the people at the pane, and notices the answer.
import { endOf } from "../excerpt.ts";
import type { HandedOver, Handover, WaitingProgram } from "../watch/handed_over.ts";
import { AppError, isGone, isOutOfReach, notFound } from "../errors.ts";
import type { TerminalReader } from "../process/input_wait.ts";
import { INPUT_KINDS, type PaneProcess, readerOf } from "../process/probe.ts";
import { readableWord } from "../shell/quoting.ts";
import { listPeople } from "../tmux/objects/people.ts";
import type { PaneFacts, ServerSnapshot } from "../tmux/server_snapshot.ts";
import { paneKey } from "../tmux/server_key.ts";
import { socketWords } from "../tmux/socket.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { waitingProgram } from "../commands/shown_question.ts";
import { readPaneScreen } from "../watch/followed_screen.ts";
import type { Notify } from "./desktop.ts";
import { Notice } from "./notice.ts";
import { msUntil, within } from "../timer.ts";
import { Question } from "./question.ts";

/** Asks the person at the client with a form that has no fields; absent if the client has no forms. */
export type AskPerson = (message: string, signal: AbortSignal) => Promise<"done" | "declined" | "unasked">;

export interface HandoverRequest {
  tmux: Tmux;
  paneId: string;
  /** The waiting program, with its question; what is absent is read from the pane. */
  waiting?: TerminalReader & Partial<WaitingProgram> | undefined;
  /** Message from the agent to the person. */
  message?: string | undefined;
  /** Deadline (`performance.now()`). */
  until: number;
  signal: AbortSignal;
  askPerson?: AskPerson | undefined;
  /** False if neither the form nor an option of the pane may quote the question, because the client can read both. */
  quotes: boolean;
}

const MAX_PROMPT_CHARS = 200;
/** Longest time (ms) that a call waits for its notice to be removed: a host that is gone takes ten seconds. */
const END_MS = 2000;
/** Time (ms) for all of them at the end of the server, which clients soon kill. */
const CLOSE_MS = 500;
const REACHES_OTHERS =
  "Keys typed there reach other panes too: turn synchronize-panes off, then ask a person";

export class Handovers {
  readonly #notify: Notify;
  /** Panes in which a person is answering; each promise settles when that ends. */
  readonly #open: Map<string, Promise<void>> = new Map();
  /** The last notice of each pane until it is removed, and the first attempt at that. */
  readonly #removed: Map<string, { notice: Notice; first: Promise<void> }> = new Map();
  /** The notices that are shown. */
  readonly #shown: Set<Notice> = new Set();
  readonly #closed: AbortController = new AbortController();

  constructor({ handoverNotify }: { handoverNotify: Notify }) {
    this.#notify = handoverNotify;
  }

  /**
   * Asks a person to answer what a program waits for. Settles once the program has read the answer, or when nobody
   * will answer.
   * @throws {AppError} `busy` if a person is already answering there, or nothing waits there; `not-found`, unless the
   * request says what waits
   */
  async ask(request: HandoverRequest): Promise<Handover> {
    try {
      return await this.#askOnce(request);
    } catch (error) {
      // A pane may end between any two reads, and its host may be lost.
      const { tmux: { machine } } = request;
      const waiting = seenWaiting(request);
      const isLost = isGone(error) || (machine.host !== undefined && isOutOfReach(error));
      if (waiting && isLost) return { waiting, gone: true };
      throw error;
    }
  }

  async #askOnce(request: HandoverRequest): Promise<Handover> {
    const { tmux, paneId, until, signal } = request;
    signal.throwIfAborted();
    const removed = this.#removed.get(placeOf(request));
    if (removed) {
      const ms = msUntil(until);
      const either = AbortSignal.any([signal, this.#closed.signal]);
      const isLate = await within(removed.first, { ms, signal: either, late: () => true });
      const seen = seenWaiting(request);
      if (isLate && seen) return { waiting: seen };
      if (isLate) throw answering(paneId);
    }
    const snapshot = await tmux.snapshot();
    const { serverKey } = snapshot;
    const links = snapshot.panes.filter((row) => row.paneId === paneId);
    // The question to a person names the session, and the client reads that too.
    const pane = links.find((row) => tmux.sees({ ...row, serverKey })) ?? links[0];
    if (!pane) throw notFound("pane", paneId);
    const key = paneKey(serverKey, paneId);
    if (pane.handedOver || this.#open.has(key)) throw answering(paneId);
    const ended = Promise.withResolvers<void>();
    this.#open.set(key, ended.promise);
    try {
      return await this.#ask(request, pane, snapshot);
    } finally {
      this.#open.delete(key);
      ended.resolve();
    }
  }

  /** Ends every handover and removes its notices, as far as tmux answers in time. */
  async close(): Promise<void> {
    this.#closed.abort();
    const ended = Promise.all(this.#open.values()).then(() =>
      Promise.all([...this.#removed.values()].map(({ first }) => first))
    );
    await within(ended, { ms: CLOSE_MS });
  }

  async #ask(request: HandoverRequest, pane: PaneFacts, snapshot: ServerSnapshot): Promise<Handover> {
    const { tmux, askPerson, paneId } = request;
    const question = await this.#readQuestion(request, { ...pane, panePid: pane.pid });
    const isRead = request.waiting?.prompt !== undefined;
    const waiting = !isRead && await readWaiting(request, question) || seenWaiting(request);
    if (!waiting) throw notWaiting(paneId);
    const links = snapshot.panes.filter((row) => row.paneId === paneId);
    const sessionIds = links.map(({ sessionId }) => sessionId);
    const people = await listPeople(tmux, sessionIds);
    const attended = people.some(({ readOnly }) => !readOnly);
    const attach = attachLine(tmux, pane);
    const hint = `A person can answer it after running: ${attach}`;
    if (reachesOthers(pane, snapshot)) return { waiting, hint: REACHES_OTHERS };
    if (!attended && !askPerson) return { waiting, hint };
    const began = performance.now();
    const handoverOf = (outcome: HandedOver["outcome"] | undefined): Handover => {
      const seconds = Math.round(performance.now() - began) / 1000;
      const { inputKind, prompt } = waiting;
      const handedOver = outcome && { inputKind, prompt, seconds, outcome };
      return { waiting, ...(handedOver && { handedOver }), ...(outcome === "answered" ? {} : { hint }) };
    };
    if (!question) return handoverOf("answered");
    const text = describe(waiting, request, pane);
    const notice = new Notice({ tmux, place: pane, sessionIds, text, notify: this.#notify });
    this.#removed.get(placeOf(request))?.notice.supersede();
    this.#shown.add(notice);
    try {
      await notice.show(people);
      const form = `${text}\n${advice(attach)}`;
      const outcome = await this.#outcome(request, { question, attended, form });
      if (question.gaveUp) return { ...handoverOf("timeout"), over: true };
      return outcome === "answered" && !await question.isAlive()
        ? { waiting, gone: true }
        : handoverOf(outcome);
    } finally {
      await this.#remove(notice, placeOf(request));
    }
  }

  /** Reads the question; undefined if the program no longer waits, or now asks something else than it did. */
  async #readQuestion(
    request: HandoverRequest,
    pane: PaneProcess & { paneId: string },
  ): Promise<Question | undefined> {
    const { tmux, waiting, signal } = request;
    // The program may have its answer by now, and the shell be back at its prompt.
    const isSame = ({ inspection }: Question): boolean =>
      !waiting ||
      readerOf(inspection).name === waiting.foregroundCmd && inspection.inputKind === waiting.inputKind;
    const first = await Question.read({ tmux, pane });
    if (first && isSame(first)) return first;
    const again = await Question.readAgain({ tmux, pane }, signal);
    if (!waiting || !again) return again;
    // The question that was seen has only rows of its program.
    const isAsked = isSame(again) &&
      (await readWaiting(request, again))?.prompt.endsWith(waiting.prompt ?? "");
    return isAsked ? again : undefined;
  }

  /** Removes a notice. The call does not wait for that on a host that is gone; the pane's next question does. */
  async #remove(notice: Notice, place: string): Promise<void> {
    this.#shown.delete(notice);
    const first = notice.end().then((isRemoved) => {
      for (const each of this.#shown) each.showAgain();
      if (isRemoved && this.#removed.get(place)?.notice === notice) this.#removed.delete(place);
    });
    this.#removed.set(place, { notice, first });
    await within(first, { ms: END_MS });
  }

  /**
   * Returns undefined if nobody could be asked.
   * @throws the signal's reason if that aborts and the program has not been answered
   */
  async #outcome(
    { askPerson, until, signal }: HandoverRequest,
    { question, attended, form }: { question: Question; attended: boolean; form: string },
  ): Promise<HandedOver["outcome"] | undefined> {
    const done = new AbortController();
    const either = AbortSignal.any([done.signal, signal, this.#closed.signal]);
    const asked = askPerson?.(form, either).catch(() => "unasked" as const);
    const late = () => "timeout" as const;
    const answered = question.untilAnswered(either).then((isAnswered) => {
      if (!isAnswered) signal.throwIfAborted();
      return isAnswered ? "answered" : late();
    });
    try {
      const ms = msUntil(until);
      return await within(Promise.race([answered, declined(asked, { attended, signal: either })]), {
        ms,
        late,
      });
    } finally {
      done.abort();
    }
  }
}

/** The waiting program as its caller has seen it. */
function seenWaiting({ waiting }: HandoverRequest): WaitingProgram | undefined {
  return waiting && { prompt: "", ...waiting };
}

function readWaiting(
  { tmux, paneId }: HandoverRequest,
  question: Question | undefined,
): Promise<WaitingProgram | undefined> {
  return waitingProgram(question?.inspection, { screen: () => readPaneScreen(tmux, paneId) });
}

/** Returns the command line that attaches to a pane's session with that pane in front. */
function attachLine({ socketPath, machine }: Tmux, { sessionId, windowId, paneId }: PaneFacts): string {
  const target = readableWord(`${sessionId}:${windowId}.${paneId}`);
  const program = readableWord(machine.tmux ?? "tmux");
  const line = [program, ...socketWords(socketPath), "attach", "-t", target].join(" ");
  return machine.reach?.(line) ?? line;
}

/** Name of a pane among those of all tmux servers, also of one that does not answer. */
function placeOf({ tmux, paneId }: HandoverRequest): string {
  return `${tmux.address} ${paneId}`;
}

/** True if a person's keys would not only reach the program that asks. */
function reachesOthers({ paneId, windowId, synchronized }: PaneFacts, { panes }: ServerSnapshot): boolean {
  return synchronized &&
    panes.some((row) => row.windowId === windowId && row.paneId !== paneId && row.synchronized);
}

/**
 * Settles if the person declines, or with undefined if nobody can be asked; the kernel shows an answer. A form that
 * `signal` closes has asked.
 */
async function declined(
  replied: ReturnType<AskPerson> | undefined,
  { attended, signal }: { attended: boolean; signal: AbortSignal },
): Promise<"declined" | undefined> {
  const answer = await replied;
  if (answer === "declined") return answer;
  return answer === "unasked" && !attended && !signal.aborted ? undefined : await new Promise(() => {});
}

/** Returns one line such as `%5 (work:1.0): sudo waits for a password: [sudo] password for me:`. */
function describe(
  { inputKind, foregroundCmd, prompt }: WaitingProgram,
  { message, quotes }: Pick<HandoverRequest, "message" | "quotes">,
  { paneId, sessionName, windowIndex }: PaneFacts,
): string {
  const what = `${foregroundCmd} waits for ${INPUT_KINDS[inputKind]}`;
  const question = quotes ? endOf(plain(prompt), MAX_PROMPT_CHARS) : "";
  const parts = [`${paneId} (${sessionName}:${windowIndex}) ${what}`, plain(message ?? ""), question];
  return parts.filter((part) => part !== "").join(": ");
}

function plain(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ").trim();
}

function advice(attach: string): string {
  return `Answer it in the pane, not here: ${attach}\nAccept when that is done, or decline.`;
}

function notWaiting(paneId: string): AppError {
  const what = `Cannot ask a person about pane "${paneId}": its program is not waiting for input`;
  return new AppError("busy", what, { hint: "Wait with watch-pane for user_input" });
}

function answering(paneId: string): AppError {
  return new AppError("busy", `Cannot ask a person about pane "${paneId}": a person is answering there`, {
    hint: "Wait until the person has answered",
  });
}
