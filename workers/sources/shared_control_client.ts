// One control client for one tmux session, shared by all follows of panes in it.
import type { Attacher } from "../../src/tmux_protocol/attacher.ts";
import type { ClientHandle } from "../../src/tmux_exec/control_channel.ts";
import { ControlClient } from "../../src/tmux/control_client.ts";
import { quoteCommand } from "../../src/tmux/quoting.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import type { ServerRef } from "../../src/watch/protocol.ts";
import type { PipeReaderContext } from "./pipe_pane_reader.ts";
import { PipeBypasses } from "./pipe_bypasses.ts";
import {
  type CommandAnswer,
  notify,
  type PaneListener,
  type PaneSource,
  type PaneSpool,
  untilSilent,
} from "./pane_source.ts";
import { bestEffort } from "../../src/promises.ts";
import { getOrCreate } from "../../src/maps.ts";

export interface SharedControlClientOptions {
  server: ServerRef;
  attacher: Attacher;
  sessionId: string;
  /** Set where panes can be read through their pipes too. */
  pipeContext?: PipeReaderContext;
  /** Reported again once tmux's own pid of the client is known, where it differs. */
  began(client: ClientHandle): void;
  ended(client: ClientHandle): void;
}

/**
 * Delay (s) of a reader after which tmux drops a pane's output (`%pause`) instead of buffering more. Meanwhile it never
 * blocks the program, because the host keeps a client attached that takes no output (see watch/no_output_clients).
 */
const PAUSE_AFTER_SECONDS = 10;
const STRUCTURE_CHANGES: ReadonlySet<string> = new Set([
  "%layout-change",
  "%window-close",
  "%unlinked-window-close",
  "%window-add",
]);

/**
 * Interval (ms) of checks that the panes are still in the session: tmux does not report `swap-window`, and keeps all
 * output of a window that has left in memory for this client. A subscription would also notice, but tmux up to 3.7
 * crashes if one is due while the client of an ended session is leaving.
 */
const CHECK_MS = 10_000;

/** Size and number of a pane in a layout string, such as `80x24,0,0,3`. */
const LAYOUT_PANE = /(\d+)x(\d+),-?\d+,-?\d+,(\d+)(?![\dx])/g;

export class SharedControlClient implements PaneSource {
  readonly #options: SharedControlClientOptions;
  readonly #client: ControlClient;
  readonly #listeners: Map<string, Set<PaneListener>> = new Map();
  readonly #silenced: Set<string> = new Set();
  #attached: Promise<void> | undefined;
  readonly #bypasses: PipeBypasses;
  #turn: Promise<void> = Promise.resolve();
  /** Bytes of each pane that were passed on. */
  readonly #passed: Map<string, number> = new Map();
  #closing: Promise<void> | undefined;
  #mayLinger = true;
  #lingering: ReturnType<typeof setTimeout> | undefined;
  readonly #checking: ReturnType<typeof setInterval>;

