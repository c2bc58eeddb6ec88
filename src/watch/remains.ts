// Keeps a pane in which the shell may end, until it is known how it ended and what it wrote last.
import type { Tmux } from "../tmux/tmux.ts";
import type { Send } from "./prompt.ts";
import type { Ending } from "./protocol.ts";

/**
 * tmux forgets a pane that dies, with its exit code and with output that control clients have not read yet (3.3a),
 * unless `remain-on-exit` is on: so it is, for this pane, while a command runs.
 */
export class Remains {
  readonly #paneId: string;
  readonly #send: Send;
  /** The pane's own value, empty where it has none, and the one that holds for it. */
  #own = "";
  #wanted = "off";
  #held = false;

  constructor(paneId: string, send: Send) {
    this.#paneId = paneId;
    this.#send = send;
  }

  async hold(): Promise<void> {
    const target = ["-t", this.#paneId];
    const [own, wanted] = await Promise.all([
      this.#send(["show-options", "-pqv", ...target, "remain-on-exit"]),
      this.#send(["display-message", "-p", ...target, "#{remain-on-exit}"]),
      this.#send(["set-option", "-p", ...target, "remain-on-exit", "on"]),
    ]);
    this.#own = own;
    this.#wanted = wanted;
    this.#held = true;
  }

  /** Makes the option what it was. */
  async release(tmux: Tmux): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    const target = ["-t", this.#paneId, "remain-on-exit"];
    const command = this.#own === ""
      ? ["set-option", "-pu", ...target]
      : ["set-option", "-p", ...target, this.#own];
    // The control client comes first, because it keeps the order with the next command's.
    await this.#send(command).catch(() => tmux.run([command]));
  }

  /** The pane's process has ended: the pane goes, unless its owner wants to keep it. */
  async bury(tmux: Tmux, { exitCode }: Ending): Promise<void> {
    await this.release(tmux);
    const stays = this.#wanted === "on" || (this.#wanted === "failed" && exitCode !== 0);
    if (stays) return;
    const paneId = this.#paneId;
    await tmux.run([["if-shell", "-F", "-t", paneId, "#{pane_dead}", `kill-pane -t ${paneId}`]]);
  }
}
