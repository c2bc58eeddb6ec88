// One tmux server: runs batches on it, under the conditions that apply to every batch of a call.
import type { Caller } from "./caller.ts";
import type { ControlTarget } from "./control_client.ts";
import type { Command, Exec, ExecOptions, Reply } from "../tmux_exec/exec.ts";
import type { AppError } from "../errors.ts";
import { isLostServer, isMissing, isNoServer, tmuxFailure } from "./failures.ts";
import { withoutHookFailures } from "./batch_end.ts";
import { RowCodec } from "./row_codec.ts";
import type { Machine } from "./machine.ts";
import type { Preconditions } from "./preconditions.ts";
import { isBareRead, type PrintingHooks, readWithoutHooks } from "./printing_hooks.ts";
import { Rows, type ScopedRow } from "./rows.ts";
import { quoteBatch } from "./quoting.ts";
import { delay } from "../timer.ts";

/**
 * First pause (ms) while a server is ending, which each further one doubles, and number of pauses: it closes new
 * connections until its last client has left (`server_accept`, server.c), which slow clients do after over 200 ms.
 */
const ENDING_MS = 20;
const MAX_PAUSES = 7;

/** Set of pids that can only be queried. */
export type Pids = Pick<ReadonlySet<number>, "has">;

export interface GatewayOptions {
  exec: Exec;
  /** Returns the command of a client of this server as it is now, for control clients. */
  target(): ControlTarget;
  /** Returns the machine that the server runs on, as it is known now. */
  machine(): Machine;
  at(socketPath: string): TmuxGateway;
  /** The socket as people write it: a path, a name or `default`. */
  socket: string;
  /** Pids of the control clients of this server and others like it, which listings must not count as people. */
  ownClients(): Pids;
  /** The socket as an absolute path; on another machine, as the caller wrote it. */
  socketPath: string;
  /** Owner of new objects (`@tmux_mcp_owner`). */
  owner: string;
  /** Stamp of this process, by which others on this machine see if it is alive; undefined where they can't. */
  processStamp?: string | undefined;
  /** True if a stamp is that of a process of this machine which is dead; if left out, none is known to be. */
  isDead?(processStamp: string): boolean;
  /** Called with a mark that a dead process has left on this server, whenever it is read. */
  foundLeft?(mark: string): void;
  /** True if a call may see a session; if left out, all are visible. */
  sees?(row: ScopedRow): boolean;
  /** Place of this program, once the server has replied; unknown if left out. */
  caller?(): Caller;
  /** Facts that one call has learned: the server has replied, and the user's hooks. Absent outside of calls. */
  met?: { served: boolean; hooks: PrintingHooks };
  /** Preconditions that `exec` adds to every batch. */
  preconditions?: Preconditions;
}