  constructor(options: SharedControlClientOptions) {
    this.#options = options;
    const { server, attacher, sessionId, pipeContext } = options;
    this.#client = new ControlClient({
      target: server,
      attacher,
      sessionId,
      flags: [`pause-after=${PAUSE_AFTER_SECONDS}`],
      output: (paneId, bytes) => this.#output(paneId, bytes),
      notification: (name, rest) => this.#notification(name, rest),
      closed: () => this.#closed(),
    });
    this.#bypasses = new PipeBypasses({
      client: this.#client,
      pipeContext,
      output: (paneId, bytes) => this.#hand(paneId, bytes),
      gap: (paneId) => this.#gap(paneId),
    });
    options.began(this.#client.handle);
    this.#checking = setInterval(() => bestEffort(this.#checkPanes()), CHECK_MS);
  }

  get closed(): boolean {
    return this.#closing !== undefined || this.#client.closed;
  }

  serves(sessionId: string): boolean {
    return sessionId === this.#options.sessionId;
  }

  async follow(paneId: string, listener: PaneListener): Promise<void> {
    clearTimeout(this.#lingering);
    this.#lingering = undefined;
    getOrCreate(this.#listeners, paneId, () => new Set()).add(listener);
    await (this.#attached ??= this.#attach());
    if (this.#silenced.delete(paneId)) await this.#client.send(`refresh-client -A '${paneId}:continue'`);
  }

  /**
   * Settles once tmux has replied to another command: by then, hooks have run, which may detach the client.
   * @throws {AppError} `gone` if they did
   */
  async #attach(): Promise<void> {
    await this.#client.sync();
    if (this.#client.closed) await this.#client.sync();
  }

  async leave(paneId: string, listener: PaneListener, lingerMs: number): Promise<void> {
    const listeners = this.#listeners.get(paneId);
    listeners?.delete(listener);
    if (!listeners?.size) {
      this.#listeners.delete(paneId);
      this.#passed.delete(paneId);
      this.#bypasses.leave(paneId);
      this.#silence(paneId);
    }
    if (this.#listeners.size > 0) return;
    if (lingerMs === 0 || !this.#mayLinger) await this.close();
    else this.#lingering ??= setTimeout(() => bestEffort(this.close()), lingerMs);
  }

  /** Ends as soon as nothing is followed, now or later. */
  endUnused(): void {
    this.#mayLinger = false;
    if (this.#listeners.size === 0) bestEffort(this.close());
  }

  passPipe(paneId: string, next: PaneSource): boolean {
    if (!(next instanceof SharedControlClient)) return false;
    const pipe = this.#bypasses.release(paneId);
    if (pipe) next.#bypasses.adopt(paneId, pipe);
    return pipe !== undefined;
  }

  async send(
    paneId: string,
    commands: readonly Command[],
    onReply?: (answer: CommandAnswer) => void,
  ): Promise<CommandAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<CommandAnswer>();
    const take = (answer: CommandAnswer): void =>
      this.#inPlace(paneId, () => {
        onReply?.(answer);
        resolve(answer);
      });
    this.#client.sendAll(commands.map(quoteCommand), take).catch(reject);
    return await promise;
  }

  /** Lets no flood begin a pipe meanwhile, because only the control client keeps the place of an answer. */
  async read(
    paneId: string,
    commands: readonly Command[],
    onReply: (answer: CommandAnswer) => void,
  ): Promise<void> {
    if (this.#bypasses.has(paneId)) return await this.#readBesidePipe(paneId, commands, onReply);
    const end = this.#bypasses.defer(paneId);
    const take = (answer: CommandAnswer): void => onReply({ ...answer, isLate: this.#bypasses.has(paneId) });
    await this.send(paneId, commands, take).finally(end);
  }

  /** tmux may reply before it writes to the pipe what it has read of the pane; by its next reply it has. */
  async #readBesidePipe(
    paneId: string,
    commands: readonly Command[],
    onReply: (answer: CommandAnswer) => void,
  ): Promise<void> {
    const before = this.#passed.get(paneId);
    const answer = await this.send(paneId, commands);
    await this.sync();
    onReply({ ...answer, isLate: this.#passed.get(paneId) !== before });
  }

  beginSpool(paneId: string, spool: PaneSpool): void {
    this.#bypasses.beginSpool(paneId, spool);
  }

  endSpool(paneId: string): void {
    this.#bypasses.endSpool(paneId);
  }

  async sync(): Promise<void> {
    await this.#client.sync();
    await this.#bypasses.drain();
  }

  settle(paneId: string): Promise<void> {
    const sync = async (): Promise<void> => {
      await this.#client.sync();
      await this.#bypasses.drain(paneId);
    };
    return untilSilent({ sync }, () => this.#passed.get(paneId) ?? 0);
  }

  close(): Promise<void> {
    clearTimeout(this.#lingering);
    this.#bypasses.close();
    return this.#closing ??= this.#client.close();
  }

  /**
   * Pauses a pane that nothing here follows. tmux still reads paused panes; `off` could make it stop reading them,
   * which blocks their programs (tmux(1), `refresh-client -A`).
   */
  #silence(paneId: string): void {
    if (this.#client.closed || this.#silenced.has(paneId)) return;
    this.#silenced.add(paneId);
    bestEffort(this.#client.send(`refresh-client -A '${paneId}:pause'`));
  }

  /** Keeps the order: output from before an answer comes first, whichever way it takes. */
  #inPlace(paneId: string, act: () => void): void {
    if (!this.#bypasses.has(paneId)) return act();
    this.#turn = this.#turn.then(() => this.#bypasses.drain()).then(act);
  }

  #output(paneId: string, bytes: Uint8Array): void {
    if (!this.#listeners.has(paneId)) return this.#silence(paneId);
    if (!this.#bypasses.passed(paneId, bytes.length)) this.#hand(paneId, bytes);
  }

  #hand(paneId: string, bytes: Uint8Array): void {
    this.#passed.set(paneId, (this.#passed.get(paneId) ?? 0) + bytes.length);
    const listeners = this.#listeners.get(paneId) ?? [];
    for (const listener of [...listeners]) notify(listener, () => listener.output(bytes));
  }

  #notification(name: string, rest: string): void {
    if (name === "%client-pid") this.#options.began(this.#client.handle);
    else if (name === "%pause") this.#paused(rest.trim());
    else if (STRUCTURE_CHANGES.has(name)) this.#changed(name, rest);
    else if (name === "%session-changed" && rest.split(" ")[0] !== this.#options.sessionId) {
      // With detach-on-destroy off, tmux moves the client of a killed session to another session.
      bestEffort(this.close());
    }
  }

  /** Passes on the sizes of a new layout at once: output that the panes print after it may arrive before any reply. */
  #changed(name: string, rest: string): void {
    const [, , visible = ""] = name === "%layout-change" ? rest.split(" ") : [];
    for (const [, columns, rows, id] of visible.matchAll(LAYOUT_PANE)) {
      for (const listener of this.#listeners.get(`%${id}`) ?? []) {
        notify(listener, () => listener.sized(Number(columns), Number(rows)));
      }
    }
    this.#each((listener) => listener.changed());
  }

  #paused(paneId: string): void {
    if (!this.#listeners.has(paneId)) return void this.#silenced.add(paneId);
    if (this.#bypasses.paused(paneId)) return;
    // The listeners then ask tmux for the lines that they missed; tmux answers after this command.
    bestEffort(this.#client.send(`refresh-client -A '${paneId}:continue'`));
    this.#gap(paneId);
  }

  #gap(paneId: string): void {
    for (const listener of this.#listeners.get(paneId) ?? []) notify(listener, () => listener.gap());
  }

  async #checkPanes(): Promise<void> {
    if (this.#listeners.size === 0) return;
    const list = ["list-panes", "-s", "-t", this.#options.sessionId, "-F", "#{pane_id}"];
    const { failed, lines } = await this.#client.send(quoteCommand(list));
    if (!failed) this.#each((listener) => listener.changed(), (paneId) => !lines.includes(paneId));
  }

  #closed(): void {
    clearTimeout(this.#lingering);
    clearInterval(this.#checking);
    this.#bypasses.hold();
    this.#options.ended(this.#client.handle);
    this.#each((listener) => listener.changed());
    this.#listeners.clear();
  }

  #each(act: (listener: PaneListener) => void, isOf: (paneId: string) => boolean = () => true): void {
    for (const [paneId, listeners] of [...this.#listeners]) {
      if (!isOf(paneId)) continue;
      for (const listener of [...listeners]) notify(listener, () => act(listener));
    }
  }
}
