// Notice to the people attached to a pane's sessions while its program waits for one of them.
import type { Command } from "../tmux_exec/exec.ts";
import { NO_OPTION } from "../tmux/conditions.ts";
import { equals, literal } from "../tmux/row_codec.ts";
import {
  HANDOVER,
  handOver,
  isOwnHandover,
  readHandover,
  WAITING,
} from "../tmux/typing/handed_over_panes.ts";
import { canShow, showCommand } from "../tmux/objects/messages.ts";
import { listPeople, type Person } from "../tmux/objects/people.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { undoWhenReached } from "../tmux/undo.ts";
import type { ProcessIdentity } from "../process/process_identity.ts";
import { isAtLeast } from "../tmux_exec/version.ts";
import { desktopNotification, type Notify } from "./desktop.ts";
import { bestEffort } from "../promises.ts";

export interface NoticeOptions {
  tmux: Tmux;
  place: { paneId: string; windowId: string; tty: string };
  /** All sessions that include the pane's window. */
  sessionIds: readonly string[];
  /** One line: which program waits, where, and for what. */
  text: string;
  notify: Notify;
}

/** Time (ms) within which a person who attaches sees the notice. */
const REFRESH_MS = 2000;
/** Time (s) for which a pane is handed over unless that is renewed: tmux may not answer twice, for 5 s each. */
const HOLD_SECONDS = 15;
/** Time (ms) that a message stays, and interval between two. tmux before 3.6 does not draw panes while it shows one. */
const LIVE = { shownMs: 3 * REFRESH_MS, everyMs: 0 };
const FROZEN = { shownMs: 5000, everyMs: 20_000 };
const BELL = Uint8Array.of(7);

export class Notice {
  readonly #options: NoticeOptions;
  /** When each client is due for the message again, and until when the last one may stay (`performance.now()`). */
  readonly #shown: Map<string, { next: number; until: number }> = new Map();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #ended = false;
  #isSuperseded = false;

  constructor(options: NoticeOptions) {
    this.#options = { ...options, tmux: options.tmux.unbound.outlivingCall() };
  }

  /** Shows the notice to these people, and to those who attach later. */
  async show(people: readonly Person[]): Promise<void> {
    const { tmux, place: { paneId, windowId, tty }, text } = this.#options;
    const shown = literal(text);
    await tmux.run([
      ["has-session", "-t", paneId],
      ["set-option", "-p", "-t", paneId, WAITING, shown],
      ["set-option", "-w", "-t", windowId, WAITING, shown],
      this.#handOver(),
    ]);
    await this.#display(people);
    await tmux.machine.writeTerminal(tty, BELL).catch(() => undefined);
    this.#refreshLater();
  }

  /** Removes the notice everywhere, once tmux answers; settles after the first attempt, with false if that failed. */
  async end(): Promise<boolean> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#refreshing;
    return await undoWhenReached(() => this.#remove());
  }

  /** Has the message shown again soon where it still was: the end of another notice has removed it. */
  showAgain(): void {
    const now = performance.now();
    for (const shown of this.#shown.values()) if (shown.until > now) shown.next = 0;
  }

  /** Leaves what tmux has not removed yet to the next notice of the same pane. */
  supersede(): void {
    this.#isSuperseded = true;
  }

  async #remove(): Promise<void> {
    if (this.#isSuperseded) return;
    const { tmux, place } = this.#options;
    await clear(tmux, place, isOwnHandover(tmux.processStamp));
    const now = performance.now();
    const shown = [...this.#shown].filter(([, { until }]) => until > now);
    await tmux.runEach(shown.map(([name]) => showCommand(name, "", { ms: 1 })));
  }

  #refreshLater(): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#refreshing = bestEffort(this.#refresh()).finally(() => this.#refreshLater());
    }, REFRESH_MS);
  }

  async #refresh(): Promise<void> {
    await this.#options.tmux.run([this.#handOver()]);
    await this.#display(await this.#people());
  }

  #handOver(): Command {
    const { tmux: { processStamp }, place: { paneId } } = this.#options;
    return handOver(paneId, { seconds: HOLD_SECONDS, processStamp });
  }

  #people(): Promise<Person[]> {
    const { tmux, sessionIds } = this.#options;
    return listPeople(tmux, sessionIds);
  }

  async #display(people: readonly Person[]): Promise<void> {
    const { tmux, text, notify } = this.#options;
    for (const person of people) {
      const { name, tty, terminal } = person;
      const before = this.#shown.get(name);
      const live = isAtLeast(person.version, 3, 6);
      const { shownMs, everyMs } = live ? LIVE : FROZEN;
      const began = performance.now();
      if (before !== undefined && began < before.next) continue;
      const message = showCommand(name, text, { ms: shownMs, live });
      // A client that has left needs no message; a tmux that does not answer may still show it.
      const isShown = !canShow(person) || await tmux.run([message]).then(() => true, () => false);
      this.#shown.set(name, { next: isShown ? began + everyMs : 0, until: performance.now() + shownMs });
      if (before !== undefined || tty === "") continue;
      const bytes = desktopNotification(text, { notify, terminal });
      if (bytes) await tmux.machine.writeTerminal(tty, bytes).catch(() => undefined);
    }
  }
}

/**
 * Removes the options from a pane if a format is true of it: tmux may not have answered for hours, and another server
 * may have set them since. If a pane of its window still waits, the window gets the option of that pane.
 */
async function clear(
  tmux: Tmux,
  { paneId, windowId }: { paneId: string; windowId: string },
  condition: string,
): Promise<void> {
  const unset = (option: string): Command => {
    return ["set-option", "-pqu", "-t", paneId, `#{?${condition},${option},${NO_OPTION}}`];
  };
  await tmux.runEach([unset(WAITING), unset(HANDOVER), ["set-option", "-wqu", "-t", windowId, WAITING]]);
  const panes = await tmux.rows.list({ waiting: `#{${WAITING}}` }, ["list-panes", "-t", windowId])
    .catch(() => []);
  const other = panes.find(({ waiting }) => waiting !== "");
  if (other) await tmux.run([["set-option", "-w", "-t", windowId, WAITING, other.waiting]]);
}

/**
 * Removes the options from panes in scope that were handed over by a server which was killed. A server that can be
 * checked hands them over for as long as it lives: the machine may have slept since it renewed that.
 */
export async function clearAbandoned(
  tmux: Tmux,
  { isDead, isElsewhere, visible }: Pick<ProcessIdentity, "isDead" | "isElsewhere"> & {
    visible(): Promise<ReadonlySet<string> | undefined>;
  },
): Promise<void> {
  const fields = { paneId: "#{pane_id}", windowId: "#{window_id}", handover: `#{${HANDOVER}}` };
  const panes = await tmux.rows.list(fields, ["list-panes", "-a"]);
  const abandoned = panes.filter(({ handover }) => {
    const { until, processStamp } = readHandover(handover);
    const hasLapsed = until < Date.now() / 1000 && isElsewhere(processStamp);
    return handover !== "" && (isDead(processStamp) || hasLapsed);
  });
  if (abandoned.length === 0) return;
  const inScope = await visible();
  for (const place of abandoned) {
    if (inScope?.has(place.paneId) === false) continue;
    await clear(tmux, place, equals(`#{${HANDOVER}}`, place.handover));
  }
}
