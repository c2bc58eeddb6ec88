// Records of this process's commands: creates them, and keeps them for a while after their end.
import type { RecordStore } from "../../durable/record_store.ts";
import type { Masks } from "../../masking/masks.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { CommandJournal } from "../durable/journal.ts";
import { COMMAND_CHARS } from "../durable/stored_command.ts";
import type { FoundPane } from "../pane_refs.ts";
import { CommandRecord } from "./record.ts";
import type { Spool } from "./spool.ts";
import type { RecordIds } from "../../durable/record_ids.ts";

export interface CommandRecordsOptions {
  ids: RecordIds;
  completedRetentionMinutes: number;
  completedMaxEntries: number;
  newSpool(): Spool;
  /** Records on disk; undefined where all is kept in memory. */
  records: RecordStore | undefined;
  masks?: Masks | undefined;
}

interface NewCommand {
  tmux: Tmux;
  command: string;
}

/** Finished commands whose output is partly on disk: each one kept holds a descriptor. */
const MAX_FILES = 128;

export class CommandRecords {
  readonly #options: CommandRecordsOptions;
  readonly #records: Map<string, CommandRecord> = new Map();

  constructor(options: CommandRecordsOptions) {
    this.#options = options;
  }

  get(commandId: string): CommandRecord | undefined {
    this.#forget();
    return this.#records.get(commandId);
  }

  /** Every record, in the order in which they were created. */
  all(): CommandRecord[] {
    this.#forget();
    return [...this.#records.values()];
  }

  create(pane: FoundPane, { tmux, command }: NewCommand): CommandRecord {
    this.#forget();
    const { paneId, serverKey, columns, rows } = pane;
    const { newSpool, masks } = this.#options;
    const commandId = this.#options.ids.next("c", serverKey);
    const started = Date.now();
    const record = new CommandRecord({
      commandId,
      paneId,
      command,
      columns,
      rows,
      started,
      masks,
      spool: newSpool(),
      journal: this.#journal(pane, { tmux, command, id: commandId, started }),
      tmux: tmux.outlivingCall(),
    });
    this.#records.set(commandId, record);
    return record;
  }

  drop(commandId: string): void {
    this.#records.get(commandId)?.discard();
    this.#records.delete(commandId);
  }

  #forget(): void {
    const { completedRetentionMinutes, completedMaxEntries } = this.#options;
    const oldest = performance.now() - completedRetentionMinutes * 60_000;
    const over = [...this.#records.values()].filter((record) => !record.running);
    let files = over.filter(({ hasFile }) => hasFile).length;
    for (const [index, { commandId, endedAt = Infinity, hasFile }] of over.entries()) {
      const tooMany = index < over.length - completedMaxEntries || (hasFile && files > MAX_FILES);
      if (endedAt >= oldest && !tooMany) continue;
      this.drop(commandId);
      if (hasFile) files--;
    }
  }

  /** Commands on other machines are kept in memory: no other process here can see their servers. */
  #journal(
    { paneId, panePid, columns, rows }: FoundPane,
    { tmux, command, id, started }: NewCommand & { id: string; started: number },
  ): CommandJournal | undefined {
    const { records } = this.#options;
    if (!records || tmux.machine.host !== undefined) return undefined;
    return new CommandJournal(records, {
      id,
      started,
      paneId,
      panePid,
      socket: tmux.socketPath,
      command: command.slice(0, COMMAND_CHARS),
      columns,
      rows,
      row: 0,
      lineCount: command.split("\n").length,
      status: "running",
      paneAlive: true,
      piece: 0,
    });
  }
}
