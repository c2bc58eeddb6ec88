// Commands of other server processes: finished ones, running ones, and those that this process has taken over.
import type { Tmux } from "../../tmux/tmux.ts";
import type { TrackedCommand } from "../tracked_command.ts";
import type { OutputStore } from "../output_store.ts";
import { RecoveredCommand } from "./recovered_command.ts";
import type { RecoveredCommandOptions } from "./recovery_options.ts";
import { endPipeOf } from "./stored_output.ts";
import { ELSEWHERE, SERVER_GONE } from "./lost_reasons.ts";
import { bestEffort } from "../../promises.ts";
import type { FoundPane } from "../../watch/pane_refs.ts";
import type { RanThere } from "./same_server.ts";
import {
  COMMAND_LETTER,
  isCommand,
  PIPE_PIECE,
  serverKeyOf,
  serverPidOf,
  type StoredCommand,
} from "./stored_command.ts";
import type { ServerAddress } from "../../tmux/server_address.ts";

export interface RecoveredCommandsOptions extends
  Pick<
    RecoveredCommandOptions,
    "store" | "changesPanes" | "endPipe" | "spoolsPiped" | "abandoned" | "lease" | "sweep"
  > {
  /** Returns a tmux server; undefined if its machine is not configured here. */
  connect(address: ServerAddress): Tmux | undefined;
  newOutputStore(): OutputStore;
  /** Ids of a tmux server's panes in scope; undefined if all are. */
  visiblePanes(tmux: Tmux): Promise<ReadonlySet<string> | undefined>;
}

/** Selects the commands of other server processes that a call may see. */
export interface VisibleCommands {
  socket(path: string, host: string | undefined): boolean;
}

/** Number of finished commands whose output stays in memory; others are read again on request. */
const MAX_KEPT = 16;

export class RecoveredCommands {
  readonly #options: RecoveredCommandsOptions;
  readonly #open: Map<string, RecoveredCommand> = new Map();

  constructor(options: RecoveredCommandsOptions) {
    this.#options = options;
  }

  /** Returns a command that another process ran; undefined if unknown, or if `sees` excludes its pane. */
  async find(commandId: string, sees?: VisibleCommands): Promise<TrackedCommand | undefined> {
    const { store, connect, abandoned } = this.#options;
    const stored = this.stored(commandId);
    if (!stored) return undefined;
    const tmux = connect(stored);
    if (!tmux || sees && !(sees.socket(stored.socket, stored.host) && await this.#isInScope(stored, tmux))) {
      return undefined;
    }
    if (store.isAbandoned(commandId)) await abandoned(tmux, serverKeyOf(commandId));
    return (await this.#follow(stored, tmux)).tracked;
  }

  /** Returns the record of a command as it is on disk, whichever process wrote it, or undefined without one. */
  stored(commandId: string): StoredCommand | undefined {
    const stored = this.#options.store.read<StoredCommand>(commandId);
    return stored && isCommand(stored) ? stored : undefined;
  }

  /** Returns the records of one tmux server, of every process. */
  list(serverKey: string): StoredCommand[] {
    return this.#options.store.list<StoredCommand>(serverKey, COMMAND_LETTER).filter(isCommand);
  }

  /** Returns the newest command of another process that runs in a pane. */
  async runningIn(
    { serverKey, paneId, panePid }: FoundPane,
    host: string | undefined,
  ): Promise<TrackedCommand | undefined> {
    const isOther = (id: string): boolean => this.#open.has(id) || !this.#options.store.owns(id);
    const there = this.list(serverKey).filter((each) =>
      each.status === "running" && each.paneId === paneId && each.panePid === panePid && each.host === host &&
      isOther(each.id)
    );
    for (const { id } of there.sort((one, other) => other.started - one.started)) {
      // It may have ended since its record was written.
      const tracked = await this.find(id);
      if (tracked?.running) return tracked;
    }
    return undefined;
  }

  /** Returns commands of other tmux servers, and why those that were running are lost. */
  listGone(serverKey: string | undefined, isWanted: RanThere): { stored: StoredCommand; reason: string }[] {
    const { store } = this.#options;
    const gone = store.serverKeys().filter((key) => key !== serverKey).flatMap((key) => this.list(key));
    return gone.filter((stored) => isWanted(stored.id, stored))
      .map((stored) => ({ stored, reason: store.isElsewhere(stored.id) ? ELSEWHERE : SERVER_GONE }));
  }

  /** Continues commands that a dead process ran; settles once their panes' pipes are theirs. */
  async takeOver(records: readonly StoredCommand[]): Promise<void> {
    const commands = records.filter(isCommand);
    const [any] = commands;
    const spools = any ? this.#options.spoolsPiped(serverPidOf(any.id)) : [];
    const piped = new Set(spools.map(({ path }) => path));
    // One that can't be read keeps nothing else from being taken over.
    await Promise.all(commands.map((stored) => bestEffort(this.#continue(stored, piped))));
  }

  async #continue(stored: StoredCommand, piped: ReadonlySet<string>): Promise<void> {
    const tmux = stored.ended === undefined ? this.#options.connect(stored) : undefined;
    if (tmux) return await (await this.#follow(stored, tmux)).inspect();
    if (piped.has(this.#options.store.fileBeside(stored.id, String(PIPE_PIECE))!)) {
      endPipeOf(stored, this.#options);
    }
  }

  close(): void {
    for (const command of this.#open.values()) command.close();
    this.#open.clear();
  }

  /** True if its pane is in scope. Panes of two tmux servers can have the same id. */
  async #isInScope({ id, paneId }: StoredCommand, tmux: Tmux): Promise<boolean> {
    const panes = await this.#options.visiblePanes(tmux);
    return panes === undefined || panes.has(paneId) && serverKeyOf(id) === await tmux.servers.key();
  }

  async #follow(stored: StoredCommand, tmux: Tmux): Promise<RecoveredCommand> {
    const known = this.#open.get(stored.id);
    if (known) {
      known.pace.hurry();
      await known.catchUp();
      return known;
    }
    const storage = this.#options.newOutputStore();
    const command = new RecoveredCommand({ ...this.#options, stored, tmux: tmux.outlivingCall(), storage });
    this.#open.set(stored.id, command);
    this.#dropOldest();
    await command.follow();
    return command;
  }

  #dropOldest(): void {
    const ended = [...this.#open].filter(([, { tracked }]) => !tracked.running);
    for (const [id, command] of ended.slice(0, Math.max(ended.length - MAX_KEPT, 0))) {
      command.close();
      this.#open.delete(id);
    }
  }
}
