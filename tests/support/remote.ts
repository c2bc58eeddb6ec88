// Another machine: an sshd on loopback with a tmux server of its own, and a server of ours that knows it as `far`.
import { killAll, LoopbackSshd } from "./sshd.ts";
import { until } from "./until.ts";
import { isTmuxGone, runTmux, type TestClient, World } from "./world.ts";

export interface RemoteOptions {
  /** More lines for sshd's configuration. */
  lines?: readonly string[];
  /** More of the environment that sshd gives. */
  env?: (folder: string) => Promise<Record<string, string>>;
}

/** sshd wants root, and what is asked of processes is Linux's. */
const IS_POSSIBLE = Deno.build.os === "linux" && Deno.uid() === 0;

/** A test that needs such a machine. */
export function remoteTest(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, ignore: !IS_POSSIBLE, fn });
}

const PATIENCE_MS = 120_000;
const LOGINS = 10;

/** A machine under load takes its time to log in to; what is asked there may take as long. */
function patient(client: TestClient): TestClient {
  const call = client.call.bind(client);
  client.call = async (name, args, options = {}) => {
    for (let left = LOGINS;; left--) {
      const answer = await call(name, args, { timeout: PATIENCE_MS, ...options });
      if (left === 0 || !/^No connection to host/.test(answer.content[0]?.text ?? "")) return answer;
    }
  };
  return client;
}

export class Far implements AsyncDisposable {
  readonly world: World;
  readonly sshd: LoopbackSshd;
  private constructor(world: World, sshd: LoopbackSshd) {
    this.world = world;
    this.sshd = sshd;
  }

  static async create({ lines = [], env: more }: RemoteOptions = {}): Promise<Far> {
    const world = await World.create();
    // Shells there read no start-up files of the person who runs the tests.
    const home = `${world.folder}/far`;
    await Deno.mkdir(home);
    // tmux up to 3.5a crashes if it renames a window while a client that was spawned there attaches.
    await Deno.writeTextFile(`${home}/.tmux.conf`, "set -g automatic-rename off\n");
    const { PATH = "" } = world.env;
    const env = { PATH, HOME: home, TMUX_TMPDIR: home, ...await more?.(world.folder) };
    return new Far(world, await LoopbackSshd.start(world.folder, { lines, env }));
  }

  /** Words of the configuration after `ssh`. */
  get words(): string {
    const { sshd, world: { folder } } = this;
    const known = `-o UserKnownHostsFile=${folder}/known -o StrictHostKeyChecking=accept-new`;
    return `-F none -p ${sshd.port} -i ${sshd.key} ${known} -o ConnectionAttempts=20 root@127.0.0.1`;
  }

  /** A client of a server of ours that calls this machine `far`. */
  async serve(args: readonly string[] = [], env: Record<string, string> = {}): Promise<TestClient> {
    return patient(await this.world.serve({ args: ["--hosts", `far=${this.words}`, ...args], env }));
  }

  /** Runs tmux as a person on that machine would. */
  async tmux(...args: string[]): Promise<string> {
    const { env, folder } = this.world;
    return await runTmux(args, { env: { ...env, TMUX_TMPDIR: `${folder}/far` }, folder });
  }

  /** Ends tmux there, and settles once it has gone. */
  async endTmux(): Promise<void> {
    await this.#killTmux();
    await until(() => isTmuxGone(this));
  }

  async #killTmux(): Promise<void> {
    // Clients whose connection was cut keep `kill-server` from finishing (tmux up to 3.7).
    const left = await this.tmux("list-clients", "-F", "#{client_pid}").catch(() => "");
    await this.tmux("kill-server").catch(() => {});
    killAll(left.split("\n").filter(Boolean).map(Number));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#killTmux();
    await this.sshd[Symbol.asyncDispose]();
    await this.world[Symbol.asyncDispose]();
  }
}

/** A host, and a server that is connected to it. */
export interface Hosted {
  remote: Far;
  client: TestClient;
}

export interface OneHostOptions extends RemoteOptions {
  serve?: (remote: Far) => Promise<TestClient>;
  /** Arguments with which its server is asked about tmux on the host. */
  place?: Record<string, string>;
}

type RunHosted = (given: Hosted) => Promise<void>;

/**
 * Declares a test whose steps are what the returned function declares. They run one after the other, each with a tmux
 * on the host that nobody has used before; an sshd, a server and its first connection cost a second of CPU.
 */
export function onOneHost(
  about: string,
  { serve = (remote) => remote.serve(), place = { host: "far" }, ...options }: OneHostOptions = {},
): (name: string, run: RunHosted) => void {
  const declared: { name: string; run: RunHosted }[] = [];
  remoteTest(about, async (t) => {
    await using remote = await Far.create(options);
    const client = await serve(remote);
    for (const { name, run } of declared) {
      await t.step(name, () => run({ remote, client }));
      await remote.endTmux();
      await until(async () =>
        (await client.call("get-server-info", place)).structuredContent?.alive === false
      );
    }
  });
  return (name, run) => void declared.push({ name, run });
}
