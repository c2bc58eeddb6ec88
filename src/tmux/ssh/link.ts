// The connection to one machine: an ssh master with a shell on it, opened at its first use and again after a loss.
import { within } from "../../timer.ts";
import { AppError, ConnectionLost, ShuttingDown } from "../../errors.ts";
import type { Via } from "./command.ts";
import { RemoteShell } from "./shell.ts";
import { PROGRAM_FOLDERS } from "../server_environment.ts";
import { socketFolder } from "../socket.ts";
import { runProgram } from "../spawn.ts";
import { connectFailure } from "./failures.ts";
import type { SshWords } from "./words.ts";
import { checkVersion, INSTALL_HINT } from "../../tmux_exec/version.ts";
import { bestEffort, handledLater } from "../../promises.ts";
import { getOrCreate } from "../../maps.ts";

export interface SshLinkOptions {
  /** Name of the machine in messages and results. */
  host: string;
  words: SshWords;
  /** Complete environment of every ssh: nothing else is inherited. */
  env: Readonly<Record<string, string>>;
  /** Returns the path for the control socket of a new connection: a short one that no other connection has. */
  newSocket(): string;
  /** Called first over a new connection. */
  begun?(connected: SshConnection): Promise<void>;
}

/** Facts about the machine, read when the connection was made. */
export interface RemoteFacts {
  /** Path of tmux. */
  tmux: string;
  version: string;
  home: string;
  socketFolder: string;
  /** Names that `uname` prints. */
  system: string;
  architecture: string;
  /** Id of this boot and pid namespace: equal for processes that see the same processes. */
  kernel: string;
  env: Readonly<Record<string, string>>;
}

/** An open connection: the same object as long as it lasts. */
export interface SshConnection {
  shell: RemoteShell;
  facts: RemoteFacts;
  /** Runs code in the shell, as `RemoteShell.ask` does. */
  ask(code: string): Promise<string>;
  /** Local sockets that lead to sockets there, by path. */
  forwards: Map<string, Promise<string | undefined>>;
  /** Time (`performance.now()`) at which bytes last came through one of these sockets. */
  heardAt: number;
}

/** Time (ms) that a call waits for a connection; the attempt continues in the background for `CONNECT_SECONDS`. */
const PATIENCE_MS = 5000;
const CONNECT_SECONDS = 20;
/** Options by which a connection that is silent for 10 s is given up, including that of a single session. */
const ALIVE = ["-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"];
const FORWARD_MS = 2000;
/** Variables that tmux's client sends to its server. */
const SENT_VARIABLES =
  "HOME PATH SHELL USER LOGNAME LANG LC_ALL LC_CTYPE TZ DISPLAY XAUTHORITY XDG_RUNTIME_DIR " +
  "SSH_AUTH_SOCK SSH_CONNECTION";

const HELLO = [
  `p=$PATH; PATH=$PATH:${PROGRAM_FOLDERS}`,
  't=$(command -v tmux); v=$("$t" -V); d=$TMUX_TMPDIR; [ -e "$d" ] || d=',
  "k=$(cat /proc/sys/kernel/random/boot_id; readlink /proc/self/ns/pid)",
  `printf '%s\\001' hello "$t" "$v" "$(id -u)" "$HOME" "$d" "$(uname -s)" "$(uname -m)" "$k"; PATH=$p`,
  `for n in ${SENT_VARIABLES}; do eval "w=\\$$n"; [ "$w" ] && printf '%s=%s\\001' "$n" "$w"; done; :`,
].join("\n");

export class SshLink {
  readonly host: string;
  readonly #options: SshLinkOptions;
  /** Shell of the last connection, which may still be being made. */
  #shell: RemoteShell | undefined;
  #connecting: Promise<SshConnection> | undefined;
  #connected: SshConnection | undefined;
  #control = "";
  #closed = false;

  constructor(options: SshLinkOptions) {
    this.#options = options;
    this.host = options.host;
  }

  get words(): SshWords {
    return this.#options.words;
  }

  /** Facts about the machine, from the last connection to it. */
  get facts(): RemoteFacts | undefined {
    return this.#connected?.facts;
  }

