// A control-mode client attached to one session: sends command lines, and passes on what tmux reports.
import { AppError } from "../errors.ts";
import { type ControlHandler, ControlParser, type ControlReply } from "./control_parser.ts";
import { DEFAULT_TIMEOUT_MS, noAnswer } from "../tmux_exec/exec.ts";
import type { Attacher, VerifiedServer } from "../tmux_protocol/attacher.ts";
import { type ClientHandle, type ControlChannel } from "../tmux_exec/control_channel.ts";
import { quoteCommand } from "./quoting.ts";
import { createProcessExec, type ProcessTarget, spawnChannel } from "./spawn.ts";
import { isAtLeast } from "../tmux_exec/version.ts";
import { bestEffort, settled } from "../promises.ts";

/** The server that a control client attaches to. */
export interface ControlTarget extends ProcessTarget {
  /** Set if a client needs no process of its own. */
  verified?: VerifiedServer;
  /** Set if its processes can't be seen from here, because it is in another pid namespace. */
  isUnseen?: true;
}

/** Reply to a command that was sent, and may have run, before the client ended. */
export const CLIENT_ENDED = "the control client ended";

export interface ControlClientOptions {
  target: ControlTarget;
  /** Attaches without a process, if that is possible. */
  attacher: Attacher;
  sessionId: string;
  /** Client flags in addition to `ignore-size` (tmux(1), `attach-session -f`). */
  flags: readonly string[];
  output(paneId: string, bytes: Uint8Array): void;
  notification(name: string, rest: string): void;
  /** Called when the client has ended, for whatever reason. */
  closed(): void;
  /** Time (ms) to wait for a reply while tmux replies to others; tests use less. */
  silentMs?: number;
}

/** A command whose reply is still to come. */
interface Pending {
  /** `performance.now()` when it was sent. */
  since: number;
  take(reply: ControlReply): void;
}

/** Start of a command line that makes a choice: the chosen command has its own reply. */
const CHOICE = quoteCommand(["if-shell"]);
/**
 * Last line of a client; it waits for the user's hooks on earlier commands. Where a client ends at once, tmux (to 3.7)
 * crashes if a `run-shell` in such a hook then prints.
 */
const DETACH = `${quoteCommand(["detach-client"])}\n`;
const DETACH_MS = 500;
/** Time (ms) to attach on a host, which may first need another connection if the existing one has no session left. */
const REMOTE_ATTACH_MS = 15_000;
/** Bytes that tmux may still have to send: below this number, it never pauses a pane. */
const HELD_BYTES = 4096;
const ASK_MS = 250;
/**
 * Time (ms) without a reply, while tmux replies to others, after which a client is given up, because its callers
 * would wait forever. After a flood of output, a reply is at most `pause-after` late.
 */
const SILENT_MS = 10_000;
const LATE_MS = 20_000;
/**
 * Command to run before attaching. From 3.4 on, tmux keeps errors in the user's configuration for the first client
 * that attaches, and puts the pane that it shows into a mode. `source-file` prints them to its own client instead,
 * even if it reads no file.
 */
const PRINT_CONFIG_ERRORS = ["source-file", "-q", "/dev/null/none"];
const encoder = new TextEncoder();

/** Reply to the last of several commands, or to the one that failed. */
export interface BatchReply extends ControlReply {
  /** Everything that the commands printed, as `tmux` prints it. */
  printed: string;
}

/**
 * Control client of one session. `-E` leaves the session's environment as it is, `ignore-size` the sizes of its
 * windows. Everything that the client prints is read at once and nothing here waits, so this reader never keeps tmux
 * from reading a pane.
 */
