// What the kernel says of a pane's programs, look by look, and which triggers that makes true.
import type { PaneLook, Probe } from "../src/process/probe.ts";
import { describeEnding } from "../src/process/ending.ts";
import type { Ending, PaneRef, PaneStateFacts, Trigger } from "../src/watch/protocol.ts";

export interface PaneProcessesOptions {
  pane: PaneRef;
  probe: Probe;
  triggers: readonly Trigger[];
  /** The watch is of a command typed into the pane's shell: the shell's own prompt is not its business. */
  ownCommand: boolean;
}

export interface ProcessFired {
  trigger: Trigger;
  detail: string;
  ending?: Ending;
}

/** A program counts as waiting once it has waited this long. */
const STABLE_MS = 100;
const KINDS = { none: "", line: "a line", password: "a password", raw: "a key" };

export class PaneProcesses {
  readonly #options: PaneProcessesOptions;
  readonly #startTime: string | undefined;
  readonly #paneExit: ReturnType<Probe["watchExit"]> | undefined;
  #watched: { group: number; pid: number; startTime: string | undefined } | undefined;
  #groupExit: ReturnType<Probe["watchExit"]> | undefined;
  #wasShell = true;
  #done = false;
  #shellPid = 0;
  #waiting: { since: number; pid: number } | undefined;

  constructor(options: PaneProcessesOptions) {
    this.#options = options;
    const { probe, pane, ownCommand } = options;
    this.#startTime = probe.startTime(pane.panePid);
    this.#paneExit = probe.watchExit(pane.panePid);
    if (!ownCommand) this.#watchForeground();
  }

  /** The command has begun. */
  begin(): void {
    this.#wasShell = false;
  }

  /** The command is over; what waits from now on is the shell. */
  commandDone(): void {
    this.#done = true;
  }

  /** Whether the pane's own process is the one it was and lives. */
  paneAlive(): boolean {
    const { probe, pane } = this.#options;
    return this.#startTime !== undefined && probe.startTime(pane.panePid) === this.#startTime;
  }

  check(now: number): ProcessFired | undefined {
    const { triggers } = this.#options;
    const looks = triggers.some(({ kind }) => kind === "user_input" || kind === "shell");
    const look = looks ? this.#look() : undefined;
    for (const trigger of triggers) {
      const fired = trigger.kind === "exit"
        ? this.#exited(trigger)
        : trigger.kind === "shell" && look
        ? this.#backAtShell(trigger, look)
        : trigger.kind === "user_input" && look
        ? this.#waits(trigger, look, now)
        : undefined;
      if (fired) return fired;
    }
    return undefined;
  }

  state(): PaneStateFacts {
    const { foregroundGroup: _, ...facts } = this.#look();
    return facts.isAlive ? facts : { ...facts, ...this.#ending(this.#paneExit) };
  }

  /** How a pane's process ended, by tmux's word where it has one, else by the kernel's. */
  paneEnding(told: Ending): Ending {
    return told.exitCode !== undefined || told.exitSignal !== undefined ? told : this.#ending(this.#paneExit);
  }

  close(): void {
    this.#paneExit?.close();
    this.#groupExit?.close();
  }

  #look(): PaneLook {
    return this.#options.probe.look(this.#options.pane);
  }

  #watchForeground(): void {
    const { probe } = this.#options;
    const look = this.#look();
    this.#wasShell = look.shell !== undefined;
    const pid = look.foregroundPid;
    this.#watched = { group: look.foregroundGroup, pid, startTime: probe.startTime(pid) };
    if (look.isAlive) this.#groupExit = probe.watchExit(pid);
  }

  #exited(trigger: Trigger): ProcessFired | undefined {
    const watched = this.#watched;
    if (!watched) return undefined;
    const { probe, pane } = this.#options;
    const leads = probe.startTime(watched.pid) === watched.startTime;
    if (leads) return undefined;
    // The rest of a pipeline lives on in the group its first process named.
    if (probe.foregroundGroup(pane.panePid) === watched.group && probe.groupAlive(watched.group)) {
      return undefined;
    }
    const ending = this.#ending(this.#groupExit);
    return { trigger, detail: describeEnding(ending), ending };
  }

  /** A shell that is not at its prompt may be a child of one that has yet to become the program it was forked for. */
  #backAtShell(trigger: Trigger, look: PaneLook): ProcessFired | undefined {
    const pid = look.shell === undefined ? 0 : look.foregroundPid;
    const stays = pid !== 0 && pid === this.#shellPid;
    this.#shellPid = pid;
    if (pid === 0) this.#wasShell = false;
    if (pid === 0 || this.#wasShell || !(look.waitingForInput || stays)) return undefined;
    return { trigger, detail: `Back at the shell (${look.shell})` };
  }

  #waits(trigger: Trigger, look: PaneLook, now: number): ProcessFired | undefined {
    if (!look.waitingForInput || (this.#done && look.shell !== undefined)) {
      this.#waiting = undefined;
      return undefined;
    }
    if (this.#waiting?.pid !== look.foregroundPid) this.#waiting = { since: now, pid: look.foregroundPid };
    if (now - this.#waiting.since < STABLE_MS) return undefined;
    const what = KINDS[look.inputKind];
    return { trigger, detail: `${look.foregroundCmd} waits for ${what} (${look.evidence})` };
  }

  #ending(exit: ReturnType<Probe["watchExit"]> | undefined): Ending {
    const known = exit?.poll();
    return known === undefined ? {} : known;
  }
}
