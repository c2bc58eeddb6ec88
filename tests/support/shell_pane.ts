// A pane with a shell in it, and a server that runs commands there.
import { until } from "./until.ts";
import { type TestClient, World } from "./world.ts";

export interface CommandAnswer {
  commandId: string;
  status: string;
  stopped?: boolean;
  exitCode?: number;
  output: string;
  outputTruncated?: boolean;
  nextOffset?: number;
  matches?: number;
  findings?: { offset: number; [field: string]: unknown }[];
  findingsTotal?: number;
  totalLines: number;
  totalBytes: number;
  paneAlive: boolean;
  reason?: string;
}

/** First pause between polls: each takes a process, and the shell needs the CPU too. */
const POLL_MS = 20;

/** A shell's pane in its own world, in which a second session keeps tmux running after the pane is gone. */
export class ShellPane implements AsyncDisposable {
  readonly world: World;
  readonly client: TestClient;
  readonly paneId: string;

  private constructor(world: World, client: TestClient, paneId: string) {
    this.world = world;
    this.client = client;
    this.paneId = paneId;
  }

  static async open(shell = "bash --norc", args: readonly string[] = []): Promise<ShellPane> {
    const world = await World.create();
    const client = await world.serve({ args });
    await client.ok("create-session", { name: "keep", command: "cat" });
    return await ShellPane.add(world, client, shell);
  }

  /** Runs the test once for each shell, each in a pane of one world: a server takes a second to start beside others. */
  static async forEach<S extends string>(
    shells: readonly S[],
    test: (pane: ShellPane, shell: S) => Promise<void>,
  ): Promise<void> {
    await using world = await World.create();
    const client = await world.serve();
    await client.ok("create-session", { name: "keep", command: "cat" });
    await ShellPane.forEachOf({ world, client }, shells, test);
  }

  /** Does the same on a server that is there. */
  static async forEachOf<S extends string>(
    { world, client }: { world: World; client: TestClient },
    shells: readonly S[],
    test: (pane: ShellPane, shell: S) => Promise<void>,
  ): Promise<void> {
    for (const shell of shells) {
      const pane = await ShellPane.add(world, client, shell);
      await test(pane, shell);
      // Calls take longer with many panes.
      await world.tmux("kill-pane", "-t", pane.paneId).catch(() => {});
    }
  }

  static async add(world: World, client: TestClient, command: string): Promise<ShellPane> {
    const environment = { PS1: "$ ", ENV: "/dev/null" };
    const { paneId } = await client.ok("create-session", { command, width: 100, height: 30, environment });
    return new ShellPane(world, client, paneId);
  }

  run(command: string, args: Record<string, unknown> = {}): Promise<CommandAnswer> {
    return this.client.ok("execute-command", { paneId: this.paneId, command, ...args });
  }

  /** Begins a command, and returns its result once it is over, asks, or this time has passed. */
  begin(command: string, waitSeconds: number): Promise<CommandAnswer> {
    return this.client.begin({ paneId: this.paneId, command }, waitSeconds);
  }

  async screen(): Promise<string> {
    return (await this.world.tmux("capture-pane", "-p", "-t", this.paneId)).trimEnd();
  }

  async untilScreen(pattern: RegExp): Promise<void> {
    let last = "";
    await until(async () => pattern.test(last = await this.screen()), POLL_MS).catch(() => {
      throw new Error(`never saw ${pattern} in:\n${last}`);
    });
  }

  /**
   * Waits until a program runs: a key pressed between the shell's fork and the program's start would go to
   * the shell.
   */
  async untilRunning(name: string): Promise<void> {
    const running = () =>
      this.world.tmux("display-message", "-p", "-t", this.paneId, "#{pane_current_command}");
    await until(async () => (await running()).trim() === name, POLL_MS).catch(() => {
      throw new Error(`never saw ${name} run`);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]();
  }
}
