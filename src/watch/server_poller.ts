// Events of one tmux server, found by polling: for servers that no client of ours may attach to.
import type { Command } from "../tmux/exec.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { ServerEventHandlers, ServerObserver } from "./server_events.ts";
import { bestEffort } from "../promises.ts";

export interface ServerPollerOptions extends ServerEventHandlers {
  tmux: Tmux;
}

/** One look at a thousand panes takes tmux some milliseconds. */
const LOOK_MS = 500;
/** Objects and their arrangement; then a pane's activity, to the second and by its first characters. */
const STRUCTURE =
  "#{session_id} #{session_name} #{window_id} #{window_index} #{window_name} #{window_active} #{window_layout} " +
  "#{pane_active} #{pane_dead}";
const PRINTED = "#{window_activity} #{history_bytes} #{cursor_x} #{cursor_y} #{alternate_on}";
const LIST: Command = ["list-panes", "-a", "-F", `#{pane_id}\t${STRUCTURE}\t${PRINTED}`];

export class ServerPoller implements ServerObserver {
  readonly #options: ServerPollerOptions;
  #followed: ReadonlySet<string> = new Set();
  #structure: string | undefined;
  #printed: ReadonlyMap<string, string> = new Map();
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking = false;

  constructor(options: ServerPollerOptions) {
    this.#options = options;
  }

  pids(): number[] {
    return [];
  }

  async follow(paneIds: ReadonlySet<string>): Promise<void> {
    this.#followed = paneIds;
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void bestEffort(this.#look()), LOOK_MS);
    await this.#look();
  }

  rest(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = this.#structure = undefined;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return this.rest();
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const text = await this.#options.tmux.runIfServer([LIST]);
      if (this.#timer !== undefined) this.#compare(text ?? "");
    } finally {
      this.#looking = false;
    }
  }

  #compare(text: string): void {
    const panes = text.split("\n").filter((row) => row !== "").map((row) => row.split("\t"));
    const structure = panes.map(([id, place]) => `${id} ${place}`).join("\n");
    const before = { structure: this.#structure, printed: this.#printed };
    this.#structure = structure;
    this.#printed = new Map(panes.map(([id = "", , printed = ""]) => [id, printed]));
    if (before.structure === undefined) return;
    if (structure !== before.structure) this.#options.changed();
    for (const id of this.#followed) {
      const printed = this.#printed.get(id);
      if (printed !== before.printed.get(id) || isRecent(printed)) this.#options.printed(id);
    }
  }
}

/** Within the second of the last output more may have come that shows nowhere else. */
function isRecent(printed = ""): boolean {
  return Date.now() / 1000 - Number(printed.split(" ")[0]) < 2;
}
