// The commands that this server runs in panes' shells, one at a time per pane; each is known after its end too.
import { AppError, paneGone } from "../errors.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { endAbandonedLoader } from "./prompt/abandoned_loader.ts";
import type { RecoveredCommands, VisibleCommands } from "./durable/recovered_commands.ts";
import { describeGone, describeOwn, describeStored, type ListedCommand } from "./durable/listed_command.ts";
import { ranOn, type RanThere } from "./durable/same_server.ts";
import { socketOf } from "../tmux/server_address.ts";
import { CommandRegistry, type CommandRegistryOptions, type NewCommand } from "./command_registry.ts";
import { typingDeadline } from "./command_input.ts";
import type { TrackedCommand } from "./tracked_command.ts";
import { CommandRun } from "./run.ts";
import type { CommandRunOptions, CommandText, CommandWatch } from "./run_options.ts";
import { findPanes, type FoundPane, isPaneGone, streamOf } from "../watch/pane_refs.ts";
import type { Supervisor } from "../watch/supervisor.ts";
import { throwNamed } from "./busy_elsewhere.ts";
import { PaneCommands } from "./pane_commands.ts";
import type { PaneLocks } from "./prompt/pane_lock.ts";
import type { Send } from "../tmux_exec/exec.ts";
import { MachinePromptSites } from "../watch/prompt_sites.ts";
import {
  findOpenEnd,
  incomplete,
  reachesOtherPanes,
  runsThere,
  toShellLines,
  unknownCommand,
} from "./refusals.ts";
import { findWaiting } from "./prompt/foreground_program.ts";
import { runRaw } from "./raw_run.ts";
import { withExitCodes } from "./known_ending.ts";
import { findInSnapshot, type PlaceInSnapshot } from "./snapshot_pane.ts";
import { findShellAtPrompt, type ShellAtPrompt, type ShellRequest } from "./prompt/shell_at_prompt.ts";
import type { WatchPart, WatchSource } from "../watch/watch_source.ts";
import type { Watches } from "../watch/watches.ts";

export interface CommandsOptions extends CommandRegistryOptions {
  supervisor: Supervisor;
  watches: Watches;
  locks: PaneLocks;
  /** Shell type assumed where it can't be detected. */
  shellType: string;
  /** Commands of other server processes; undefined where commands aren't kept on disk. */
  recovered: RecoveredCommands | undefined;
}

export interface CommandRequest extends CommandText {
  tmux: Tmux;
  paneId: string;
  /** The pane's shell, if it can't be detected. */
  shell?: string | undefined;
  /** Seconds that the caller waits. */
  timeout: number;
  /** True if the call has started the shell itself: the shell gets its time to start, however short `timeout` is. */
  isNewShell?: boolean;
  /** Once it aborts, nothing more is typed. */
  signal?: AbortSignal;
  /** Called once the shell is at its prompt; the command is typed once it has settled. */
  typing?(): void | Promise<void>;
}

export interface RawRequest extends PlaceInSnapshot {
  tmux: Tmux;
  command: string;
  type(): Promise<void>;
}

type ShellPlace = Pick<ShellRequest, "promptBy" | "until"> & { pane: FoundPane; inner: string | undefined };

/** Time (ms) that a control client is kept: it saves the next command about 7 ms. */
const LINGER_MS = 7000;

