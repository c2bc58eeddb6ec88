// A pane with a shell in it, and a server that runs commands there.
import { WAYS } from "./watching.ts";
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
}

/** In a world of its own, where a second session keeps tmux there when the pane goes. */
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
    const { paneId } = await client.ok("create-session", {
      command: shell,
      width: 100,
      height: 30,
      environment: { PS1: "$ ", ENV: "/dev/null" },
    });
    return new ShellPane(world, client, paneId);
  }

  run(command: string, args: Record<string, unknown> = {}): Promise<CommandAnswer> {
    return this.client.ok("execute-command", { paneId: this.paneId, command, ...args });
  }

  async screen(): Promise<string> {
    return (await this.world.tmux("capture-pane", "-p", "-t", this.paneId)).trimEnd();
  }

  async untilScreen(pattern: RegExp): Promise<void> {
    const until = performance.now() + 5000;
    for (;;) {
      const text = await this.screen();
      if (pattern.test(text)) return;
      if (performance.now() > until) throw new Error(`never saw ${pattern} in:\n${text}`);
    }
  }

  /** A key pressed between a shell's fork and the program's start is the shell's. */
  async untilRunning(name: string): Promise<void> {
    const until = performance.now() + 5000;
    const running = () =>
      this.world.tmux("display-message", "-p", "-t", this.paneId, "#{pane_current_command}");
    while ((await running()).trim() !== name) {
      if (performance.now() > until) throw new Error(`never saw ${name} run`);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world[Symbol.asyncDispose]();
  }
}

/** The test on a pane that is followed one way, and on one that is followed the other. */
export function eachWay(name: string, test: (pane: ShellPane) => Promise<void>): void {
  for (const [way, args] of Object.entries(WAYS)) {
    Deno.test(`${name}, ${way}`, async () => {
      await using pane = await ShellPane.open(undefined, args);
      await test(pane);
    });
  }
}
