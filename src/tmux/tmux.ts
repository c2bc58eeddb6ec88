// One tmux server as the rest of the program sees it: batches go in, text and records come out.
import type { Command, Exec, ExecOptions, Reply } from "./exec.ts";
import { failure, isLostServer, isNoServer } from "./failures.ts";
import { type Fields, RecordCodec, type RecordOf } from "./format.ts";
import { Capture } from "./capture.ts";
import { Input } from "./input.ts";
import { Panes } from "./panes.ts";
import { Sessions } from "./sessions.ts";
import { type Survey, surveyServer } from "./survey.ts";
import { Windows } from "./windows.ts";

/** How long, and how often, to wait for a server that is ending. */
const ENDING_MS = 20;
const MAX_TRIES = 10;

export interface TmuxOptions {
  exec: Exec;
  /** How the socket is spelled for people: a path, a name or `default`. */
  socket: string;
  /** Pids of this program's own control clients, which no listing may count as a person's. */
  ownClients(): ReadonlySet<number>;
  /** The owner mark new objects get (`@tmux_mcp_owner`). */
  owner: string;
}

export class Tmux {
  readonly socket: string;
  readonly owner: string;
  readonly codec: RecordCodec = new RecordCodec();
  readonly sessions: Sessions = new Sessions(this);
  readonly windows: Windows = new Windows(this);
  readonly panes: Panes = new Panes(this);
  readonly input: Input = new Input(this);
  readonly capture: Capture = new Capture(this);
  readonly ownClients: () => ReadonlySet<number>;
  readonly #exec: Exec;

  constructor(options: TmuxOptions) {
    this.socket = options.socket;
    this.owner = options.owner;
    this.ownClients = options.ownClients;
    this.#exec = options.exec;
  }

  /** Runs one batch in one tmux client and answers what it printed; the first failing command ends the batch. */
  async run(commands: readonly Command[], options: ExecOptions = {}): Promise<string> {
    const reply = await this.#reply(commands, options);
    if (reply.code !== 0) throw failure(reply.stderr, this.socket);
    return new TextDecoder().decode(reply.stdout);
  }

  /** As `run`, but a server that is not there answers `undefined`. */
  async runIfServer(commands: readonly Command[], options: ExecOptions = {}): Promise<string | undefined> {
    const reply = await this.#reply(commands, options);
    if (reply.code === 0) return new TextDecoder().decode(reply.stdout);
    if (isNoServer(reply.stderr)) return undefined;
    throw failure(reply.stderr, this.socket);
  }

  /** A server that ends took nothing with it that a second try could double, so the batch goes to its successor. */
  async #reply(commands: readonly Command[], options: ExecOptions): Promise<Reply> {
    for (let tries = 0;; tries++) {
      const reply = await this.#exec(commands, options);
      if (reply.code === 0 || tries === MAX_TRIES || !isLostServer(reply.stderr)) return reply;
      await new Promise((resolve) => setTimeout(resolve, ENDING_MS));
    }
  }

  /** The rows a listing command prints for `fields`; none where no server runs. */
  async list<F extends Fields>(
    fields: F,
    command: Command,
    options: ExecOptions = {},
  ): Promise<RecordOf<F>[]> {
    const text = await this.runIfServer([[...command, "-F", this.codec.format(fields)]], options);
    return text === undefined ? [] : this.codec.parse(fields, text);
  }

  /** Every session, window and pane there is, from one moment: what decisions are made on. */
  survey(options: ExecOptions = {}): Promise<Survey> {
    return surveyServer(this, options);
  }
}