export class Commands {
  readonly prompts: MachinePromptSites = new MachinePromptSites();
  readonly #options: CommandsOptions;
  readonly #registry: CommandRegistry;
  readonly #panes: PaneCommands = new PaneCommands();

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#registry = new CommandRegistry(options);
  }

  /**
   * Types a command to a pane's shell. Settles when its output begins or the command is over.
   * @throws {AppError} `busy`, `unsupported`, `incomplete-command`, `gone` or `timeout` if the command was not run
   */
  async start(request: CommandRequest & { snapshot: ServerSnapshot }): Promise<TrackedCommand> {
    const pane = findInSnapshot(request);
    const { tracked } = await this.#run(request, { pane });
    return tracked;
  }

  /**
   * Types text as it is, without marks. The command completes, without an exit code, when the pane's program waits
   * again.
   * @throws {AppError} `busy`, `gone`, `not-found`
   */
  async startRaw({ tmux, type, command, ...place }: RawRequest): Promise<TrackedCommand> {
    const { supervisor } = this.#options;
    const { inspector } = tmux.machine;
    const pane = findInSnapshot(place);
    const tracked = await this.#claim(pane, { tmux, command });
    tracked.openJournal();
    const spec = streamOf(tmux, pane, LINGER_MS);
    await this.#forgetIfThrown(tracked, () => runRaw({ tracked, pane, supervisor, inspector, spec, type }));
    return tracked;
  }

  /** @throws {AppError} `busy` if other panes would receive what is typed into this one */
  checkAlone(place: PlaceInSnapshot): void {
    if (findInSnapshot(place).synchronized) throw reachesOtherPanes(place.paneId);
  }

  /** Returns a command as the source of a watch, from its first byte on; the command outlives the watch. */
  async source(request: CommandRequest): Promise<WatchSource> {
    const panes = await findPanes(request.tmux, [request.paneId]);
    return {
      panes,
      begin: async (watchId, part, handlers) => {
        const watch = { watchId, part, handlers };
        const { tracked, run } = await this.#run(request, { pane: panes[0]!, watch });
        return { handle: run.handle, end: () => run.endWatch(), ids: { commandId: tracked.commandId } };
      },
    };
  }

  /** Returns a source of panes with the exit codes of this server's commands where the kernel reports none. */
  withExitCodes(source: WatchSource): WatchSource {
    return withExitCodes(source, (pane) => this.#panes.latest(pane));
  }

  /**
   * Returns a command. With `sees`, commands of other server processes count too, if the call may see their panes.
   * @throws {AppError} `not-found`; `gone` if the tmux server that ran the command has been replaced
   */
  async read(commandId: string, sees?: VisibleCommands): Promise<TrackedCommand> {
    const tracked = this.#registry.get(commandId);
    const found = tracked ?? (sees && await this.#options.recovered?.find(commandId, sees));
    if (!found) throw unknownCommand(commandId);
    if (!tracked || tracked.running) return found;
    const key = await tracked.tmux.servers.key().catch(() => undefined);
    if (key === undefined || commandId.endsWith(`-${key}`)) return tracked;
    throw new AppError("gone", `The tmux server that ran command "${commandId}" has ended`, {
      hint: "Its programs ended with it; call list-panes for the panes of the current server",
    });
  }

  /** True if a command is known to have completed; one that this process ran may be forgotten since. */
  hasCompleted(commandId: string): boolean {
    const { ids, recovered } = this.#options;
    const found = this.#registry.get(commandId) ?? recovered?.stored(commandId);
    return found === undefined ? ids.issued(commandId) : found.status === "completed";
  }

  /** Leaves running commands, and their records on disk, to later servers; none begins any more. */
  async detach(): Promise<void> {
    await this.#registry.detach();
  }

  /** Closes the file of every command, once its pane is as it was before. Nothing is followed any more. */
  async close(): Promise<void> {
    await this.#registry.restored();
    for (const { commandId } of this.#registry.all()) this.#registry.drop(commandId);
  }

  /** Returns a command of any server process; undefined if the command is unknown. */
  async find(commandId: string): Promise<TrackedCommand | undefined> {
    return this.#registry.get(commandId) ?? await this.#options.recovered?.find(commandId);
  }

  /** Ids of the commands that `listed` returns and of this process's at other sockets, that of the newest first. */
  async ids(tmux: Tmux, panes: ReadonlySet<string> | undefined): Promise<string[]> {
    const own = this.#registry.all().map(({ commandId, started }) => ({ commandId, startedMs: started }));
    const all = [...await this.listed(tmux, panes), ...own.reverse()];
    all.sort((one, other) => other.startedMs - one.startedMs);
    return [...new Set(all.map(({ commandId }) => commandId))];
  }

  /** Commands of all processes at a tmux server's socket, newest first; `panes`: ids of those in scope, if not all. */
  async listed(tmux: Tmux, panes: ReadonlySet<string> | undefined): Promise<ListedCommand[]> {
    const { recovered } = this.#options;
    const serverKey = await tmux.servers.key();
    const isHere = ranOn(tmux, serverKey);
    const ownHere = this.#registry.all().filter((each) => isHere(each.commandId, socketOf(each.tmux)));
    const own = await Promise.all(ownHere.map((tracked) => describeOwn(tracked, serverKey)));
    const known = new Set(own.map(({ commandId }) => commandId));
    const isOther: RanThere = (id, place) => !known.has(id) && isHere(id, place);
    const others = serverKey === undefined ? [] : recovered?.list(serverKey) ?? [];
    const gone = recovered?.listGone(serverKey, isOther) ?? [];
    const all = [
      ...own,
      ...others.filter((each) => isOther(each.id, each)).map(describeStored),
      ...await Promise.all(
        gone.map(({ stored, reason }) => describeGone(describeStored(stored), reason, tmux)),
      ),
    ];
    // A pane that is gone is not in scope, and a new pane may have its id.
    return all.filter(({ isGone, paneId }) => panes === undefined || !isGone && panes.has(paneId))
      .sort((one, other) => other.startedMs - one.startedMs);
  }

  async #run(
    original: CommandRequest,
    { pane, watch }: { pane: FoundPane; watch?: CommandWatch },
  ): Promise<{ tracked: TrackedCommand; run: CommandRun }> {
    const request = { ...original, command: toShellLines(original.command) };
    const { outer, inner } = await this.#panes.findInner(pane, request.tmux.machine.inspector, request.shell);
    const promptBy = this.#panes.promptBy(pane);
    const tracked = await this.#claim(pane, request, outer);
    const until = typingDeadline(request);
    return await this.#forgetIfThrown(tracked, async () => {
      const options = this.#runOptions(request, pane);
      const run = new CommandRun({ ...options, tracked, until, outer, ...(watch && { watch }) });
      run.follow();
      const lock = await options.lock(run.sendFirst);
      let send: Send | undefined;
      try {
        if (lock.takenOver) await endAbandonedLoader(request.tmux, request.paneId);
        request.signal?.throwIfAborted();
        const shell = await this.#findShell(request, { pane, inner, promptBy, until });
        await request.typing?.();
        await run.begin(shell, request.signal);
        send = (...commands) => run.handle.send(commands);
        if (outer) outer.inner = { named: shell.seen ? undefined : request.shell };
        return { tracked, run };
      } finally {
        lock.release(send, run.input.mayBeTyped);
      }
    });
  }

  /** Forgets the command if `act` throws: the id of a command that was not run is never returned. */
  async #forgetIfThrown<T>(tracked: TrackedCommand, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      await tracked.abandon();
      this.#registry.drop(tracked.commandId);
      throw await isPaneGone(tracked.tmux, tracked.paneId, error) ? paneGone(tracked.paneId) : error;
    }
  }

  #runOptions(request: CommandRequest, pane: FoundPane): Omit<CommandRunOptions, "tracked" | "until"> {
    const { supervisor, watches, locks } = this.#options;
    return {
      tmux: request.tmux.outlivingCall(),
      lock: (send) => locks.take(request.tmux, request.paneId, send),
      text: request,
      pane,
      supervisor,
      spec: (marks, part: WatchPart) => ({
        ...watches.spec(request.tmux, pane, part),
        marks,
        stream: true,
        lingerMs: LINGER_MS,
      }),
    };
  }

  async #findShell(
    { tmux, shell, signal, isNewShell = false, ...text }: CommandRequest,
    { inner, ...place }: ShellPlace,
  ): Promise<ShellAtPrompt> {
    const { shellType, recovered } = this.#options;
    const { prompts } = this;
    const found = await findShellAtPrompt({
      ...place,
      inspector: tmux.machine.inspector,
      named: shell,
      unseen: shellType === "auto" ? inner : shellType,
      isNew: isNewShell,
      shown: () => tmux.formats.expand("#{pane_current_command}", place.pane.paneId),
      prompts: prompts.of(tmux.machine),
      signal,
    }).catch((error) => throwNamed(error, { ...place, tmux, recovered, prompts }));
    const missing = await findOpenEnd(text, found.dialect);
    if (missing) throw incomplete(missing);
    return found;
  }

  /** Creates a pane's next command. `outer`: the command in whose shell the new one runs. */
  async #claim(
    pane: FoundPane,
    { tmux, command }: NewCommand,
    outer?: TrackedCommand,
  ): Promise<TrackedCommand> {
    const { paneId } = pane;
    if (pane.synchronized) throw reachesOtherPanes(paneId);
    const running = this.#panes.running(pane);
    if (running && running !== outer) {
      throw runsThere(running, await findWaiting(running, { pane, prompts: this.prompts }));
    }
    const tracked = this.#registry.create(pane, { tmux, command });
    this.#panes.add(pane, tracked);
    return tracked;
  }
}
