// A control-mode client attached to one session: sends command lines, passes on what tmux reports.
import { AppError } from "../errors.ts";
import { type ControlHandler, ControlParser, type ControlReply } from "./control.ts";
import { DEFAULT_DEADLINE_MS, noAnswer } from "./exec.ts";
import type { Attacher, VerifiedServer } from "../tmux_protocol/attacher.ts";
import { type ClientHandle, type ControlChannel, spawnChannel } from "./control_channel.ts";
import { spellCommand } from "./spelling.ts";
import { createProcessExec, type ProcessTarget } from "./spawn.ts";
import { isAtLeast } from "./version.ts";
import { bestEffort, settled } from "../promises.ts";

/** The server that a control client attaches to. */
export interface ControlTarget extends ProcessTarget {
  /** Set when a client needs no process of its own. */
  verified?: VerifiedServer;
}

/**
 * True if tmux may crash under our control clients: 3.2 does where one is behind with a pane whose program has ended
 * and which stays (`remain-on-exit`), as it reads a buffer that it has freed.
 */
export function mayCrash({ verified, version }: ControlTarget): boolean {
  const known = verified?.version ?? version;
  return known !== undefined && !isAtLeast(known, 3, 3);
}

export interface ControlClientOptions {
  target: ControlTarget;
  /** Attaches without a process where that is possible. */
  attacher: Attacher;
  sessionId: string;
  /** Client flags in addition to `ignore-size` (tmux(1), `attach-session -f`). */
  flags: readonly string[];
  output(paneId: string, bytes: Uint8Array): void;
  notification(name: string, rest: string): void;
  /** The client has ended, for whatever reason. */
  closed(): void;
  /** Time that it may owe an answer while tmux answers others (ms); tests use less. */
  silentMs?: number;
}

/** A command whose reply is to come. */
interface Pending {
  /** `performance.now()` when it was sent. */
  since: number;
  take(reply: ControlReply): void;
}

/** Spelling of a choice: the chosen command has a reply of its own. */
const CHOICE = spellCommand(["if-shell"]);
const DETACH_MS = 500;
/** A host may need another connection first, beyond the sessions that one connection has. */
const REMOTE_ATTACH_MS = 15_000;
/** While less than this is on its way, tmux is not behind and never pauses a pane. */
const HELD_BYTES = 4096;
const ASK_MS = 250;
/**
 * A client that is owed an answer for this long while tmux answers others is given up: its waiters would wait forever.
 * Behind output that floods a reply comes at most `pause-after` late.
 */
const SILENT_MS = 10_000;
const LATE_MS = 20_000;
/**
 * From 3.4 on, tmux keeps the errors of a user's configuration for the first client to attach and puts the pane that it
 * shows into a mode. source-file prints them to its own client instead, also when it reads no file.
 */
const PRINT_CONFIG_ERRORS = ["source-file", "-q", "/dev/null/none"];
const encoder = new TextEncoder();

/** Reply of the last of some commands, or of the one that failed. */
export interface BatchReply extends ControlReply {
  /** All that the commands printed, as `tmux` prints it. */
  printed: string;
}

/**
 * `-E` keeps the session's environment as it is, `ignore-size` its windows' sizes. Whatever the client prints is
 * read as it comes and nothing here waits, so tmux is never kept from reading a pane by this reader.
 */
export class ControlClient {
  readonly #channel: ControlChannel;
  readonly #options: ControlClientOptions;
  readonly #pending: Pending[] = [];
  readonly #attached: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Commands that tmux has not yet run before the client is attached. */
  #unattached: number;
  #closed = false;
  /** Bytes of output since the last question, and the number at which the next one is sent. */
  #unasked = 0;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #clientPid: number | undefined;
  #lastHeard = 0;
  #overdue: ReturnType<typeof setTimeout> | undefined;
  #judging: Promise<void> = Promise.resolve();
  /** Aborted once the client has ended. */
  readonly #over: AbortController = new AbortController();
  readonly #silentMs: number;
  readonly #ended: Promise<void>;

