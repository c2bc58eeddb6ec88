// Polls one tmux server for changes, so that subscriptions attach no client.
import type { Client } from "../../tmux/objects/clients.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { delay } from "../../timer.ts";

export interface ServerPollerOptions {
  tmux: Tmux;
  /**
   * A session, window or pane came, went, or was renamed, moved, sized or zoomed; a pane's title, program, folder or mode
   * changed; the server or a person came or went.
   */
  changed(): void;
  printed(paneId: string): void;
}

const POLL_MS = 250;
/** Pause between two polls, as a multiple of the time one takes: listing a thousand panes takes tmux some 40 ms. */
const PAUSES = 20;
/** Pause after a poll that failed. On a host it doubles up to a minute: each poll may be another failed login. */
const RETRY_MS = 2000;
const MAX_RETRY_MS = 60_000;
/** Formats that reveal changes of objects and their arrangement, of a pane's properties, and its activity. */
const STRUCTURE =
  "#{session_id} #{session_name} #{window_id} #{window_index} #{window_name} #{window_active} #{window_layout} " +
  "#{window_zoomed_flag} #{pane_active} #{pane_dead} " +
  "#{pane_title} #{pane_pid} #{pane_current_command} #{pane_current_path} #{pane_mode} #{scroll_position}";
const PRINTED = "#{window_activity} #{history_bytes} #{cursor_x} #{cursor_y} #{alternate_on}";
const PANE = { id: "#{pane_id}", place: STRUCTURE, printed: PRINTED };
/** tmux's time in seconds. */
const CLOCK = { now: "%s" };

export class ServerPoller {
  readonly #options: ServerPollerOptions;
  #followed: ReadonlySet<string> = new Set();
  #structure: string | undefined;
  #printed: ReadonlyMap<string, string> = new Map();
  /** Second of tmux's clock at the last poll. */
  #now = 0;
  #polling: AbortController | undefined;

  constructor(options: ServerPollerOptions) {
    this.#options = options;
  }

  /** Starts to follow the server and these panes; settles once later changes will be reported. */
  async follow(paneIds: ReadonlySet<string>): Promise<void> {
    this.#followed = paneIds;
    if (this.#polling !== undefined) return;
    const { signal } = this.#polling = new AbortController();
    await this.#poll(signal).catch(() => {
      // The next poll reports all as changed: what did change meanwhile is unknown.
      if (!signal.aborted) this.#structure = "";
    });
    void this.#repeat(signal);
  }

  stop(): void {
    this.#polling?.abort();
    this.#polling = this.#structure = undefined;
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    const isHere = this.#options.tmux.machine.host === undefined;
    let [pause, retry] = [POLL_MS, RETRY_MS];
    for (;;) {
      await delay(pause, signal);
      if (signal.aborted) return;
      const began = performance.now();
      const isRead = await this.#poll(signal).then(() => true, () => false);
      pause = Math.max(isRead ? POLL_MS : retry, PAUSES * (performance.now() - began));
      retry = isRead || isHere ? RETRY_MS : Math.min(2 * retry, MAX_RETRY_MS);
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { tmux } = this.#options;
    const [text, people] = await Promise.all([
      tmux.runIfServer([
        ["list-panes", "-a", "-F", tmux.codec.format(PANE)],
        ["display-message", "-p", tmux.codec.format(CLOCK)],
      ], { signal }),
      tmux.clients.list(),
    ]);
    if (!signal.aborted) this.#compare(text ?? "", people);
  }

  #compare(text: string, people: readonly Client[]): void {
    const { codec } = this.#options.tmux;
    const panes = codec.parse(PANE, text);
    const structure = [...panes.map(({ id, place }) => `${id} ${place}`), JSON.stringify(people)].join("\n");
    const before = { structure: this.#structure, printed: this.#printed, now: this.#now };
    this.#structure = structure;
    this.#now = Number(codec.parse(CLOCK, text)[0]?.now);
    this.#printed = new Map(panes.map(({ id, printed }) => [id, printed]));
    if (before.structure === undefined) return;
    if (structure !== before.structure) this.#options.changed();
    for (const id of this.#followed) {
      const printed = this.#printed.get(id);
      // Further output in the same second may leave no other trace.
      const isSameSecond = Number(printed?.split(" ")[0]) >= before.now;
      if (printed !== before.printed.get(id) || isSameSecond) this.#options.printed(id);
    }
  }
}
