// Inspects the processes on this machine.
import type { Libc } from "../ffi/libc.ts";
import { GlobalVariables } from "./linux/global_variables.ts";
import { LineEditors } from "./linux/line_editors.ts";
import { findTaken, processesOf } from "./linux/listening.ts";
import { ProcFs } from "./linux/procfs.ts";
import type { Ending } from "./ending.ts";
import type { ListeningPort, TakenPort } from "./listening.ts";
import type { PaneInspection, PaneProcess, Probe, ReadSleep } from "./probe.ts";
import type { EditedLine, ProcessInspector } from "./process_inspector.ts";

/**
 * Clock by which a kernel reports the start of a process, and its unit (ms). Linux counts ticks, 100 per second
 * everywhere (`USER_HZ`), on CLOCK_BOOTTIME, which unlike `performance.now()` runs while a laptop sleeps.
 */
const START_CLOCKS: Readonly<Record<string, { clock: number; unitMs: number }>> = {
  linux: { clock: 7, unitMs: 10 },
  darwin: { clock: 0, unitMs: 1000 },
};

export class LocalProcessInspector implements ProcessInspector {
  readonly #probe: Probe;
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  /** A variable that bash exports to the builtins that it loads. */
  readonly #builtins: GlobalVariables<"executing_builtin">;
  readonly #editors: LineEditors;

  constructor(probe: Probe, libc: Libc) {
    this.#probe = probe;
    this.#libc = libc;
    this.#proc = new ProcFs(libc);
    this.#builtins = new GlobalVariables(this.#proc, ["executing_builtin"]);
    this.#editors = new LineEditors(libc, this.#proc);
  }

  inspect(pane: PaneProcess): PaneInspection {
    return this.#probe.inspect(pane);
  }

  listening(pane: PaneProcess): readonly ListeningPort[] | undefined {
    const monitor = this.#probe.ports?.(pane);
    const ports = monitor?.poll(performance.now());
    monitor?.close();
    return ports;
  }

  taken(port: number): readonly TakenPort[] | undefined {
    return this.#libc.platform.os === "linux" ? findTaken(this.#proc, port) : undefined;
  }

  youngerThan(
    { panePid }: PaneProcess,
    ageMs: number,
    { attached = false }: { attached?: boolean } = {},
  ): readonly number[] | undefined {
    if (this.#libc.platform.os !== "linux") return undefined;
    const { clock, unitMs } = START_CLOCKS["linux"]!;
    // The kernel rounds the start of a process down, so it looks older by up to a unit. Finding the processes takes
    // longer than that on a busy machine, so their ages after that are no measure.
    const earliest = this.#libc.clock(clock) - ageMs - unitMs;
    const isYounger = (pid: number): boolean => pid !== panePid && (this.#startMs(pid) ?? 0) >= earliest;
    const session = this.#proc.stat(panePid)?.session;
    const counts = (pid: number): boolean => !attached || this.#proc.stat(pid)?.session === session;
    return processesOf(this.#proc, panePid).filter((pid) => isYounger(pid) && counts(pid));
  }

  startTime(pid: number): string | undefined {
    return this.#probe.startTime(pid);
  }

  ending(pid: number): Ending | undefined {
    const exitWatch = this.#probe.watchExit(pid);
    const ending = exitWatch.poll();
    exitWatch.close();
    return ending;
  }

  image(pid: number): string | undefined {
    return this.#probe.image?.(pid);
  }

  sleeps(pid: number): number | undefined {
    return this.#probe.sleeps?.(pid);
  }

  ageMs(pid: number): number | undefined {
    const started = this.#startMs(pid);
    const { clock } = START_CLOCKS[this.#libc.platform.os]!;
    return started === undefined ? undefined : this.#libc.clock(clock) - started;
  }

  /** Start of a process (ms) on the clock of its system. */
  #startMs(pid: number): number | undefined {
    const startTime = this.#probe.startTime(pid);
    const { unitMs } = START_CLOCKS[this.#libc.platform.os]!;
    return startTime === undefined ? undefined : Number(startTime) * unitMs;
  }

  sleep(pid: number): ReadSleep | "awake" | undefined {
    return this.#probe.sleep?.(pid);
  }

  blocksChildren(pid: number): boolean {
    return this.#proc.stat(pid)?.blocksChildren === true;
  }

  readsScript(pid: number): boolean {
    return this.#proc.descriptors(pid).some((fd) => {
      const path = this.#proc.descriptorLink(pid, fd) ?? "";
      if (!path.startsWith("/") || /^\/(dev|proc|sys)\//.test(path)) return false;
      const state = this.#proc.text(`${pid}/fdinfo/${fd}`) ?? "";
      // The last digit is the access mode: 0 is read-only.
      return /^pos:\s*[1-9]\d*\nflags:\s*[0-7]*[04]\n/.test(state);
    });
  }

  discards(pid: number, fd: number): boolean {
    const path = this.#proc.descriptorLink(pid, fd);
    // A process of another user shows no descriptors.
    if (path === undefined) return this.#proc.descriptors(pid).length > 0;
    return path === "/dev/null" || /^\/(?!dev\/)/.test(path);
  }

  runsBuiltin(pid: number): boolean | undefined {
    const count = this.#builtins.read(pid)?.int("executing_builtin");
    return count === undefined ? undefined : count > 0;
  }

  line(pid: number, place: { shell: string; tty: string }): EditedLine | undefined {
    return this.#libc.platform.os === "linux" ? this.#editors.read(pid, place) : undefined;
  }

  usesReadline(pid: number): boolean {
    return /\/libreadline\.so/.test(this.#proc.text(`${pid}/maps`) ?? "");
  }

  /** True if a shell has a file open, other than its history: ksh keeps that open all the time. */
  readsFile(pid: number): boolean {
    return this.#proc.descriptors(pid).some((fd) => {
      const path = this.#proc.descriptorLink(pid, fd) ?? "";
      return path.startsWith("/") && !/^\/(dev|proc|sys)\/|hist(ory)?$/.test(path);
    });
  }
}