  constructor(options: ControlClientOptions) {
    this.#options = options;
    this.#silentMs = options.silentMs ?? SILENT_MS;
    const { target, attacher, sessionId } = options;
    const flags = ["ignore-size", ...options.flags].join(",");
    const attach = ["attach-session", "-E", "-t", sessionId, "-f", flags];
    const { verified } = target;
    const commands = verified && isAtLeast(verified.version, 3, 4) ? [PRINT_CONFIG_ERRORS, attach] : [attach];
    const attached = verified && attacher.attach(verified, commands);
    this.#unattached = attached ? commands.length : 1;
    this.#channel = attached ?? spawnChannel(target, attach);
    const patienceMs = target.via ? REMOTE_ATTACH_MS : DEFAULT_DEADLINE_MS;
    const late = setTimeout(() => this.#late(patienceMs), patienceMs);
    settled(this.#attached.promise).finally(() => clearTimeout(late));
    this.#ended = bestEffort(this.#read()).finally(() => this.#end());
  }

  /** Settles when tmux has attached the client; from then on every byte of its panes is delivered. */
  get attached(): Promise<void> {
    return this.#attached.promise;
  }

  get handle(): ClientHandle {
    const { handle } = this.#channel;
    if (handle.kind !== "process" || this.#clientPid === undefined) return handle;
    return { ...handle, clientPid: this.#clientPid };
  }

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Sends one command line in tmux's own syntax; answers when tmux has run it. `onReply` gets the same reply, in
   * its place among the panes' output.
   * @throws {AppError} `gone` when the client has ended; when it ends before the answer, that is a failed reply
   */
  async send(line: string, onReply?: (reply: ControlReply) => void): Promise<ControlReply> {
    if (this.#unattached > 0) await this.#attached.promise;
    if (this.#closed) throw this.#gone();
    const { promise, resolve } = Promise.withResolvers<ControlReply>();
    const take = (reply: ControlReply): void => {
      onReply?.(reply);
      resolve(reply);
    };
    this.#pending.push({ since: performance.now(), take });
    this.#judgeLater();
    this.#channel.write(encoder.encode(line + "\n"));
    return await promise;
  }

  /**
   * Sends several command lines as one, of which the first that fails ends the rest; answers as `send` with that one's
   * reply, or the last. tmux does nothing else between them. An `if-shell -F` must choose one command either way.
   * @throws as `send`
   */
  async sendAll(lines: readonly string[], onReply?: (reply: BatchReply) => void): Promise<BatchReply> {
    const { promise, resolve } = Promise.withResolvers<BatchReply>();
    let left = lines.length + lines.filter((line) => line.startsWith(CHOICE)).length;
    let printed = "";
    const take = (last: ControlReply): void => {
      for (const line of last.lines) printed += `${line}\n`;
      const reply = { ...last, printed };
      left--;
      if (left > 0 && !reply.failed) return void this.#pending.unshift({ since: performance.now(), take });
      onReply?.(reply);
      resolve(reply);
    };
    await this.send(lines.join(" ; "), take);
    return await promise;
  }

  /**
   * Sends an `if-shell -F`, which has a reply of its own before the one of the single command it chooses; answers with
   * the latter. `onChosen` runs between them, and tmux reads no pane from there until the chosen command has run.
   * @throws as `send`
   */
  async choose(line: string, onChosen: () => void): Promise<ControlReply> {
    const { promise, resolve } = Promise.withResolvers<ControlReply>();
    const first = ({ failed }: ControlReply): void => {
      if (failed) return;
      onChosen();
      this.#pending.unshift({ since: performance.now(), take: resolve });
    };
    const chosen = await this.send(line, first);
    return chosen.failed ? chosen : await promise;
  }

  /** Settles when everything that tmux sent before this call has been passed on. */
  async sync(): Promise<void> {
    await this.send("display-message -p ''");
  }

  /** Detaches and sees the process end. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#channel.finish();
      const timer = setTimeout(() => this.#channel.end(), DETACH_MS);
      await this.#ended;
      clearTimeout(timer);
    }
    await Promise.all([this.#channel.end(), this.#judging]);
  }

  async #read(): Promise<void> {
    const handler: ControlHandler = {
      output: (paneId, bytes) => this.#output(paneId, bytes),
      reply: (reply) => this.#reply(reply),
      notification: (name, rest) => {
        if (name === "%client-pid") this.#clientPid = Number(rest);
        this.#options.notification(name, rest);
      },
    };
    const parser = new ControlParser(handler);
    await this.#channel.read((bytes) => {
      this.#lastHeard = performance.now();
      parser.push(bytes);
    });
  }

  #output(paneId: string, bytes: Uint8Array): void {
    this.#options.output(paneId, bytes);
    this.#unasked += bytes.length;
    if (this.#unasked >= HELD_BYTES) this.#asking ??= setTimeout(() => this.#ask(), ASK_MS);
  }

  /** tmux 3.3a can hold a `%pause` back until it sends this client something else, such as an answer. */
  #ask(): void {
    this.#asking = undefined;
    this.#unasked = 0;
    bestEffort(this.sync());
  }

  #reply(reply: ControlReply): void {
    if (reply.own) return this.#pending.shift()?.take(reply);
    if (reply.failed) return this.#attached.reject(new AppError("not-found", reply.text));
    this.#unattached--;
    if (this.#unattached === 0) this.#attached.resolve();
  }

  #judgeLater(): void {
    this.#overdue ??= setTimeout(() => this.#judging = this.#judge(), this.#silentMs);
  }

  /** Ends a client that gets no answer from tmux while others do. */
  async #judge(): Promise<void> {
    this.#overdue = undefined;
    const [oldest] = this.#pending;
    if (!oldest || this.#closed) return;
    const now = performance.now();
    const waited = now - oldest.since;
    const isSilent = Math.min(waited, now - this.#lastHeard) >= this.#silentMs;
    const isOwed = (isSilent || waited >= LATE_MS) && await this.#answersOthers();
    if (this.#closed) return;
    if (isOwed && this.#pending[0] === oldest) await bestEffort(this.#channel.end());
    else this.#judgeLater();
  }

  async #answersOthers(): Promise<boolean> {
    const asked = createProcessExec(this.#options.target)([["display-message", "-p", ""]], {
      signal: this.#over.signal,
    });
    return await asked.then(({ code }) => code === 0, () => false);
  }

  #late(patienceMs: number): void {
    this.#attached.reject(noAnswer(this.#options.target.bin, patienceMs));
    bestEffort(this.#channel.end());
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#over.abort();
    clearTimeout(this.#asking);
    clearTimeout(this.#overdue);
    this.#attached.reject(this.#gone());
    const failed: ControlReply = { failed: true, own: true, text: "the control client ended", lines: [] };
    for (const { take } of this.#pending.splice(0)) take(failed);
    this.#options.closed();
    bestEffort(this.#channel.end());
  }

  #gone(): AppError {
    return new AppError("gone", `The control client of session "${this.#options.sessionId}" ended`, {
      hint: "Call list-sessions to see whether the session is still there",
    });
  }
}
