// One tmux server as the rest of the program sees it: what it has, and the batches that go to it.
import { Arrangement } from "./arrangement.ts";
import { Buffers } from "./buffers.ts";
import { type Caller, type CallerPlace, findCaller } from "./caller.ts";
import { Capture } from "./reading/capture.ts";
import { Channels } from "./channels.ts";
import { Clients } from "./clients.ts";
import { Displays } from "./displays.ts";
import { Environment } from "./environment.ts";
import type { Command, Exec, ExecOptions, Reply } from "./exec.ts";
import { failure, isLostServer, isMissing, isNoServer } from "./failures.ts";
import { RecordCodec } from "./format.ts";
import { Input } from "./input.ts";
import { Formats } from "./formats.ts";
import { Hooks } from "./hooks.ts";
import type { Machine } from "./machine.ts";
import { Messages } from "./messages.ts";
import { OptionTable } from "./options.ts";
import { Panes } from "./panes.ts";
import { Pipes } from "./pipes.ts";
import { type Precondition, Preconditions } from "./preconditions.ts";
import type { ControlTarget } from "./control_client.ts";
import { Rows } from "./rows.ts";
import { Servers } from "./servers.ts";
import { Sessions } from "./sessions.ts";
import { spellBatch } from "./spelling.ts";
import { readServerSnapshot, type ServerSnapshot, type ServerSnapshotOptions } from "./server_snapshot.ts";
import { Windows } from "./windows.ts";

/** How long, and how often, to wait for a server that is ending. */
const ENDING_MS = 20;
const MAX_TRIES = 10;

/** What several sessions can have: it has a row for each that does, in the order tmux lists them. */
export interface SessionRef {
  sessionId: string;
  sessionName: string;
}

export interface TmuxOptions {
  exec: Exec;
  /** How a client of this server is started now, for control clients. */
  target(): ControlTarget;
  /** Where the server runs. */
  machine: Machine;
  /** The server at another socket of the same machine. */
  at(socketPath: string): Tmux;
  /** How the socket is spelled for people: a path, a name or `default`. */
  socket: string;
  /** Pids of this program's own control clients, which no listing may count as a person's. */
  ownClients(): ReadonlySet<number>;
  /** The socket as an absolute path; on another machine as it was given. */
  socketPath: string;
  /** The owner mark new objects get (`@tmux_mcp_owner`). */
  owner: string;
  /** Proves to others of this machine that a pane is held by this process; undefined where it can't. */
  holder?: string | undefined;
  /** True if a call may see a session; all when left out. */
  seesSession?(session: SessionRef): boolean;
  /** Where this program runs, once the server has answered; not known when left out. */
  caller?(): Caller;
  /** What `exec` binds every batch to, and the same server without. */
  preconditions?: Preconditions;
  unbound?: Tmux;
  /** Registry of channel waiters; its own when left out. */
  channels?: Channels;
}

export class Tmux {
  readonly socket: string;
  readonly owner: string;
  readonly holder: string | undefined;
  readonly machine: Machine;
  readonly socketPath: string;
  readonly codec: RecordCodec = new RecordCodec();
  readonly rows: Rows = new Rows(this);
  readonly sessions: Sessions = new Sessions(this);
  readonly windows: Windows = new Windows(this);
  readonly panes: Panes = new Panes(this);
  readonly arrangement: Arrangement = new Arrangement(this);
  readonly input: Input = new Input(this);
  readonly capture: Capture = new Capture(this);
  readonly pipes: Pipes = new Pipes(this);
  readonly buffers: Buffers = new Buffers(this);
  readonly options: OptionTable = new OptionTable(this);
  readonly environment: Environment = new Environment(this);
  readonly hooks: Hooks = new Hooks(this);
  readonly clients: Clients = new Clients(this);
  readonly servers: Servers = new Servers(this);
  /** Shared by all calls: a wait can outlive the one that began it. */
  readonly channels: Channels;
  readonly formats: Formats = new Formats(this);
  readonly displays: Displays = new Displays(this);
  readonly messages: Messages = new Messages(this);
  readonly ownClients: () => ReadonlySet<number>;
  readonly #exec: Exec;
  readonly #options: TmuxOptions;

  constructor(options: TmuxOptions) {
    this.#options = options;
    this.socket = options.socket;
    this.owner = options.owner;
    this.holder = options.holder;
    this.machine = options.machine;
    this.socketPath = options.socketPath;
    this.ownClients = options.ownClients;
    this.channels = options.channels ?? new Channels(options.exec, options.socket);
    this.#exec = options.exec;
  }

  /** How a client of this server is started now. */
  get target(): ControlTarget {
    return this.#options.target();
  }

  /** Where this program runs, as far as is known. */
  get caller(): Caller | undefined {
    return this.#options.caller?.();
  }

  /** The server at another socket of the same machine. */
  at(socketPath: string): Tmux {
    return this.#options.at(socketPath);
  }

  /** The same server, for one call: every client it starts ends when `signal` aborts. */
  during(signal: AbortSignal): Tmux {
    return new Tmux({
      ...this.#options,
      channels: this.channels,
      exec: (commands, options) => this.#exec(commands, { signal, ...options }),
    });
  }

  /** The same server for taking back what a call did itself: that must not fail where a precondition has. */
  get unbound(): Tmux {
    return this.#options.unbound?.outlivingCall() ?? this;
  }