  /** Way to start a program there, through the open connection. */
  get via(): Via {
    const { words, env } = this.#options;
    const { system = "", architecture = "" } = this.facts ?? {};
    const args = [...this.#sessionArguments(), "--", words.destination];
    return { host: this.host, system, architecture, bin: "ssh", args, env };
  }

  /**
   * Returns the connection, and opens it if necessary.
   * @throws {AppError} naming the machine: `tmux-unavailable`, `unsupported` for a tmux that is too old, `timeout`
   */
  async open(signal?: AbortSignal): Promise<SshConnection> {
    signal?.throwIfAborted();
    if (this.#closed) throw new ShuttingDown();
    if (this.#connected && !this.#connected.shell.hasEnded) return this.#connected;
    this.#connecting ??= this.#connect().finally(() => this.#connecting = undefined);
    handledLater(this.#connecting);
    const late = (): never => {
      throw this.#slow();
    };
    return await within(this.#connecting, { ms: PATIENCE_MS, signal, late });
  }

  /** Returns a local socket that leads to a socket there; undefined if that can't be forwarded. */
  forward(connected: SshConnection, path: string): Promise<string | undefined> {
    const { forwards } = connected;
    return getOrCreate(forwards, path, () => this.#forward(path, forwards.size));
  }

  /**
   * Checks that the connection still responds, and gives it up if not, which ends all that runs over it.
   * @throws {AppError} `gone` if it is lost, `timeout` if the machine is silent
   */
  async check(connected: SshConnection): Promise<void> {
    const { shell } = connected;
    const since = performance.now();
    try {
      await shell.ask(":");
    } catch (error) {
      // The shell's answer may wait behind a long reply of tmux.
      if (!shell.hasEnded && connected.heardAt > since) return;
      bestEffort(shell.end(error));
      throw error;
    }
  }

  /** Ends the connection, also one that is still being made. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#shell?.end();
  }

  async #connect(): Promise<SshConnection> {
    const { words, env, newSocket } = this.#options;
    this.#control = newSocket();
    const options = [
      ...["-T", "-o", "BatchMode=yes", "-o", "ControlMaster=yes", "-o", `ControlPath=${this.#control}`],
      // The master ends with its shell, and the shell with this process.
      ...["-o", "ControlPersist=no", "-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no"],
      ...["-o", "ClearAllForwardings=yes", ...words.options, ...ALIVE],
      ...["-o", `ConnectTimeout=${CONNECT_SECONDS}`, "-o", "StreamLocalBindUnlink=yes"],
    ];
    const shell = this.#shell = new RemoteShell(this.host, {
      bin: "ssh",
      args: [...options, "--", words.destination, "exec sh"],
      env,
    });
    let text: string;
    try {
      text = await shell.ask(HELLO, (CONNECT_SECONDS + 5) * 1000);
    } catch (error) {
      await shell.end();
      const output = await shell.ended;
      if (this.#closed) throw new ShuttingDown();
      throw error instanceof ConnectionLost ? connectFailure(this.host, output, shell.printed) : error;
    }
    try {
      const facts = this.#readFacts(text);
      const ask = (code: string): Promise<string> => shell.ask(code);
      const connected = { shell, facts, ask, forwards: new Map(), heardAt: 0 };
      await bestEffort(this.#options.begun?.(connected));
      this.#connected = connected;
      return connected;
    } catch (error) {
      await shell.end();
      throw error;
    }
  }

  #readFacts(text: string): RemoteFacts {
    const fields = text.slice(text.indexOf("hello\x01")).split("\x01");
    const [, tmux = "", versionText = "", uid, home, tmpdir, system = "", architecture = "", kernel = ""] =
      fields;
    if (tmux === "") {
      throw new AppError("tmux-unavailable", `Cannot find tmux on host "${this.host}"`, {
        hint: `${INSTALL_HINT} there, or put its folder on the PATH that ssh gives`,
      });
    }
    const version = versionText.replace(/^tmux /, "");
    checkVersion(version, `${INSTALL_HINT} on host "${this.host}"`);
    const variables = fields.slice(9).map((field) => [field, field.indexOf("=")] as const).filter(([, at]) =>
      at > 0
    );
    return {
      tmux,
      version,
      system,
      architecture,
      kernel,
      home: home || "/",
      socketFolder: socketFolder(tmpdir, Number(uid)),
      env: Object.fromEntries(variables.map(([field, at]) => [field.slice(0, at), field.slice(at + 1)])),
    };
  }

  #sessionArguments(): string[] {
    const ours = [
      ...["-T", "-o", "BatchMode=yes", "-o", "ControlMaster=no", "-o", `ControlPath=${this.#control}`],
      ...["-o", "RemoteCommand=none", "-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no"],
    ];
    return [...ours, ...this.#options.words.options, ...ALIVE, "-o", "ConnectTimeout=5"];
  }

  async #forward(path: string, index: number): Promise<string | undefined> {
    // On the command line, the first three separate the two paths, and ssh expands the others.
    if (/[:\\\n%$]/.test(path)) return undefined;
    const local = `${this.#control}.${index}`;
    const { words, env } = this.#options;
    const request = ["-S", this.#control, "-O", "forward", "-L", `${local}:${path}`];
    const args = ["-F", "none", ...request, "--", words.destination];
    const asked = runProgram({ bin: "ssh", args, env }, { timeoutMs: FORWARD_MS });
    const reply = await asked.catch(() => undefined);
    return reply?.code === 0 ? local : undefined;
  }

  #slow(): AppError {
    return new AppError("timeout", `No connection to host "${this.host}" in ${PATIENCE_MS} ms`, {
      hint: "Call again: the connection is still being made",
    });
  }
}
