// A private tmux server to run programs in, as ourselves or as another user.

import type { PaneProcess } from "../../src/process/probe.ts";
import { PATH } from "../support/path.ts";

/** `nobody`: exists everywhere, owns nothing. */
export const NOBODY = 65534;

/** The socket, in the server's home, of a tmux that a program starts inside a pane. */
const INNER = "inner";

export interface Pane extends PaneProcess {
  readonly id: string;
}

export class PaneServer implements AsyncDisposable {
  readonly home: string;
  readonly #uid: number;

  private constructor(home: string, uid: number) {
    this.home = home;
    this.#uid = uid;
  }

  static async start(uid = Deno.uid() ?? 0): Promise<PaneServer> {
    const home = await Deno.makeTempDir({ prefix: "panes-" });
    if (uid !== Deno.uid()) await Deno.chown(home, uid, uid);
    const server = new PaneServer(home, uid);
    await server.run(["new-session", "-d", "-x", "120", "-y", "40", "-s", "main", "sleep", "600"]);
    return server;
  }

  /** Runs one tmux command and returns what it printed. */
  async run(args: readonly string[], socket = "socket"): Promise<string> {
    const tmux = ["tmux", "-u", "-f", "/dev/null", "-S", `${this.home}/${socket}`, ...args];
    const become = ["setpriv", `--reuid=${this.#uid}`, `--regid=${this.#uid}`, "--clear-groups"];
    const [command = "", ...rest] = this.#uid === Deno.uid() ? tmux : [...become, ...tmux];
    const { code, stdout, stderr } = await new Deno.Command(command, {
      args: rest,
      cwd: this.home,
      clearEnv: true,
      env: this.#environment(),
      stdin: "null",
    }).output();
    if (code !== 0) throw new Error(`tmux ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout).trim();
  }

  #environment(): Record<string, string> {
    return {
      HOME: this.home,
      XDG_RUNTIME_DIR: this.home,
      PATH: `${PATH}:/usr/sbin:/sbin`,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      SHELL: "/bin/sh",
    };
  }

  /** Runs a program in a window of its own, with no shell around it unless asked for. */
  async open(argv: readonly string[]): Promise<Pane> {
    // A lone argument would be a shell command to tmux.
    const command = argv.length === 1 ? ["env", ...argv] : argv;
    const format = "#{pane_id} #{pane_pid} #{pane_tty}";
    const line = await this.run(["new-window", "-d", "-P", "-F", format, "-t", "main:", "--", ...command]);
    const [id = "", pid = "", tty = ""] = line.split(" ");
    return { id, panePid: Number(pid), tty };
  }

  async type(pane: Pane, text: string): Promise<void> {
    await this.run(["send-keys", "-t", pane.id, "-l", "--", text]);
    await this.run(["send-keys", "-t", pane.id, "Enter"]);
  }

  async press(pane: Pane, key: string): Promise<void> {
    await this.run(["send-keys", "-t", pane.id, key]);
  }

  screen(pane: Pane): Promise<string> {
    return this.run(["capture-pane", "-p", "-t", pane.id]);
  }

  async close(pane: Pane): Promise<void> {
    await this.run(["kill-pane", "-t", pane.id]).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [INNER, "socket"]) await this.run(["kill-server"], socket).catch(() => {});
    await Deno.remove(this.home, { recursive: true }).catch(() => {});
  }
}

const SETRESUID = Deno.build.arch === "x86_64" ? 117n : 147n;
const SETRESGID = Deno.build.arch === "x86_64" ? 119n : 149n;

/**
 * Runs something with another user's rights. The bare system calls change this thread alone, where C's
 * functions would change the whole process; the saved ids lead back.
 */
export function asUser<T>(libcPath: string, uid: number, act: () => T): T {
  const library = Deno.dlopen(libcPath, {
    syscall: { parameters: ["i64", "i64", "i64", "i64"], result: "i64" },
  });
  const become = (call: bigint, id: number) => library.symbols.syscall(call, -1n, BigInt(id), -1n);
  become(SETRESGID, uid);
  become(SETRESUID, uid);
  try {
    return act();
  } finally {
    become(SETRESUID, Deno.uid() ?? 0);
    become(SETRESGID, Deno.gid() ?? 0);
    library.close();
  }
}

/** Reads until `good` holds five times running; returns the last value, good or not. */
export async function settle<T>(read: () => T | Promise<T>, good: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (let streak = 0;;) {
    const value = await read();
    streak = good(value) ? streak + 1 : 0;
    if (streak >= 5 || performance.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
