// Keeps a pane whose shell may end until its exit code and final output are known.
import { ifTrue } from "../tmux/conditions.ts";
import { mayCrash } from "../tmux/crash_risk.ts";
import type { Command, Send } from "../tmux_exec/exec.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Ending } from "../process/ending.ts";
import { readShown } from "../terminal/final_output.ts";
import { settled } from "../promises.ts";

/** Row of a pane, counted from the start of its history. */
export type AbsoluteRow = number;

interface Option {
  readonly name: string;
  /** Value while a command runs. */
  readonly value: string;
}

/** The second one is the text that tmux would write on the dead pane. */
const OPTIONS: readonly Option[] = [
  { name: "remain-on-exit", value: "on" },
  { name: "remain-on-exit-format", value: "" },
];

/** Pane option that records which process holds the pane and what `remain-on-exit` was before. */
export const LEASE = "@tmux_mcp_holder";

/**
 * Hold on one pane. tmux forgets a pane that dies, and its exit code, unless `remain-on-exit` is on. When any
 * pane dies, tmux drops the output that control clients have not read yet (3.3a, `control_write_pending`); that output
 * is then only on the pane's screen.
 */
export class RemainOnExit {
  readonly #paneId: string;
  readonly #send: Send;
  readonly #processStamp: string | undefined;
  /** Commands that set the options back to their earlier values. */
  #restore: Command[] = [];
  #holding: Promise<void> = Promise.resolve();
  /** Earlier value of `remain-on-exit`; undefined if the pane was never held. */
  #original: string | undefined;

  /** `processStamp` goes into the lease, where `releaseDead` reads it. */
  constructor(paneId: string, send: Send, processStamp?: string) {
    this.#paneId = paneId;
    this.#send = send;
    this.#processStamp = processStamp;
  }

  hold(tmux: Tmux): Promise<void> {
    return this.#holding = this.#hold(tmux);
  }

