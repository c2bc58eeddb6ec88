// Distinguishes a shell's prompt from a question of the shell (`read`, `select`, `vared`) by the place where it waits.
import { type PaneInspection, readerOf, type WaitDepths } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { bestEffort } from "../promises.ts";
import type { Machine } from "../tmux/machine.ts";
import { getOrCreate } from "../maps.ts";

/** Place at which a shell waits. */
export interface ReadSite {
  /** True if the shell is asking a question, and is not at its prompt. */
  readonly asks: boolean;
  /** Identifies the program; all its prompts have the same depth, but for yash with other options. */
  readonly shell?: string;
  readonly depth?: number;
  /** True if the shell is running a command, which may also be part of its prompt. */
  readonly inCommand?: boolean;
  /** The same program's name and file, if a copy of it can show where it waits. */
  readonly copied?: { readonly shell: string; readonly program: string };
  /** True if bash is in a builtin, or fish or zsh has a start-up file or another script open. */
  readonly runsCode?: () => boolean | undefined;
}

/**
 * Returns the place where a shell waits. A line editor changes the terminal's settings, which `read`, `read -n1` and
 * `select` of most shells do not; a prompt without one is a read(2) of a whole buffer. Undefined if the shell does
 * not wait, or has woken since the inspection: fish draws its prompt again whenever the pane is resized.
 */
export function readSite(inspection: PaneInspection, inspector: ProcessInspector): ReadSite | undefined {
  const { shell = "", edited, waitingForInput, isPrompt } = inspection;
  const pid = inspection.innerShellPid ?? inspection.foregroundPid;
  if (!waitingForInput) return undefined;
  // A shell without job control waits for its program in the same group.
  if (isPrompt === false && readerOf(inspection).pid !== inspection.foregroundPid) return { asks: true };
  const sleep = inspection.sleep ?? inspector.sleep?.(pid);
  if (sleep === "awake") return undefined;
  if (isPrompt === false) return { asks: true };
  if (edited !== true) return { asks: false };
  // zsh's own questions use its line editor, and so do prompts that edit by themselves (`zle .recursive-edit`).
  const inCommand = (): boolean => inspection.blocksChildren ?? inspector.blocksChildren?.(pid) === true;
  const runsCode = (): boolean | undefined =>
    shell === "bash" ? inspector.runsBuiltin?.(pid) : inspector.readsScript?.(pid);
  if (sleep?.depth === undefined) return { asks: shell === "zsh" && inCommand() };
  const { depth } = sleep;
  // zsh does not sleep in read(2) while something else may wake it (`zle -F`, TMOUT).
  if (shell === "zsh") {
    const call = sleep.wantedBytes === undefined ? "poll" : "read";
    return { asks: false, shell: `${sleep.program} ${call}`, depth, inCommand: inCommand(), runsCode };
  }
  // ksh93's prompt has a different depth in vi mode.
  const program = shell === "ksh" ? `${sleep.program} ${pid}` : sleep.program;
  return { asks: false, shell: program, depth, runsCode, copied: { shell, program: sleep.program } };
}

/** True if a waiting shell asks a question, for certain: its terminal and its read say so. */
export function asksQuestion(inspection: PaneInspection, inspector: ProcessInspector): boolean {
  return readSite(inspection, inspector)?.asks === true;
}

/**
 * Bytes by which the depths of bash's prompts may differ: built with `-O1`, the first and those after Ctrl-C are 32 less
 * deep than the others. Behind Ctrl-X, the start of a key of two, it is 48 bytes deeper, and in `read -e` 2,800 less.
 */
const BASH_SLACK = 32;
/** Number of copies of a program that fail before none is made any more: on a busy machine one may be too slow. */
const MAX_FAILURES = 3;

/**
 * Call depths of shells at their prompts. `read -e` of bash and `read` of fish, ksh93 and yash look like a prompt to
 * the terminal but are reached another way: at its prompt a shell always has the same call depth. A search or a menu
 * of zsh has another.
 */
export class PromptSites {
  readonly #depths: Map<string, Set<number>> = new Map();
  readonly #measure: Machine["measureShell"];
  /** Depths of waits in copies of programs. */
  readonly #measured: Map<string, readonly WaitDepths[]> = new Map();
  readonly #measuring: Map<string, Promise<void>> = new Map();
  readonly #failures: Map<string, number> = new Map();

  constructor(machine?: Pick<Machine, "measureShell">) {
    this.#measure = machine?.measureShell?.bind(machine);
  }

  /** Has a copy of the program show where it waits, if no shell that runs it has been seen at its prompt at this depth. */
  async study({ shell = "", depth, copied }: ReadSite): Promise<void> {
    if (copied === undefined || this.#measure === undefined) return;
    const known = this.#depths.get(shell);
    if (depth === undefined ? known !== undefined : known?.has(depth)) return;
    const { program } = copied;
    const measure = this.#measure;
    await getOrCreate(this.#measuring, program, () =>
      bestEffort(
        measure(copied.shell, program).then(
          (found) => this.#measured.set(program, found),
          () => this.#failed(program),
        ),
      ));
  }

  #failed(program: string): void {
    const failures = (this.#failures.get(program) ?? 0) + 1;
    this.#failures.set(program, failures);
    if (failures < MAX_FAILURES) this.#measuring.delete(program);
  }

  /** True if the shell may be at its prompt, judging by earlier shells that run the same program, or by a copy. */
  mayBe({ shell = "", depth, inCommand = false, copied, runsCode }: ReadSite): boolean {
    const known = this.#depths.get(shell);
    if (inCommand) return depth !== undefined && known?.has(depth) === true;
    if (depth !== undefined && known?.has(depth)) return true;
    const measured = copied === undefined ? [] : this.#measured.get(copied.program) ?? [];
    if (depth !== undefined && known !== undefined && measured.length === 0) {
      const isNear = [...known].some((each) => Math.abs(each - depth) <= BASH_SLACK);
      return copied?.shell === "bash" && isNear && runsCode?.() !== true;
    }
    return runsCode?.() !== true && (depth === undefined || !isQuestion(depth, measured));
  }

  /** True if shells of the same program have been seen at their prompts at this depth; false if unknown. */
  isKnown({ shell = "", depth, asks, inCommand = false }: ReadSite): boolean {
    return !asks && !inCommand && depth !== undefined && this.#depths.get(shell)?.has(depth) === true;
  }

  learn({ shell, depth }: ReadSite): void {
    if (shell === undefined || depth === undefined) return;
    getOrCreate(this.#depths, shell, () => new Set()).add(depth);
  }
}

/**
 * True if a shell waits deeper than at any prompt. Another build of a library moves all its waits by some bytes, so
 * a prompt is what is nearer to one than its question.
 */
function isQuestion(depth: number, measured: readonly WaitDepths[]): boolean {
  const isAtPrompt = ({ prompt, question }: WaitDepths): boolean =>
    2 * Math.abs(depth - prompt) < question - prompt;
  return measured.length > 0 && !measured.some(isAtPrompt);
}

/** The prompt sites of each machine: the same program may be another build elsewhere. */
export class MachinePromptSites {
  readonly #sites: WeakMap<Machine, PromptSites> = new WeakMap();

  of(machine: Machine): PromptSites {
    return getOrCreate(this.#sites, machine, () => new PromptSites(machine));
  }
}
