// A machine to log in to: a private sshd on loopback.

/** An sshd on loopback that accepts one key. */
export class LoopbackSshd implements AsyncDisposable {
  readonly port: number;
  readonly #home: string;
  readonly #daemon: Deno.ChildProcess;

  private constructor(home: string, port: number) {
    this.#home = home;
    this.port = port;
    this.#daemon = new Deno.Command("/usr/sbin/sshd", {
      args: ["-D", "-e", "-f", `${home}/config`],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  /**
   * @param lines Added to the configuration
   * @param env Added to the environment of sessions
   */
  static async start(
    home: string,
    { lines = [], env = {} }: { lines?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
  ): Promise<LoopbackSshd> {
    for (const name of ["host", "id"]) {
      await new Deno.Command("ssh-keygen", {
        args: ["-q", "-t", "ed25519", "-N", "", "-f", `${home}/${name}`],
      }).output();
    }
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    await Deno.mkdir("/run/sshd", { recursive: true });
    await Deno.writeTextFile(
      `${home}/config`,
      [
        `Port ${port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${home}/host`,
        `AuthorizedKeysFile ${home}/id.pub`,
        "StrictModes no",
        "UsePAM no",
        "PermitRootLogin yes",
        "PasswordAuthentication yes",
        "PidFile none",
        // bash raises SHLVL, and below 2 it reads ~/.bashrc for a command run by ssh.
        `SetEnv ${
          Object.entries({ SHLVL: "3", ...env }).map(([name, value]) => `${name}=${value}`).join(" ")
        }`,
        ...lines,
      ].join("\n"),
    );
    listener.close();
    return new LoopbackSshd(home, port);
  }

  client(...options: string[]): string[] {
    return this.clientAt(this.port, ...options);
  }

  /** A client that connects to another port, which leads here. */
  clientAt(port: number, ...options: string[]): string[] {
    const quiet = [
      "-o",
      "LogLevel=ERROR",
      "-o",
      `UserKnownHostsFile=${this.#home}/known`,
      "-o",
      "ConnectionAttempts=20",
    ];
    return ["ssh", "-F", "none", "-p", `${port}`, ...quiet, ...options];
  }

  /** Pids of the processes that serve its connections. */
  async connections(): Promise<number[]> {
    const found: number[] = [];
    for await (const { name } of Deno.readDir("/proc")) {
      const stat = /^\d+$/.test(name) ? await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "") : "";
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(parent) === this.#daemon.pid && state !== "Z") found.push(Number(name));
    }
    return found;
  }

  /** Kills what serves its connections; a process may end with another one. */
  async killConnections(): Promise<void> {
    killAll(await this.connections());
  }

  get key(): string {
    return `${this.#home}/id`;
  }

  /** Ends all connections, and accepts no more. */
  async goAway(): Promise<void> {
    const pids = await this.connections();
    this.#daemon.kill();
    await this.#daemon.status;
    killAll(pids);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#daemon.kill();
    } catch (error) {
      // It has gone away.
      if (!(error instanceof TypeError)) throw error;
    }
    await this.#daemon.status;
  }
}

/** Ends processes, some of which may have ended by themselves. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
