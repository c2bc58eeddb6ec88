// A shell at its prompt, as the kernel shows it.
import type { PaneInspection, PaneProcess } from "../process/probe.ts";
import type { EditedLine, ProcessInspector } from "../process/process_inspector.ts";
import { asksQuestion } from "../watch/prompt_sites.ts";

/** The program in front that takes a command: the shell, or the client that leads to it. */
export interface Taker {
  pid: number;
  /** Inspects its pane once, which takes some tens of microseconds on this machine. */
  inspect(): PaneInspection | Promise<PaneInspection>;
  /** True if the process has ended. */
  isGone(): Promise<boolean>;
}

/** A shell that the kernel lets us observe. */
export interface SeenShell extends Taker {
  /** The shell's program image when the command was typed; it changes with each exec. Undefined if unknown. */
  image: string | undefined;
  /** True if an inspection shows that it asks a question, and is not at its prompt. */
  asks(inspection: PaneInspection): boolean;
  imageNow(): string | undefined | Promise<string | undefined>;
  /** Number of times the shell has gone to sleep; undefined where the system does not count. */
  sleeps(): number | undefined | Promise<number | undefined>;
  /** The line that it holds now; undefined if that is unknown. */
  line(): EditedLine | undefined;
}

/** Returns the program that a command is typed to. */
export function takerOf(
  inspector: ProcessInspector,
  pane: PaneProcess,
  { foregroundPid: pid }: PaneInspection,
): Taker {
  return {
    pid,
    inspect: () => inspector.inspect(pane),
    isGone: async () => await inspector.startTime(pid) === undefined,
  };
}

/** Returns the shell that a command is typed to, as the kernel shows it now. */
export async function seeShell(
  inspector: ProcessInspector,
  pane: PaneProcess,
  inspection: PaneInspection,
): Promise<SeenShell> {
  const { foregroundPid: pid, shell = "" } = inspection;
  return {
    ...takerOf(inspector, pane, inspection),
    image: await inspector.image(pid),
    asks: (inspection) => asksQuestion(inspection, inspector),
    imageNow: () => inspector.image(pid),
    sleeps: () => inspector.sleeps(pid),
    line: () => inspector.line?.(pid, { shell, tty: pane.tty }),
  };
}
