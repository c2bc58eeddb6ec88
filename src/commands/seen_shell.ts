// A shell at its prompt, as the kernel shows it.
import type { PaneInspection, PaneProcess } from "../process/probe.ts";
import type { EditedLine, ProcessInspector } from "../process/process_inspector.ts";
import { asksQuestion } from "../watch/prompt_sites.ts";

/** A shell that the kernel lets us observe. */
export interface SeenShell {
  pid: number;
  /** The shell's program image when the command was typed; it changes with each exec. Undefined if unknown. */
  image: string | undefined;
  /** Inspects the shell's pane once, which takes some tens of microseconds on this machine. */
  inspect(): PaneInspection | Promise<PaneInspection>;
  /** True if an inspection shows that it asks a question, and is not at its prompt. */
  asks(inspection: PaneInspection): boolean;
  imageNow(): string | undefined | Promise<string | undefined>;
  /** Number of times the shell has gone to sleep; undefined where the system does not count. */
  sleeps(): number | undefined | Promise<number | undefined>;
  /** The line that it holds now; undefined if that is unknown. */
  line(): EditedLine | undefined;
}

/** Returns the shell that a command is typed to, as the kernel shows it now. */
export async function seeShell(
  inspector: ProcessInspector,
  pane: PaneProcess,
  { foregroundPid: pid, shell = "" }: PaneInspection,
): Promise<SeenShell> {
  return {
    pid,
    image: await inspector.image(pid),
    inspect: () => inspector.inspect(pane),
    asks: (inspection) => asksQuestion(inspection, inspector),
    imageNow: () => inspector.image(pid),
    sleeps: () => inspector.sleeps(pid),
    line: () => inspector.line?.(pid, { shell, tty: pane.tty }),
  };
}