/** Gateway to one server, and the only way in which its objects reach tmux. */
export class TmuxGateway {
  readonly socket: string;
  readonly owner: string;
  readonly processStamp: string | undefined;
  readonly socketPath: string;
  readonly codec: RowCodec = new RowCodec();
  readonly ownClients: () => Pids;
  /** Returns the server at another socket of the same machine. */
  readonly at: GatewayOptions["at"];
  readonly rows: Rows = new Rows(this);
  protected readonly exec: Exec;
  readonly #act: Exec = withoutHookFailures((commands, options = {}) => this.#send(commands, options));
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.socket = options.socket;
    this.owner = options.owner;
    this.processStamp = options.processStamp;
    this.socketPath = options.socketPath;
    this.ownClients = options.ownClients;
    this.at = options.at;
    this.exec = options.exec;
  }

  get machine(): Machine {
    return this.#options.machine();
  }

  get target(): ControlTarget {
    return this.#options.target();
  }

  /** Address among the tmux servers of all machines, also of one that does not answer. */
  get address(): string {
    return `${this.machine.host ?? ""} ${this.socketPath}`;
  }

  get caller(): Caller | undefined {
    return this.#options.caller?.();
  }

  /**
   * Checks the preconditions for an action that does not go through these batches.
   * @throws {AppError} if a precondition no longer holds
   */
  async checkPreconditions(): Promise<void> {
    if (this.#options.preconditions?.lifted === false) await this.run([["display-message", "-p", ""]]);
  }

  /** Runs one batch in one tmux client and returns its output; the first command that fails ends the batch. */
  async run(commands: readonly Command[], options: ExecOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.runBytes(commands, options));
  }

  /** Does the same for commands whose output is not text. */
  async runBytes(commands: readonly Command[], options: ExecOptions = {}): Promise<Uint8Array> {
    const reply = await this.#reply(commands, options);
    if (reply.code !== 0) throw this.#failure(reply);
    return reply.stdout;
  }

  /** Does the same as `run`, but returns `undefined` if no server runs. */
  async runIfServer(commands: readonly Command[], options: ExecOptions = {}): Promise<string | undefined> {
    const reply = await this.#reply(commands, options);
    if (reply.code === 0) return new TextDecoder().decode(reply.stdout);
    if (isNoServer(reply.stderr)) return undefined;
    throw this.#failure(reply);
  }

  /** Does the same as `run`, but a missing server or object only ends the batch: returns the output before it. */
  async runUntilMissing(commands: readonly Command[], options: ExecOptions = {}): Promise<string> {
    const reply = await this.#reply(commands, options);
    const missing = [isNoServer, isLostServer, isMissing].some((each) => each(reply.stderr));
    if (reply.code !== 0 && !missing) throw this.#failure(reply);
    return new TextDecoder().decode(reply.stdout);
  }

  /** Does the same as `run`, for commands that print options, variables, hooks or formats as tmux stores them. */
  async runForValue(commands: readonly Command[]): Promise<string> {
    return this.codec.splitValues(await this.run([...commands, this.codec.dividerCommand()]))[0]!;
  }

  /** Does the same as `run`, but returns the output of each command separately. */
  async runParts(commands: readonly Command[]): Promise<string[]> {
    return this.codec.split(await this.run(this.codec.divided(commands)));
  }

  /** Runs any number of independent commands in one tmux client. The output of a command that failed is `undefined`. */
  async runEach(commands: readonly Command[]): Promise<(string | undefined)[]> {
    if (await this.#hooksPrint(commands)) return await this.#runEachFramed(commands);
    const { codec } = this;
    const script = commands.map((command, index) =>
      `${quoteBatch([command, ["display-message", "-p", `${index}${codec.divider}`]])}\n`
    );
    const stdin = new TextEncoder().encode(script.join(""));
    const reply = await this.#send([["source-file", "-"]], { stdin });
    const printed = codec.split(new TextDecoder().decode(reply.stdout));
    const answers = new Map<number, string>();
    for (const part of printed) {
      const end = part.lastIndexOf("\n") + 1;
      if (end < part.length) answers.set(Number(part.slice(end)), part.slice(0, end));
    }
    if (answers.size === 0 && commands.length > 0 && reply.code !== 0 && isNoServer(reply.stderr)) {
      throw this.#failure(reply);
    }
    return commands.map((_, index) => answers.get(index));
  }

  /** True if the user's hooks are known to print after these commands. */
  async #hooksPrint(commands: readonly Command[]): Promise<boolean> {
    const hooks = this.#options.met?.hooks;
    if (hooks === undefined || !isBareRead(commands)) return false;
    const questions = hooks.found ? [] : hooks.questions(commands);
    if (questions.length === 0) return hooks.found;
    const { code, stdout } = await this.#send(questions, {});
    if (code === 0) hooks.learn(commands, new TextDecoder().decode(stdout));
    return hooks.found;
  }

  async #runEachFramed(commands: readonly Command[]): Promise<(string | undefined)[]> {
    const answers: (string | undefined)[] = [];
    for (const command of commands) {
      const { code, stdout } = await this.#reply([command], {});
      answers.push(code === 0 ? new TextDecoder().decode(stdout) : undefined);
    }
    return answers;
  }

  /** Runs a batch; the reply is without the failures of the user's hooks, and without what they print after reads. */
  async #reply(commands: readonly Command[], options: ExecOptions): Promise<Reply> {
    const hooks = this.#options.met?.hooks;
    if (hooks !== undefined && options.stdin === undefined && isBareRead(commands)) {
      const send = (batch: readonly Command[], added = {}) => this.#send(batch, { ...options, ...added });
      return await readWithoutHooks(commands, hooks, send);
    }
    return await this.#act(commands, options);
  }

  /**
   * Sends a batch, and sends it to the successor of a server that is ending: that one has run nothing of it. A batch
   * that names objects by their ids is not for the successor, which gives the same ids to others.
   */
  async #send(commands: readonly Command[], options: ExecOptions): Promise<Reply> {
    const { timeoutMs = Infinity } = options;
    const until = performance.now() + timeoutMs;
    for (let pauses = 0;; pauses++) {
      const reply = await this.exec(commands, options);
      const { met } = this.#options;
      if (met && (reply.code === 0 || isLostServer(reply.stderr))) met.served = true;
      if (reply.code === 0 || pauses === MAX_PAUSES || !isLostServer(reply.stderr)) return reply;
      if (commands.some(namesId)) return reply;
      const pauseMs = ENDING_MS * 2 ** pauses;
      if (performance.now() + pauseMs > until) return reply;
      await delay(pauseMs, options.signal);
    }
  }

  #failure({ stderr }: Reply): AppError {
    return tmuxFailure(stderr, this.socket, this.#options.met?.served);
  }

  /** True if a stamp is that of a process which is known to be dead. */
  isDead(processStamp: string): boolean {
    return this.#options.isDead?.(processStamp) ?? false;
  }

  /** Has what dead processes left there cleaned up, as this mark of one was read. */
  foundLeft(mark: string): void {
    this.#options.foundLeft?.(mark);
  }

  sees(row: ScopedRow): boolean {
    return this.#options.sees?.(row) ?? true;
  }
}

/** True if a target or source of the command is an id, or an object in one with an id. */
function namesId(command: Command): boolean {
  return command.some((arg, at) => /^-[st]$/.test(command[at - 1] ?? "") && /^[$@%]\d+(?:[:.]|$)/.test(arg));
}