  /** The same for what goes on after the call, and its cancelling. */
  outlivingCall(): Tmux {
    return this.during(new AbortController().signal);
  }

  /**
   * The same server, which runs commands only while these preconditions hold, until they are lifted.
   * @param serverKey The server that the snapshot came from.
   */
  bound(preconditions: readonly Precondition[], serverKey: string): { tmux: Tmux; lift(): void } {
    if (preconditions.length === 0) return { tmux: this, lift() {} };
    const all = new Preconditions(preconditions, serverKey);
    const exec = all.exec(this.#exec);
    const tmux = new Tmux({
      ...this.#options,
      channels: this.channels,
      exec,
      preconditions: all,
      unbound: this,
    });
    return { tmux, lift: () => all.lift() };
  }

  /**
   * For what is done by other ways than these batches.
   * @throws {AppError} where a precondition does not hold any more
   */
  async checkPremises(): Promise<void> {
    if (this.#options.preconditions?.over === false) await this.run([["display-message", "-p", ""]]);
  }

  /** Runs one batch in one tmux client and returns what it printed; the first failing command ends the batch. */
  async run(commands: readonly Command[], options: ExecOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.runBytes(commands, options));
  }

  /** As `run`, for commands that print what is not text. */
  async runBytes(commands: readonly Command[], options: ExecOptions = {}): Promise<Uint8Array> {
    const reply = await this.#reply(commands, options);
    if (reply.code !== 0) throw failure(reply.stderr, this.socket);
    return reply.stdout;
  }

  /** As `run`, but a server that is not there answers `undefined`. */
  async runIfServer(commands: readonly Command[], options: ExecOptions = {}): Promise<string | undefined> {
    const reply = await this.#reply(commands, options);
    if (reply.code === 0) return new TextDecoder().decode(reply.stdout);
    if (isNoServer(reply.stderr)) return undefined;
    throw failure(reply.stderr, this.socket);
  }

  /** As `run`, but a server or object that is not there only ends the batch: returns what came before. */
  async runUntilMissing(commands: readonly Command[], options: ExecOptions = {}): Promise<string> {
    const reply = await this.#reply(commands, options);
    const missing = isNoServer(reply.stderr) || isMissing(reply.stderr);
    if (reply.code !== 0 && !missing) throw failure(reply.stderr, this.socket);
    return new TextDecoder().decode(reply.stdout);
  }

  /** As `run`, for commands that print options, variables, hooks or formats, each as tmux holds it. */
  async runForValue(commands: readonly Command[], options: ExecOptions = {}): Promise<string> {
    return this.codec.splitValues(await this.run([...commands, this.codec.dividerCommand()], options))[0]!;
  }

  /** As `run`, with what each command printed by itself. */
  async runParts(commands: readonly Command[], options: ExecOptions = {}): Promise<string[]> {
    const divider = this.codec.dividerCommand();
    const divided = commands.flatMap((command, index) => index === 0 ? [command] : [divider, command]);
    return this.codec.split(await this.run(divided, options));
  }

  /**
   * Runs commands that do not depend on each other in one tmux client, however many they are. What one printed is
   * `undefined` where it failed.
   */
  async runEach(commands: readonly Command[], options: ExecOptions = {}): Promise<(string | undefined)[]> {
    const { codec } = this;
    const script = commands.map((command, index) =>
      `${spellBatch([command, ["display-message", "-p", `${index}${codec.divider}`]])}\n`
    );
    const stdin = new TextEncoder().encode(script.join(""));
    const reply = await this.#reply([["source-file", "-"]], { ...options, stdin });
    const printed = codec.split(new TextDecoder().decode(reply.stdout));
    const answers = new Map<number, string>();
    for (const part of printed) {
      const end = part.lastIndexOf("\n") + 1;
      if (end < part.length) answers.set(Number(part.slice(end)), part.slice(0, end));
    }
    if (answers.size === 0 && commands.length > 0 && reply.code !== 0 && isNoServer(reply.stderr)) {
      throw failure(reply.stderr, this.socket);
    }
    return commands.map((_, index) => answers.get(index));
  }

  /** A server that ends took nothing with it that a second try could double, so the batch goes to its successor. */
  async #reply(commands: readonly Command[], options: ExecOptions): Promise<Reply> {
    for (let tries = 0;; tries++) {
      const reply = await this.#exec(commands, options);
      if (reply.code === 0 || tries === MAX_TRIES || !isLostServer(reply.stderr)) return reply;
      await new Promise((resolve) => setTimeout(resolve, ENDING_MS));
    }
  }

  /** True if a call may see a session. */
  sees(session: SessionRef): boolean {
    return this.#options.seesSession?.(session) ?? true;
  }

  /** Which of the panes this program runs in; unknown where it runs in that server and no pane matches. */
  callerIn({ serverKey, panes }: ServerSnapshot): CallerPlace {
    const serverPid = Number(serverKey.split("-")[0]);
    return findCaller(
      this.caller,
      panes.map(({ paneId, ...pane }) => ({ id: paneId, ...pane, serverPid })),
      serverPid,
    );
  }

  /** Every session, window and pane there is, from one moment: what decisions are made on. */
  snapshot(options: ServerSnapshotOptions = {}): Promise<ServerSnapshot> {
    return readServerSnapshot(this, options);
  }
}
