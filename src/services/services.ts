// Services: named programs that run once, however many calls ask for them.
import { hasCode, ShuttingDown, unlessGone } from "../errors.ts";
import type { ListeningPort } from "../process/listening.ts";
import type { ProcessIdentity } from "../process/process_identity.ts";
import {
  claimService,
  listServicePanes,
  noteService,
  replaceStart,
  type ServicePane,
  type ServiceStart,
  updateService,
} from "../tmux/service_panes.ts";
import { checkStartFolder } from "../tmux/new_program.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Commands } from "../commands/commands.ts";
import type { Watches } from "../watch/watches.ts";
import { readyTriggers } from "../watch/triggers.ts";
import { whenBegun } from "../watch/watch_source.ts";
import { createServicePane, KNOWN_SHELL } from "./new_service_pane.ts";
import { findBackground } from "./background_programs.ts";
import { interrupt } from "./interrupt.ts";
import { endPrograms, findPrograms, type IdentifiedProgram, stillRuns } from "./outliving_programs.ts";
import { BEGIN_SECONDS, PendingStarts } from "./pending_starts.ts";
import { readiness } from "./service_readiness.ts";
import type { EnsuredService, ListedService, StoppedService } from "./results.ts";
import type { EnsureCall, Ensuring, ServiceCall, ServiceRequest } from "./service_call.ts";
import { checkNoStranger, checkNotOwn, inspectService, type ServiceActivity } from "./service_activity.ts";
import { isSame, newStart, RestartedElsewhere, startAgainIfGone, startOrUndo } from "./service_start.ts";
import { StartQueue, stillStarting } from "./start_queue.ts";
import { checkPort } from "./taken_port.ts";
import { bestEffort } from "../promises.ts";
import { secondsUntil } from "../timer.ts";

/** Time (ms) for that at the end of the server, which clients soon kill. */
const CLOSE_MS = 500;

export class Services {
  readonly #watches: Watches;
  readonly #commands: Commands;
  readonly #starts = new StartQueue();
  readonly #closed: AbortController = new AbortController();
  readonly #pending: PendingStarts;

  constructor(
    { watches, commands, process }: {
      watches: Watches;
      commands: Commands;
      process: ProcessIdentity | undefined;
    },
  ) {
    this.#watches = watches;
    this.#commands = commands;
    this.#pending = new PendingStarts(process);
  }

  /**
   * Starts a service unless it runs, and waits until it is ready, fails or waits for input.
   * @throws {AppError} `busy` if its port is taken or another call is still starting it, and the errors of starting a
   * command
   */
  async ensure(request: ServiceRequest, call: EnsureCall): Promise<EnsuredService> {
    const { tmux, signal } = call;
    const until = performance.now() + request.timeout * 1000;
    const folder = request.startDirectory;
    const startDirectory = folder === undefined ? undefined : await tmux.machine.folder(folder) ?? folder;
    const key = `${tmux.address} ${request.name}`;
    const begun = await this.#starts.take(key, { ...request, until }, signal);
    const start = (begun: () => void) => this.#ensure({ ...request, startDirectory, until }, call, begun);
    return await startAgainIfGone(start, begun).finally(begun);
  }

  /** Finds the pane of a service once no process is starting it any more. */
  async find(name: string, { tmux, signal }: ServiceCall): Promise<ServicePane | undefined> {
    return await this.#pending.find(tmux, name, { seconds: BEGIN_SECONDS, signal });
  }

