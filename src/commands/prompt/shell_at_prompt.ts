// Finds the shell that waits in a pane, and checks that a command can be typed to it.
import { plainName } from "../../process/plain_name.ts";
import { paneGone } from "../../errors.ts";
import type { InputKind } from "../../process/classify.ts";
import type { PaneInspection, PaneProcess } from "../../process/probe.ts";
import { isBlind } from "../../process/unseen.ts";
import type { ProcessInspector } from "../../process/process_inspector.ts";
import type { Dialect } from "../../shell/dialect.ts";
import { findDialect } from "../../shell/dialects.ts";
import { isRelayProgram, leadsToShell } from "../../process/relay_programs.ts";
import { type SeenShell, seeShell, type Taker, takerOf } from "../seen_shell.ts";
import { PROMPT_MS } from "../pane_commands.ts";
import { cannotRun, drawnNowhere, programRuns } from "../refusals.ts";
import { isMultiplexer } from "./foreground_program.ts";
import { type PromptSites, type ReadSite, readSite } from "../../watch/prompt_sites.ts";
import { delay, msUntil, within } from "../../timer.ts";
import { SHELLS } from "../../vocabulary.ts";

/** The shell that a command is typed to. */
export interface ShellAtPrompt {
  dialect: Dialect;
  /** True if the shell has a line editor; a guess where that can't be observed. */
  edits: boolean;
  /** Input mode of its terminal; absent where it can't be observed. */
  inputKind?: InputKind;
  /** True if its terminal passes on whole lines; absent where that can't be observed. */
  takesLines?: boolean | undefined;
  taker: Taker;
  /** Absent if the kernel shows only the program that leads to the shell. */
  seen?: SeenShell;
  /**
   * Returns the shell as it is at its prompt now, when another may have replaced it (`exec fish`); undefined if it is
   * not at its prompt. Absent where it can't be observed.
   * @throws {AppError} `unsupported` if the shell now has no dialect
   */
  now?(): Promise<ShellAtPrompt | undefined>;
  /** Learns the place where it waited, which was its prompt because it has taken a command. */
  took?(): void;
  /** True if the shell seems to wait at its prompt now; absent where it can't be observed. */
  waits?(): Promise<boolean>;
  /** True if the shell waits now where shells of its kind wait at their prompts; absent where it can't be observed. */
  isAtPrompt?(): Promise<boolean>;
}

export interface ShellRequest {
  inspector: ProcessInspector;
  pane: PaneProcess & { paneId: string };
  /** The pane's shell as named by the caller. */
  named: string | undefined;
  /** Configured shell type for shells that can't be detected; undefined for `auto`. */
  unseen: string | undefined;
  /** Returns tmux's name of the program in front. */
  shown(): Promise<string>;
  /** True if nothing but the pane's shell runs there: it was created for the command. */
  isNew: boolean;
  /** Deadline for a shell to reach its prompt (`performance.now()`). */
  until: number;
  /** Time (`performance.now()`) until which a program in the pane may belong to the prompt after the last command. */
  promptBy: number;
  /** Places at which shells have been seen to wait at their prompts. */
  prompts: PromptSites;
  signal?: AbortSignal | undefined;
}

/** Time (ms) within which any other program may end: one that the prompt runs, or the end of a command. */
const PASSING_MS = 300;
/** Time (ms) for keys that may follow Escape: a line editor waits for them, bash 500 ms, zsh 400 ms. */
const KEYS_MS = 1000;
/** Age (ms) up to which a program may start a shell on a terminal of its own. */
const TAKING_OVER_MS = 500;
const PAUSE_MS = 5;
/** Age (ms) up to which a shell may still read its start-up files and run programs from them. */
const STARTING_MS = 5000;
/** The same limit (ms) for a shell that is observed to be busy with itself or to have a file open. */
const SLOW_START_MS = 60_000;
/** After this time (ms), a few more milliseconds don't matter. */
const SOON_MS = 1000;
const SLOW_PAUSE_MS = 50;
/** Descriptors that shells draw their prompts on, if not standard error alone; zsh and fish open their own. */
const DRAWN_ON: Readonly<Record<string, readonly number[]>> = {
  zsh: [],
  fish: [],
  busybox: [1, 2],
  ash: [1, 2],
};

/**
 * Waits until the pane's shell is ready for a command.
 *
 * ```text
 * inspect ──shell waits at a prompt─────────────────────────────────► seen shell
 *  ▲  ├─────no shell is seen, but a program may wait────────────────► unseen shell if it is named or configured, else busy
 *  │  ├─────shell that waits takes no command, or the pane is gone──► unsupported, gone
 *  └──┴─────anything else: pause──out of patience, or of time───────► busy
 * ```
 * @throws {AppError} `busy` if something else runs there, `unsupported` for a shell without a dialect, `gone`
 */
