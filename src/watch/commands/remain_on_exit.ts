// Keeps a pane in which the shell may end, until its exit code and last output are known.
import { mayCrash } from "../../tmux/control_client.ts";
import type { Command } from "../../tmux/exec.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { Send } from "./prompt/pane_keys.ts";
import type { Ending } from "../../process/ending.ts";
import { readShown } from "../../terminal/final_output.ts";
import { settled } from "../../promises.ts";

/** A line of the pane: screen rows and those scrolled off before, counted together. */
export type AbsoluteRow = number;

interface Option {
  readonly name: string;
  /** Its value while a command runs. */
  readonly held: string;
}

/** The second is the text that tmux would write on the dead pane. */
const OPTIONS: readonly Option[] = [
  { name: "remain-on-exit", held: "on" },
  { name: "remain-on-exit-format", held: "" },
];

/** Pane option that records which process holds the pane and what `remain-on-exit` was before. */
export const LEASE = "@tmux_mcp_holder";

/**
 * tmux forgets a pane that dies, with its exit code, unless `remain-on-exit` is on; and of any pane that dies it drops
 * the output that control clients have not read yet (3.3a, `control_write_pending`), which then is on its screen only.
 */
export class RemainOnExit {
  readonly #paneId: string;
  readonly #send: Send;
  readonly #processMark: string | undefined;
  /** Commands that make the options what they were. */
  #restore: Command[] = [];
  #holding: Promise<void> = Promise.resolve();
  /** The value before; undefined where the pane was never held. */
  #wanted: string | undefined;

  /** `processMark` goes into the lease, for `releaseDead`. */
  constructor(paneId: string, send: Send, processMark?: string) {
    this.#paneId = paneId;
    this.#send = send;
    this.#processMark = processMark;
  }

  hold(tmux: Tmux): Promise<void> {
    return this.#holding = this.#hold(tmux);
  }

  async #hold(tmux: Tmux): Promise<void> {
    // A pane of another machine is read by a control client, whatever its tmux.
    if (tmux.target.via && mayCrash(tmux.target)) return;
    const target = ["-p", "-t", this.#paneId];
    const { codec } = tmux;
    const [said, ...shown] = await Promise.all([
      // The divider shows whether this tmux puts backslashes before dollars.
      this.#send(["display-message", ...target, `#{?${LEASE},held,#{remain-on-exit}}${codec.divider}`]),
      // tmux 3.2 fails silently for an option that it does not know.
      ...OPTIONS.map(({ name }) => this.#send(["show-options", ...target, "-qv", name]).catch(() => "")),
    ]);
    const [wanted = "", ...own] = codec.splitValues(`${said}\n${shown.join(`${codec.divider}\n`)}`);
    this.#wanted = wanted;
    // A watch holds the pane, and releases it itself.
    if (wanted === "held") return;
    const noted = this.#processMark === undefined ? [] : [note(this.#paneId, this.#processMark)];
    await this.#send(...noted, ...holding(this.#paneId));
    this.#restore = OPTIONS.map(({ name }, index) => {
      const value = own[index] ?? "";
      return value === ""
        ? ["set-option", ...target, "-qu", name]
        : ["set-option", ...target, "-q", name, value];
    });
    if (noted.length > 0) this.#restore.push(["set-option", ...target, "-qu", LEASE]);
  }

  /** Makes the options what they were. */
  async release(tmux: Tmux): Promise<void> {
    await settled(this.#holding);
    const commands = this.#restore;
    this.#restore = [];
    if (commands.length === 0) return;
    // The control client comes first, because it keeps the order with the next command's.
    await this.#send(...commands).catch(() => tmux.run(commands));
  }

  /** Lines of a dead pane from a row on; undefined while it shows the alternate screen. */
  async read(tmux: Tmux, from: AbsoluteRow): Promise<string[] | undefined> {
    const target = ["-t", this.#paneId];
    const place = await tmux.run([["display-message", "-p", ...target, "#{alternate_on} #{history_size}"]]);
    const [alternate, history] = place.split(" ").map(Number);
    if (alternate === 1) return undefined;
    return readShown(
      await tmux.run([["capture-pane", "-p", "-J", ...target, "-S", `${from - history!}`]]),
    );
  }

  /** The pane's process has ended: closes the pane, unless its user wants to keep it. */
  async closeDead(tmux: Tmux, { exitCode }: Ending): Promise<void> {
    await this.release(tmux);
    if (this.#wanted === undefined) return;
    const stays = this.#wanted === "on" || this.#wanted === "held" ||
      (this.#wanted === "failed" && exitCode !== 0);
    if (stays) return;
    const paneId = this.#paneId;
    await tmux.run([["if-shell", "-F", "-t", paneId, "#{pane_dead}", `kill-pane -t ${paneId}`]]);
  }
}

function note(paneId: string, processMark: string, ...flags: string[]): Command {
  return ["set-option", "-pF", ...flags, "-t", paneId, LEASE, `${processMark} #{remain-on-exit}`];
}

function holding(paneId: string): Command[] {
  return OPTIONS.map(({ name, held }) => ["set-option", "-pq", "-t", paneId, name, held]);
}

/** Holds a pane in one batch, which fails when it is held already. */
export function leaseCommands(paneId: string, processMark: string): Command[] {
  return [note(paneId, processMark, "-o"), ...holding(paneId)];
}

/** Ends a hold on a pane whose `remain-on-exit` was `wanted`, and closes a dead one that its user does not keep. */
export function releaseCommands(paneId: string, wanted: string): Command[] {
  const unset = [...OPTIONS.map(({ name }) => name), LEASE];
  const when = (format: string, then: string): Command => ["if-shell", "-F", "-t", paneId, format, then];
  return [
    ...unset.map((name) => ["set-option", "-pqu", "-t", paneId, name]),
    when(`#{!=:#{remain-on-exit},${wanted}}`, `set-option -p -t ${paneId} remain-on-exit ${wanted}`),
    ...(wanted === "off" ? [when("#{pane_dead}", `kill-pane -t ${paneId}`)] : []),
  ];
}

/** Makes the hold of a process that was killed that of another. */
export function adoptCommands(paneId: string, processMark: string, wanted: string): Command[] {
  return [["set-option", "-p", "-t", paneId, LEASE, `${processMark} ${wanted}`]];
}

/** The process that holds a pane, and `remain-on-exit` as it was before. */
export function readLease(lease: string): { mark: string; wanted: string } | undefined {
  const [, mark, wanted] = /^(.+) (\w+)$/.exec(lease) ?? [];
  return mark === undefined || wanted === undefined ? undefined : { mark, wanted };
}

const HELD = { paneId: "#{pane_id}", lease: `#{${LEASE}}` };

/**
 * Releases panes whose leases belong to processes that were killed, but for those that are awaited: a release closes a
 * dead pane, and loses its exit code, and a live one may die before another process holds it.
 */
export async function releaseDead(
  tmux: Tmux,
  isDead: (mark: string) => boolean,
  awaited: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  const held = (await tmux.rows.records(HELD, ["list-panes", "-a"])).flatMap(({ paneId, lease }) => {
    const { mark, wanted } = readLease(lease) ?? {};
    return mark !== undefined && isDead(mark) ? { paneId, wanted: wanted! } : [];
  });
  if (held.length === 0) return;
  const left = await awaited();
  for (const { paneId, wanted } of held) {
    if (!left.has(paneId)) await tmux.run(releaseCommands(paneId, wanted));
  }
}
