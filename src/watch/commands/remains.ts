// Keeps a pane in which the shell may end, until it is known how it ended and what it wrote last.
import type { Command } from "../../tmux/exec.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { Send } from "./prompt.ts";
import type { Ending } from "../protocol.ts";

/** A line of the pane: screen rows and those scrolled off before, counted together. */
export type AbsoluteRow = number;

interface Option {
  readonly name: string;
  /** What it is while a command runs. */
  readonly held: string;
}

/** The second is what tmux would write on the dead pane. */
const OPTIONS: readonly Option[] = [
  { name: "remain-on-exit", held: "on" },
  { name: "remain-on-exit-format", held: "" },
];

/** Of a pane: which process holds it, and what `remain-on-exit` was before. */
const HOLDER = "@tmux_mcp_holder";

/**
 * tmux forgets a pane that dies, with its exit code, unless `remain-on-exit` is on; and of any pane that dies it drops
 * the output that control clients have not read yet (3.3a, `control_write_pending`), which then is on its screen only.
 */
export class Remains {
  readonly #paneId: string;
  readonly #send: Send;
  readonly #holder: string | undefined;
  /** Commands that make the options what they were. */
  #restore: Command[] = [];
  #wanted = "off";

  /** `holder` proves which process this is, for `releaseDead`. */
  constructor(paneId: string, send: Send, holder?: string) {
    this.#paneId = paneId;
    this.#send = send;
    this.#holder = holder;
  }

  async hold(): Promise<void> {
    const target = ["-p", "-t", this.#paneId];
    const noted = this.#holder === undefined
      ? []
      : [["set-option", "-F", ...target, HOLDER, `${this.#holder} #{remain-on-exit}`]];
    const [wanted, ...own] = await Promise.all([
      this.#send(["display-message", ...target, "#{remain-on-exit}"]),
      ...OPTIONS.map(({ name }) => this.#send(["show-options", ...target, "-qv", name])),
      this.#send(...noted, ...OPTIONS.map(({ name, held }) => ["set-option", ...target, "-q", name, held])),
    ]);
    this.#wanted = wanted;
    this.#restore = OPTIONS.map(({ name }, index) => {
      const value = own[index] ?? "";
      return value === ""
        ? ["set-option", ...target, "-qu", name]
        : ["set-option", ...target, "-q", name, value];
    });
    if (noted.length > 0) this.#restore.push(["set-option", ...target, "-qu", HOLDER]);
  }

  /** Makes the options what they were. */
  async release(tmux: Tmux): Promise<void> {
    const commands = this.#restore;
    this.#restore = [];
    if (commands.length === 0) return;
    // The control client comes first, because it keeps the order with the next command's.
    await this.#send(...commands).catch(() => tmux.run(commands));
  }

  /** What stands on a dead pane from a row on, wrapped lines joined. */
  async read(tmux: Tmux, from: AbsoluteRow): Promise<string[]> {
    const target = ["-t", this.#paneId];
    const history = Number(await tmux.run([["display-message", "-p", ...target, "#{history_size}"]]));
    const text = await tmux.run([["capture-pane", "-p", "-J", ...target, "-S", `${from - history}`]]);
    return text.trimEnd().split("\n");
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

/** Lets go of the panes whose holder was killed before it could. */
export async function releaseDead(tmux: Tmux, isDead: (holder: string) => boolean): Promise<void> {
  const held = await tmux.list({ paneId: "#{pane_id}", holder: `#{${HOLDER}}` }, ["list-panes", "-a"]);
  for (const { paneId, holder } of held) {
    const [, by = "", wanted = ""] = /^(.+) (\w+)$/.exec(holder) ?? [];
    if (!isDead(by)) continue;
    const target = ["-p", "-t", paneId];
    const unset = [...OPTIONS.map(({ name }) => name), HOLDER];
    const differs = ["if-shell", "-F", "-t", paneId, `#{!=:#{remain-on-exit},${wanted}}`];
    await tmux.run([
      ...unset.map((name) => ["set-option", ...target, "-qu", name]),
      [...differs, `set-option -p -t ${paneId} remain-on-exit ${wanted}`],
      ...(wanted === "off"
        ? [["if-shell", "-F", "-t", paneId, "#{pane_dead}", `kill-pane -t ${paneId}`]]
        : []),
    ]);
  }
}