export async function findShellAtPrompt(request: ShellRequest): Promise<ShellAtPrompt> {
  const { pane, signal } = request;
  const patience = new Patience(request);
  for (;;) {
    signal?.throwIfAborted();
    const inspection = await inspect(request);
    if (!inspection.isAlive) throw paneGone(pane.paneId);
    const { waitingForInput } = inspection;
    const seen = inspection.shell !== undefined;
    if (seen && waitingForInput) checkUsable(inspection, request);
    const wait = await readWait(inspection, request);
    if (seen && wait.site && !wait.asks) return await seenShell(inspection, wait.site, request);
    const mayBeNamed = request.named !== undefined && inspection.mayLead === true;
    const mayBeBlind = isBlind(inspection) && nameOfUnseen(inspection, request) !== undefined;
    const waitsUnseen = !seen && (waitingForInput || mayBeBlind || mayBeNamed);
    if (waitsUnseen && !await mayStartShell(inspection, request)) return unseenShell(inspection, request);
    await delay(await patience.pauseAfter(inspection, wait));
  }
}

/** Inspects the pane; where the kernel shows no programs, tmux names the one in front. */
async function inspect({ inspector, pane, shown }: ShellRequest): Promise<PaneInspection> {
  const inspection = await inspector.inspect(pane);
  return isBlind(inspection) ? { ...inspection, foregroundCmd: plainName(await shown()) } : inspection;
}

/** True if the program has just taken the terminal over, as `script` and `sudo -s` do before they start a shell. */
async function mayStartShell(
  { inputKind, foregroundPid, foregroundCmd }: PaneInspection,
  { inspector, named }: ShellRequest,
): Promise<boolean> {
  if (inputKind !== "raw" || named !== undefined || isRelayProgram(foregroundCmd)) return false;
  return (await inspector.ageMs(foregroundPid) ?? Infinity) <= TAKING_OVER_MS;
}

/** Refuses a waiting shell that takes no command, however long it is given. */
function checkUsable(inspection: PaneInspection, request: ShellRequest): void {
  // The prompt of an unsupported shell (elvish) looks like a question, and waiting changes nothing.
  seenDialect(inspection, request);
  if (drawsNowhere(inspection, request.inspector)) throw drawnNowhere(request.pane.paneId);
}

/** Dialect of a shell that is seen. The caller's word counts only if it has none of its own. */
function seenDialect({ shell = "" }: PaneInspection, { pane, named }: ShellRequest): Dialect {
  return findDialect(shell) ?? dialectOf(named ?? shell, pane.paneId);
}

/** Input that the pane's program waits for. */
interface Wait {
  /** Absent if it does not wait for input. */
  site: ReadSite | undefined;
  /** True if it waits for an answer, and not for a command. */
  asks: boolean;
  /** True if the place is not known to be a prompt. */
  isElsewhere: boolean;
}

async function readWait(
  inspection: PaneInspection,
  { inspector, named, prompts, until }: ShellRequest,
): Promise<Wait> {
  const site = readSite(inspection, inspector);
  // It is unknown how a shell without its own dialect reads.
  const isKnown = named === undefined || findDialect(inspection.shell ?? "") !== undefined;
  const asks = site?.asks === true && isKnown;
  if (site === undefined || named !== undefined) return { site, asks, isElsewhere: false };
  const ms = msUntil(until);
  if (!asks) await within(prompts.study(site), { ms });
  const isElsewhere = !prompts.mayBe(site);
  return { site, asks: asks || isElsewhere, isElsewhere };
}

async function seenShell(
  inspection: PaneInspection,
  site: ReadSite,
  request: ShellRequest,
): Promise<ShellAtPrompt> {
  const { inspector, pane, prompts } = request;
  const { edited, inputKind, takesLines, foregroundPid } = inspection;
  const seen = await seeShell(inspector, pane, inspection);
  return {
    dialect: seenDialect(inspection, request),
    edits: edited ?? inputKind === "raw",
    inputKind,
    takesLines,
    taker: seen,
    seen,
    now: () => shellNow(request, foregroundPid),
    took: () => prompts.learn(site),
    waits: () => waitsAt(request, foregroundPid, (now) => !now.asks && prompts.mayBe(now)),
    isAtPrompt: () => waitsAt(request, foregroundPid, (now) => prompts.isKnown(now)),
  };
}

async function shellNow(request: ShellRequest, pid: number): Promise<ShellAtPrompt | undefined> {
  const inspection = await request.inspector.inspect(request.pane);
  if (inspection.shell === undefined || inspection.foregroundPid !== pid) return undefined;
  // A shell without a dialect never seems to be at its prompt (elvish).
  seenDialect(inspection, request);
  const { site, asks } = await readWait(inspection, request);
  return site && !asks ? await seenShell(inspection, site, request) : undefined;
}

