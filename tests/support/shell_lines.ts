// A shell at whose prompt a person has begun to type, and the content of its pane.
import type { TestClient, World } from "./world.ts";
import { until } from "./until.ts";

/** First pause between polls: each takes a process, and the shell needs the CPU too. */
const POLL_MS = 20;
const SETTLED_MS = 40;

export class ShellLine {
  readonly #world: World;
  readonly paneId: string;

  private constructor(world: World, paneId: string) {
    this.#world = world;
    this.paneId = paneId;
  }

  /** The server runs `first`, so that the prompt is there once it has ended. */
  static async open(
    world: World,
    client: TestClient,
    { command, first = "true" }: { command: string; first?: string },
  ): Promise<ShellLine> {
    const environment = { PS1: "$ ", ENV: "/dev/null", LANG: "C.UTF-8" };
    const { paneId } = await client.ok("create-session", { command, environment, width: 80, height: 24 });
    await client.ok("execute-command", { paneId, command: first });
    const line = new ShellLine(world, paneId);
    await line.settled();
    return line;
  }

  async literal(text: string): Promise<void> {
    await this.#world.tmux("send-keys", "-t", this.paneId, "-l", text);
  }

  async keys(...names: string[]): Promise<void> {
    await this.#world.tmux("send-keys", "-t", this.paneId, ...names);
  }

  /** Screen and cursor of the pane, without blanks at line ends. */
  async shown(): Promise<string> {
    const at = ["-p", "-t", this.paneId];
    const text = await this.#world.tmux(
      ...["display-message", ...at, "#{cursor_x},#{cursor_y}", ";"],
      ...["capture-pane", ...at, "-J", "-S", "-100"],
    );
    const [cursor, ...lines] = text.replaceAll(/ +$/gm, "").trimEnd().split("\n");
    return `${lines.join("\n")}\n${cursor}`;
  }

  /** The same, once it hasn't changed for some polls. */
  async settled(): Promise<string> {
    let last = "";
    let same = 0;
    await until(async () => {
      const text = await this.shown();
      same = text === last ? same + 1 : 0;
      last = text;
      return same === 2;
    }, SETTLED_MS);
    return last;
  }

  /**
   * @throws if the pane doesn't show it in time
   */
  async until(is: (shown: string) => boolean, what: string): Promise<void> {
    let last = "";
    await until(async () => is(last = await this.shown()), POLL_MS).catch(() => {
      throw new Error(`never ${what}:\n${last}`);
    });
  }
}
