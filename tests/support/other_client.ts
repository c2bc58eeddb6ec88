// Somebody else's control client, attached until the scope ends.
import type { World } from "./world.ts";

export class OtherClient implements AsyncDisposable {
  /** Settles when the client has ended. */
  readonly ended: Promise<unknown>;
  readonly #process: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
    this.#reader = process.stdout.getReader();
    this.ended = process.status;
  }

  /** Attaches to a session by its exact name, and settles when tmux has confirmed it. */
  static async attach(world: World, session: string): Promise<OtherClient> {
    const process = new Deno.Command("tmux", {
      args: ["-S", world.socket, "-C", "attach-session", "-t", `=${session}`],
      env: world.env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const client = new OtherClient(process);
    await client.#reader.read();
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stdin.close().catch(() => {});
    while (!(await this.#reader.read()).done);
    await this.ended;
  }
}