/** Decides how long to wait for a shell that is not at its prompt yet. */
class Patience {
  readonly #request: ShellRequest;
  readonly #began = performance.now();
  /** Time since which the shell has been waiting without a break. */
  #askedAt: number | undefined;
  /** True if the last inspection found a reason to give up. */
  #isRefused = false;

  constructor(request: ShellRequest) {
    this.#request = request;
  }

  /**
   * Returns the time (ms) until the next inspection.
   * @throws {AppError} `busy` if the last two inspections found a reason to give up, or time is up
   */
  async pauseAfter(inspection: PaneInspection, { asks, isElsewhere }: Wait): Promise<number> {
    const { pane, unseen, until, promptBy } = this.#request;
    const now = performance.now();
    // One inspection can see the terminal before the line editor has set it up, but the read that comes after it.
    this.#askedAt = asks ? this.#askedAt ?? now : undefined;
    const waited = now - (this.#askedAt ?? this.#began);
    const patience = isElsewhere ? KEYS_MS : inspection.shell !== undefined && !asks ? PROMPT_MS : PASSING_MS;
    const wasRefused = this.#isRefused;
    this.#isRefused = waited > patience &&
      (asks || (now > promptBy && !await isStarting(inspection, this.#request)));
    // A start-up file may have been closed, and its program ended, since this inspection: the next one decides.
    if (now > until || (this.#isRefused && wasRefused)) throw programRuns(pane.paneId, inspection, unseen);
    return waited > SOON_MS ? SLOW_PAUSE_MS : PAUSE_MS;
  }
}

async function waitsAt(
  { inspector, pane }: ShellRequest,
  pid: number,
  isPrompt: (site: ReadSite) => boolean,
): Promise<boolean> {
  const inspection = await inspector.inspect(pane);
  if (inspection.shell === undefined || inspection.foregroundPid !== pid) return false;
  const site = readSite(inspection, inspector);
  return site !== undefined && isPrompt(site);
}

/** True if the pane's shell has not reached its prompt. tmux's forked child has tmux's name until it runs the shell. */
async function isStarting(inspection: PaneInspection, { inspector, isNew }: ShellRequest): Promise<boolean> {
  const { panePid, foregroundPid, foregroundCmd, shell } = inspection;
  // Anything with a shell's name may run a script.
  if (isBlind(inspection)) return isNew && isMultiplexer(foregroundCmd);
  const front = shell !== undefined || foregroundPid === panePid;
  const pid = front ? foregroundPid : panePid;
  const age = await inspector.ageMs(pid) ?? Infinity;
  if (age > SLOW_START_MS) return false;
  if (front) return isMultiplexer(foregroundCmd) || findDialect(foregroundCmd) !== undefined;
  return age <= STARTING_MS || inspector.readsFile?.(pid) === true;
}

function drawsNowhere(
  { shell = "", innerShellPid, foregroundPid }: PaneInspection,
  inspector: ProcessInspector,
): boolean {
  const fds = DRAWN_ON[shell] ?? [2];
  return fds.some((fd) => inspector.discards?.(innerShellPid ?? foregroundPid, fd) === true);
}

/** Name of a shell that can't be seen; the name that tmux has for it counts in a new pane only: a script has it too. */
function nameOfUnseen(
  inspection: PaneInspection,
  { named, unseen, isNew }: ShellRequest,
): string | undefined {
  const { foregroundCmd } = inspection;
  if (isMultiplexer(foregroundCmd)) return undefined;
  if (named !== undefined) return named;
  if (isBlind(inspection)) return isNew && findDialect(foregroundCmd) ? foregroundCmd : unseen;
  return leadsToShell(foregroundCmd) ? unseen : undefined;
}

function unseenShell(inspection: PaneInspection, request: ShellRequest): ShellAtPrompt {
  const known = nameOfUnseen(inspection, request);
  // The keys that look for text at a prompt would become part of a password.
  const asks = inspection.inputKind === "password";
  if (known === undefined || asks) throw programRuns(request.pane.paneId, inspection, known);
  const { inspector, pane } = request;
  return {
    dialect: dialectOf(known, pane.paneId),
    edits: true,
    taker: takerOf(inspector, pane, inspection),
  };
}

function dialectOf(shell: string | undefined, paneId: string): Dialect {
  const dialect = shell === undefined ? undefined : findDialect(shell);
  if (dialect) return dialect;
  throw cannotRun(paneId, `its shell is ${shell}`, {
    code: "unsupported",
    hint:
      "Type the command with send-keys (enter: true) and wait for its end with watch-pane, or run it in a " +
      `session made by create-session with command: bash; ${SHELLS.join(", ")} are supported`,
  });
}
