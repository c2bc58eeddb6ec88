// The exit status that a command's shell has left on disk: of its end, or of a job that Ctrl-Z has stopped.
import { removeExitStatus } from "../../records/record_file.ts";
import type { RecordStore } from "../../records/record_store.ts";
import { exitStatus, shellStatuses, STOP_STATUSES } from "../../shell/marks.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { jobName } from "../stopped_job.ts";
import type { StoredCommand } from "./stored_command.ts";

/** Inspections after the exit status within which the mark that ends the command must follow, if a pipe copies it. */
const MARK_CHECKS = 2;
/** The same for the prompt, if no pipe copies. A prompt that has changed meanwhile is not recognised. */
const PROMPT_CHECKS = { atWork: 5, waiting: 1 };
/** Longest time (ms) by which a job seems older than its command, whose time the clock had. */
const CLOCK_MS = 1000;

export class RecoveredExit {
  readonly #store: RecordStore;
  readonly #tmux: Tmux;
  readonly #id: string;
  /** Consecutive checks in which the status was known. */
  #checks = 0;

  constructor({ store, tmux, stored }: { store: RecordStore; tmux: Tmux; stored: StoredCommand }) {
    this.#store = store;
    this.#tmux = tmux;
    this.#id = stored.id;
  }

  get status(): number | undefined {
    const status = this.#store.exitStatus(this.#id);
    return status === undefined ? undefined : exitStatus(status);
  }

  /** True if what the shell prints after its status should have come by now. Call it once at each inspection. */
  isOverdue({ isPiped, waits }: { isPiped: boolean; waits: boolean }): boolean {
    return ++this.#checks > (isPiped ? MARK_CHECKS : PROMPT_CHECKS[waits ? "waiting" : "atWork"]);
  }

  /** Returns the job, as records name it, whose stop the shell reports with an exit code; undefined for an end. */
  async stoppedBy(
    { shellPid, started }: StoredCommand,
    { exitCode, paneAlive = true }: Partial<StoredCommand>,
  ): Promise<string | undefined> {
    if (exitCode === undefined || !STOP_STATUSES.has(exitCode) || shellPid === undefined || !paneAlive) {
      return undefined;
    }
    const { inspector } = this.#tmux.machine;
    const job = (await inspector.stoppedJobs?.(shellPid))?.at(-1);
    const age = job && await inspector.ageMs(job.pid);
    if (age === undefined || age > Date.now() - started + CLOCK_MS) return undefined;
    return jobName(job!.pid, await inspector.startTime(job!.pid));
  }

  /** Removes the status of a stop, which the record has now. */
  forgetStop(): void {
    const path = this.#store.fileBeside(this.#id, "json");
    if (path !== undefined) removeExitStatus(path, [...STOP_STATUSES].flatMap(shellStatuses));
  }

  /** True once the process of a stopped job is gone. */
  async isOver(stopped: string): Promise<boolean> {
    const pid = Number(stopped.split(" ")[0]);
    return jobName(pid, await this.#tmux.machine.inspector.startTime(pid)) !== stopped;
  }
}