export class ControlClient {
  readonly #channel: ControlChannel;
  readonly #options: ControlClientOptions;
  readonly #pending: Pending[] = [];
  readonly #attached: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Number of commands that tmux has yet to run before the client is attached. */
  #unattached: number;
  #closed = false;
  /** Bytes of output since the last sync. */
  #unsynced = 0;
  #syncTimer: ReturnType<typeof setTimeout> | undefined;
  #clientPid: number | undefined;
  #lastHeard = 0;
  #overdue: ReturnType<typeof setTimeout> | undefined;
  #judging: Promise<void> = Promise.resolve();
  /** Aborted once the client has ended. */
  readonly #over: AbortController = new AbortController();
  readonly #silentMs: number;
  #isLeaving = false;
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
    const patienceMs = target.via ? REMOTE_ATTACH_MS : DEFAULT_TIMEOUT_MS;
    const late = setTimeout(() => this.#late(patienceMs), patienceMs);
    settled(this.#attached.promise).finally(() => clearTimeout(late));
    this.#ended = bestEffort(this.#read()).finally(() => this.#end());
  }

  /** Settles when tmux has attached the client; every later byte of its panes is delivered. */
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
   * Sends one command line in tmux's own syntax; resolves when tmux has run it. `onReply` gets the same reply, in its
   * place among the panes' output.
   * @throws {AppError} `gone` if the client has ended; if it ends before the reply, the reply is a failed one
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
    if (!this.#isLeaving) this.#channel.write(encoder.encode(line + "\n"));
    return await promise;
  }

  /**
   * Sends several command lines as one; the first that fails ends the rest. Resolves, as `send` does, with the reply
   * to that one, or to the last. tmux does nothing else in between. An `if-shell -F`, which has a reply of its own before
   * that of its command, must choose one command in either case. `onReply` gets the reply before any output that tmux
   * read after the commands.
   * @throws as `send`
   */
  async sendAll(lines: readonly string[], onReply?: (reply: BatchReply) => void): Promise<BatchReply> {
    const { promise, resolve } = Promise.withResolvers<BatchReply>();
    let remaining = lines.length + lines.filter((line) => line.startsWith(CHOICE)).length;
    let printed = "";
    const take = (last: ControlReply): void => {
      for (const line of last.lines) printed += `${line}\n`;
      const reply = { ...last, printed };
      remaining--;
      if (remaining > 0 && !reply.failed) {
        return void this.#pending.unshift({ since: performance.now(), take });
      }
      onReply?.(reply);
      resolve(reply);
    };
    await this.send(lines.join(" ; "), take);
    return await promise;
  }

  /** Settles when everything that tmux sent before this call has been passed on. */
  async sync(): Promise<void> {
    await this.send("display-message -p ''");
  }

  /** Detaches, and waits until the client has ended. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#channel.write(encoder.encode(DETACH));
      // tmux also replies to this line before the client ends.
      this.#pending.push({ since: performance.now(), take: () => {} });
      this.#isLeaving = true;
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
    this.#unsynced += bytes.length;
    if (this.#unsynced >= HELD_BYTES) this.#syncTimer ??= setTimeout(() => this.#syncNow(), ASK_MS);
  }

  /** Makes tmux reply to something: 3.3a can hold back a `%pause` until it sends this client something else. */
  #syncNow(): void {
    this.#syncTimer = undefined;
    this.#unsynced = 0;
    bestEffort(this.sync());
  }

  #reply(reply: ControlReply): void {
    if (reply.isOwn) return this.#pending.shift()?.take(reply);
    if (reply.failed) return this.#attached.reject(new AppError("not-found", reply.text));
    this.#unattached--;
    if (this.#unattached === 0) this.#attached.resolve();
  }

  #judgeLater(): void {
    this.#overdue ??= setTimeout(() => this.#judging = this.#judge(), this.#silentMs);
  }

  /** Ends a client that gets no reply from tmux while others do. */
  async #judge(): Promise<void> {
    this.#overdue = undefined;
    const [oldest] = this.#pending;
    if (!oldest || this.#closed) return;
    const now = performance.now();
    const waited = now - oldest.since;
    const isSilent = Math.min(waited, now - this.#lastHeard) >= this.#silentMs;
    const isOverdue = (isSilent || waited >= LATE_MS) && await this.#repliesToOthers();
    if (this.#closed) return;
    if (isOverdue && this.#pending[0] === oldest) await bestEffort(this.#channel.end());
    else this.#judgeLater();
  }

  async #repliesToOthers(): Promise<boolean> {
    const probe = createProcessExec(this.#options.target)([["display-message", "-p", ""]], {
      signal: this.#over.signal,
    });
    return await probe.then(({ code }) => code === 0, () => false);
  }

  #late(patienceMs: number): void {
    this.#attached.reject(noAnswer(this.#options.target.bin, patienceMs));
    bestEffort(this.#channel.end());
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#over.abort();
    clearTimeout(this.#syncTimer);
    clearTimeout(this.#overdue);
    this.#attached.reject(this.#gone());
    const failed: ControlReply = { failed: true, isOwn: true, text: CLIENT_ENDED, lines: [] };
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
