// Records of this process's commands: creates them, and keeps them for a while after their end.
import { beginningOf } from "../excerpt.ts";
import type { RecordStore } from "../records/record_store.ts";
import { ShuttingDown } from "../errors.ts";
import { shownLines } from "../shell/screen.ts";
import type { Masks } from "../masking/masks.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { CommandJournal } from "./durable/journal.ts";
import { COMMAND_CHARS } from "./durable/stored_command.ts";
import type { FoundPane } from "../watch/pane_refs.ts";
import { TrackedCommand } from "./tracked_command.ts";
import type { OutputStore } from "./output_store.ts";
import type { RecordIds } from "../records/record_ids.ts";
import { within } from "../timer.ts";

export interface CommandRegistryOptions {
  ids: RecordIds;
  completedRetentionMinutes: number;
  completedMaxEntries: number;
  newOutputStore(): OutputStore;
  /** Records on disk; undefined where commands are kept in memory only. */
  records: RecordStore | undefined;
  masks?: Masks | undefined;
}

export interface NewCommand {
  tmux: Tmux;
  command: string;
}

/** Number of finished commands kept with output on disk: each holds a file descriptor. */
const MAX_FILES = 128;
/** Time (ms) for tmux to set options back at the end of the server, which clients soon kill. */
const RESTORED_MS = 500;

export class CommandRegistry {
  readonly #options: CommandRegistryOptions;
  readonly #commands: Map<string, TrackedCommand> = new Map();
  #isLeaving = false;

  constructor(options: CommandRegistryOptions) {
    this.#options = options;
  }

  get(commandId: string): TrackedCommand | undefined {
    this.#dropExpired();
    return this.#commands.get(commandId);
  }

  /** Every command, in order of creation. */
  all(): TrackedCommand[] {
    this.#dropExpired();
    return [...this.#commands.values()];
  }

  /** @throws {AppError} `gone` if this process is ending */
  create(pane: FoundPane, { tmux, command }: NewCommand): TrackedCommand {
    if (this.#isLeaving) throw new ShuttingDown();
    this.#dropExpired();
    const { paneId, serverKey, columns, rows } = pane;
    const { newOutputStore, masks } = this.#options;
    const commandId = this.#options.ids.next("c", serverKey);
    const started = Date.now();
    const tracked = new TrackedCommand({
      commandId,
      paneId,
      command,
      columns,
      rows,
      started,
      masks,
      storage: newOutputStore(),
      journal: this.#journal(pane, { tmux, command, id: commandId, started }),
      tmux: tmux.outlivingCall(),
    });
    this.#commands.set(commandId, tracked);
    return tracked;
  }

  /** Leaves running commands to later servers; none is created any more. */
  async detach(): Promise<void> {
    this.#isLeaving = true;
    await Promise.all(this.all().filter(({ running }) => running).map((tracked) => tracked.detach()));
  }

  /** Settles when every command that is given up has put its pane back, but not later than `RESTORED_MS`. */
  async restored(): Promise<void> {
    const ending = this.all().filter(({ state }) => state === "ending").map(({ over }) => over);
    await within(Promise.all(ending), { ms: RESTORED_MS });
  }

  drop(commandId: string): void {
    this.#commands.get(commandId)?.discard();
    this.#commands.delete(commandId);
  }

  #dropExpired(): void {
    const { completedRetentionMinutes, completedMaxEntries } = this.#options;
    const oldest = performance.now() - completedRetentionMinutes * 60_000;
    const finished = [...this.#commands.values()].filter((tracked) => !tracked.running);
    let files = finished.filter(({ hasFile }) => hasFile).length;
    for (const [index, { commandId, endedAt = Infinity, hasFile }] of finished.entries()) {
      const tooMany = index < finished.length - completedMaxEntries || (hasFile && files > MAX_FILES);
      if (endedAt >= oldest && !tooMany) continue;
      this.drop(commandId);
      if (hasFile) files--;
    }
  }

  #journal(
    { paneId, panePid, columns, rows }: FoundPane,
    { tmux, command, id, started }: NewCommand & { id: string; started: number },
  ): CommandJournal | undefined {
    const { records } = this.#options;
    if (!records) return undefined;
    const { host } = tmux.machine;
    return new CommandJournal(records, {
      id,
      started,
      paneId,
      panePid,
      socket: tmux.socketPath,
      ...(host !== undefined && { host }),
      command: beginningOf(command, COMMAND_CHARS),
      columns,
      rows,
      row: 0,
      lineCount: shownLines(command).length,
      status: "running",
      paneAlive: true,
      piece: 0,
    });
  }
}