  async #hold(tmux: Tmux): Promise<void> {
    // A pane on another machine is read by a control client, whatever its tmux version.
    if (tmux.target.via && mayCrash(tmux.target)) return;
    const target = ["-p", "-t", this.#paneId];
    const { codec } = tmux;
    const [reply, ...shown] = await Promise.all([
      // The divider shows if this tmux puts backslashes before dollars.
      this.#send(["display-message", ...target, `#{?${LEASE},held,#{remain-on-exit}}${codec.divider}`]),
      // tmux 3.2 fails silently for an option that it does not know.
      ...OPTIONS.map(({ name }) => this.#send(["show-options", ...target, "-qv", name]).catch(() => "")),
    ]);
    const [original = "", ...values] = codec.splitValues(`${reply}\n${shown.join(`${codec.divider}\n`)}`);
    this.#original = original;
    // A watch holds the pane, and releases it itself.
    if (original === "held") return;
    const noted = this.#processStamp === undefined ? [] : [note(this.#paneId, this.#processStamp)];
    await this.#send(...noted, ...holding(this.#paneId));
    this.#restore = OPTIONS.map(({ name }, index) => {
      const value = values[index] ?? "";
      return value === ""
        ? ["set-option", ...target, "-qu", name]
        : ["set-option", ...target, "-q", name, value];
    });
    if (noted.length > 0) this.#restore.push(["set-option", ...target, "-qu", LEASE]);
  }

  /** Sets the options back to their earlier values. */
  async release(tmux: Tmux): Promise<void> {
    await settled(this.#holding);
    const commands = this.#restore;
    this.#restore = [];
    if (commands.length === 0) return;
    // The control client is tried first, because it keeps the order with the next command's options.
    await this.#send(...commands).catch(() => tmux.run(commands));
  }

  /** Returns the lines of a dead pane from a row on; undefined while it shows the alternate screen. */
  async read(tmux: Tmux, from: AbsoluteRow): Promise<string[] | undefined> {
    const target = ["-t", this.#paneId];
    const place = await tmux.run([["display-message", "-p", ...target, "#{alternate_on} #{history_size}"]]);
    const [alternate, history] = place.split(" ").map(Number);
    if (alternate === 1) return undefined;
    return readShown(await tmux.run([["capture-pane", "-p", "-J", ...target, "-S", `${from - history!}`]]));
  }

  /** Closes the pane after its process has ended, unless the user's options keep it. */
  async closeDead(tmux: Tmux, { exitCode }: Ending): Promise<void> {
    await this.release(tmux);
    if (this.#original === undefined) return;
    // tmux 3.7 has `key` too, which keeps the pane until a key is pressed.
    const stays = this.#original !== "off" && (this.#original !== "failed" || exitCode !== 0);
    if (stays) return;
    const paneId = this.#paneId;
    await tmux.run([ifTrue(paneId, "#{pane_dead}", { then: [["kill-pane", "-t", paneId]] })]);
  }
}

function note(paneId: string, processStamp: string): Command {
  return ["set-option", "-pF", "-t", paneId, LEASE, `${processStamp} #{remain-on-exit}`];
}

function holding(paneId: string): Command[] {
  return OPTIONS.map(({ name, value }) => ["set-option", "-pq", "-t", paneId, name, value]);
}

/** Original value in the lease of a pane whose `remain-on-exit` was its window's, `off`. */
export const INHERITED = "inherited";

/** Returns the commands that print a pane's own `remain-on-exit`; nothing if it is its window's. */
export function ownValueCommands(paneId: string): Command[] {
  return [["show-options", "-pqv", "-t", paneId, "remain-on-exit"]];
}

/** Returns the batch that holds a pane; it fails if the pane is held already. */
export function leaseCommands(paneId: string, processStamp: string, original: string): Command[] {
  return [["set-option", "-po", "-t", paneId, LEASE, `${processStamp} ${original}`], ...holding(paneId)];
}

/** Condition of a dead pane that tmux would have closed. */
const CLOSES = "#{&&:#{pane_dead},#{||:#{==:#{remain-on-exit},off}," +
  "#{&&:#{==:#{remain-on-exit},failed},#{==:#{pane_dead_status},0}}}}";

/**
 * Returns commands that end the hold on a pane whose `remain-on-exit` was `original`, and close it if it is dead and
 * not kept by its user, who may have changed the window's option meanwhile.
 */
export function releaseCommands(paneId: string, original: string): Command[] {
  const unset = [...OPTIONS.map(({ name }) => name), LEASE];
  const when = (format: string, ...then: string[]): Command => ifTrue(paneId, format, { then: [then] });
  return [
    ...unset.map((name) => ["set-option", "-pqu", "-t", paneId, name]),
    ...(original === INHERITED ? [] : [
      when(
        `#{!=:#{remain-on-exit},${original}}`,
        "set-option",
        "-p",
        "-t",
        paneId,
        "remain-on-exit",
        original,
      ),
    ]),
    ...(closes(original) ? [when(CLOSES, "kill-pane", "-t", paneId)] : []),
  ];
}

/** Returns the command that passes a dead process's hold on to another process. */
export function adoptCommands(paneId: string, processStamp: string, original: string): Command[] {
  return [["set-option", "-p", "-t", paneId, LEASE, `${processStamp} ${original}`]];
}

/** True if a dead pane closes under this original value, unless its user has changed that meanwhile. */
export function closes(original: string): boolean {
  return original === "off" || original === INHERITED;
}

/** Reads the stamp of the process that holds a pane, and the earlier value of `remain-on-exit`. */
export function readLease(lease: string): { stamp: string; original: string } | undefined {
  const [, stamp, original] = /^(.+) (\w+)$/.exec(lease) ?? [];
  return stamp === undefined || original === undefined ? undefined : { stamp, original };
}

const HELD = { paneId: "#{pane_id}", lease: `#{${LEASE}}` };

/**
 * Releases panes in scope whose leases belong to processes that were killed, except the awaited ones: a release closes
 * a dead pane and loses its exit code, and a live pane may die before another process holds it.
 */
export async function releaseDead(
  tmux: Tmux,
  { isDead, awaited, visible }: {
    isDead(stamp: string): boolean;
    awaited(): Promise<ReadonlySet<string>>;
    visible(): Promise<ReadonlySet<string> | undefined>;
  },
): Promise<void> {
  const held = (await tmux.rows.list(HELD, ["list-panes", "-a"])).flatMap(({ paneId, lease }) => {
    const { stamp, original } = readLease(lease) ?? {};
    return stamp !== undefined && isDead(stamp) ? { paneId, original: original! } : [];
  });
  if (held.length === 0) return;
  const [kept, inScope] = await Promise.all([awaited(), visible()]);
  for (const { paneId, original } of held) {
    if (!kept.has(paneId) && inScope?.has(paneId) !== false) {
      await tmux.run(releaseCommands(paneId, original));
    }
  }
}