  /** Ends a service with Ctrl-C, or with its pane if that takes too long, and closes the pane. */
  async stop(pane: ServicePane, call: ServiceCall): Promise<StoppedService> {
    checkNoStranger("stop", pane, await this.#inspect(call.tmux, pane));
    const { interrupted, programs } = await this.#end(pane, call);
    // Its shell may have ended with it.
    await unlessGone(call.tmux.panes.kill(pane.paneId));
    const stillRunning = await endPrograms(call, programs);
    return {
      stopped: stillRunning.length === 0,
      paneId: pane.paneId,
      ...(interrupted ? {} : { forced: true }),
      ...(stillRunning.length === 0 ? {} : { stillRunning }),
    };
  }

  async list(tmux: Tmux): Promise<ListedService[]> {
    const panes = await listServicePanes(tmux);
    const listed = await Promise.all(panes.map(async (pane) => {
      const { paneId, start, start: { command, startedAt } } = pane;
      // Its pane may have closed meanwhile.
      const activity = await unlessGone(this.#inspect(tmux, pane));
      if (!activity) return [];
      const { ports = [], running } = activity;
      const status = running || this.#pending.has(pane.start) ? "running" as const : "ended" as const;
      const ready = status === "running" && await readiness(start, activity, { commands: this.#commands });
      return [{ service: pane.name, paneId, command, status, ...ready, ports, startedAt }];
    }));
    return listed.flat();
  }

  /** Gives up the starts whose command is not typed yet; settles once they have undone what they did. */
  async close(): Promise<void> {
    this.#closed.abort(new ShuttingDown());
    await this.#starts.empty(CLOSE_MS);
  }

  async #ensure(request: Ensuring, call: EnsureCall, begun: () => void): Promise<EnsuredService> {
    const { tmux, signal } = call;
    const { name, until } = request;
    this.#closed.signal.throwIfAborted();
    const seconds = Math.max(secondsUntil(until), BEGIN_SECONDS);
    const pane = await this.#pending.find(tmux, name, { seconds, signal });
    if (pane === undefined) return await this.#create(request, call, begun);
    if (this.#pending.has(pane.start)) throw stillStarting(name, Math.max(request.timeout, BEGIN_SECONDS));
    const activity = await this.#inspect(tmux, pane);
    const { running, ports, stranger } = activity;
    const changed = !isSame(request, pane.start);
    if (running && !changed && !request.restart) return await this.#alreadyRunning(pane, request, ports);
    if (!request.restart) checkNoStranger(running ? "restart" : "start", pane, activity);
    this.#commands.checkAlone({ paneId: pane.paneId, snapshot: await tmux.snapshot() });
    const { startDirectory = pane.start.startDirectory, environment = pane.start.environment } = request;
    const start = { ...request, startDirectory, environment };
    // Checked before the running program is ended; its own ports may be held by a helper that ends with it.
    if (startDirectory !== undefined) await checkStartFolder(tmux.machine, startDirectory);
    if (start.port !== undefined && start.port !== pane.start.port) {
      await checkPort(tmux, pane.name, { port: start.port, own: ports });
    }
    const next = { ...pane, start: newStart(start, tmux) };
    const asked = { paneId: pane.paneId, running: running || stranger !== undefined, environment };
    const restart = async (tmux: Tmux) => {
      await call.decideOnRestart(asked, (tmux) => this.#replace(pane, next, { ...call, tmux }));
      const begin = (begun: () => void) => this.#start(start, next, { ...call, tmux, begun });
      const undo = () => noteService(tmux.unbound, next, { ...next.start, ended: true });
      return await startOrUndo(begin, { begun, undo });
    };
    const reason = !running ? "ended" : changed ? "changed" : "asked";
    // A dead pane takes keys again only once its shell is respawned.
    try {
      const report = pane.dead ? await restart(tmux) : await call.decideOnTyping(pane.paneId, restart);
      return { ...report, status: "restarted", reason };
    } catch (error) {
      if (!(error instanceof RestartedElsewhere)) throw error;
      return await this.#ensure(request, call, begun);
    }
  }

  /** Ends the program in a service's pane, and waits until its port is free. Meanwhile, other servers wait for it. */
  async #replace(pane: ServicePane, next: ServicePane, call: ServiceCall): Promise<void> {
    const { tmux } = call;
    const { port, startDirectory, environment } = next.start;
    let earlier = pane.start;
    if (!await replaceStart(tmux, pane, next.start)) throw new RestartedElsewhere();
    try {
      const { programs } = await this.#end(pane, call);
      await tmux.panes.respawn(pane.paneId, { kill: true, startDirectory, environment });
      earlier = { ...earlier, ended: true };
      // Each of these steps may take as long as a server waits that can't check this process.
      await noteService(tmux, next, newStart(next.start, tmux));
      const [left] = await endPrograms(call, programs);
      if (left) throw stillRuns(pane.name, left);
      await noteService(tmux, next, newStart(next.start, tmux));
      if (port !== undefined) await checkPort(tmux, pane.name, { port });
    } catch (error) {
      await bestEffort(noteService(tmux.unbound, pane, earlier));
      throw error;
    }
  }

  async #create(request: Ensuring, call: EnsureCall, begun: () => void): Promise<EnsuredService> {
    const { tmux } = call;
    const { name, startDirectory, environment, shell } = request;
    if (request.port !== undefined) await checkPort(tmux, name, { port: request.port });
    const program = { name, startDirectory, environment, command: shell };
    const { paneId, sessionId } = await createServicePane(tmux, program);
    const pane = { name, paneId, sessionId, sessionName: "", dead: false, start: newStart(request, tmux) };
    const claimAndBegin = async (begun: () => void): Promise<EnsuredService | undefined> => {
      if (!await claimService(tmux, pane, pane.start)) return undefined;
      return { ...await this.#start(request, pane, { ...call, begun }), status: "started" };
    };
    // The caller has no pane id, and the next call would create another pane.
    const undo = () => tmux.unbound.panes.kill(paneId);
    try {
      const report = await startOrUndo(claimAndBegin, { begun, undo });
      if (report !== undefined) return report;
    } catch (error) {
      if (shell !== undefined || !hasCode(error, "unsupported")) throw error;
      return await this.#create({ ...request, shell: KNOWN_SHELL }, call, begun);
    }
    await undo();
    return await this.#ensure(request, call, begun);
  }

  /** Types the command and waits for its first event. */
  async #start(
    request: Ensuring,
    { paneId, sessionId }: ServicePane,
    { tmux, signal, begun, progress }: ServiceCall & { begun(): void },
  ): Promise<Omit<EnsuredService, "status">> {
    const { name, command, until } = request;
    const timeout = secondsUntil(until);
    const start = newStart(request, tmux);
    await noteService(tmux, { paneId, name }, start);
    const ready = readyTriggers(request);
    const isPlain = ready.length === 0;
    const triggers = await this.#watches.triggers([
      ...(isPlain ? await this.#plainReadiness(tmux) : ready),
      ...["exit", "error", "user_input"],
    ]);
    let typedAt = until;
    let noted: ServiceStart = start;
    let written = start;
    // A new shell's start-up files may have left programs of their own.
    const typing = (): void => void (typedAt = performance.now());
    const whileOpen = AbortSignal.any([signal, this.#closed.signal]);
    const typed = { tmux, paneId, command, timeout, isNewShell: true, signal: whileOpen, typing };
    const source = whenBegun(await this.#commands.source(typed), async ({ commandId }) => {
      begun();
      noted = { ...start, begun: true, commandId };
      // The pane may already have ended with the program.
      await bestEffort(
        noteService(tmux.outlivingCall(), { paneId, name }, noted).then(() => written = noted),
      );
    });
    const note = async (seen: Pick<ServiceStart, "ended" | "ready">): Promise<void> => {
      noted = { ...noted, ...seen };
      await bestEffort(updateService(tmux.outlivingCall(), { paneId, name }, noted, written));
    };
    const watch = { tmux, triggers, timeout, ...(progress && { progress }) };
    const ran = await this.#watches.run(source, watch, signal);
    const { paneState: _, totalLines: __, totalBytes: ___, ...result } = ran;
    if (noted === start) signal.throwIfAborted();
    // If tmux did not answer as the command began, the service would be pending as long as this process lives.
    else if (written === start) await note({});
    const isSign = isPlain ? result.event === "port" : ready.includes(result.event ?? "");
    const isOver = result.event === "exit";
    if (isOver) await note({ ended: true });
    const background = isOver && result.exitCode === 0
      ? await findBackground(tmux, { ...request, paneId, detail: result.detail, typedAt, until, signal })
      : undefined;
    const isReady = isSign || background?.ready === true;
    if (isReady) await note({ ready: true });
    const ports = await this.#ports(tmux, paneId);
    return { ...result, ...background, service: name, sessionId, ready: isReady, ports };
  }

  /** Triggers for a service without a readiness: any port, or three quiet seconds. */
  async #plainReadiness(tmux: Tmux): Promise<string[]> {
    const canTell = await tmux.machine.inspector.taken?.(1) !== undefined;
    return [...(canTell ? ["port"] : []), "idle:3"];
  }

  /** Interrupts a service, if it runs. Returns its programs, and if Ctrl-C brought its shell back. */
  async #end(
    pane: ServicePane,
    { tmux, signal }: ServiceCall,
  ): Promise<{ interrupted: boolean; programs: IdentifiedProgram[] }> {
    await checkNotOwn(tmux, pane);
    const activity = await this.#inspect(tmux, pane);
    const programs = await findPrograms(tmux, pane.paneId, activity);
    const interrupted = !activity.running ||
      await interrupt(pane.paneId, { tmux, signal, watches: this.#watches });
    return { interrupted, programs };
  }

  async #inspect(tmux: Tmux, pane: ServicePane): Promise<ServiceActivity> {
    return await inspectService(tmux, pane, this.#commands);
  }

  async #ports(tmux: Tmux, paneId: string): Promise<ListeningPort[]> {
    const state = await this.#watches.state(tmux, paneId, { ports: true }).catch(() => undefined);
    return state?.listening ?? [];
  }

  async #alreadyRunning(
    { name, paneId, sessionId, start }: ServicePane,
    { pattern = start.pattern, port = start.port }: ServiceRequest,
    ports: ListeningPort[] | undefined,
  ): Promise<EnsuredService> {
    const ready = await readiness(start, { ports }, { commands: this.#commands, signs: { pattern, port } });
    return { service: name, status: "already-running", paneId, sessionId, ...ready, ports: ports ?? [] };
  }
}
