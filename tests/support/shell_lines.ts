// A shell at whose prompt a person has begun to type, and the content of its pane.
import type { TestClient, World } from "./world.ts";
import { until } from "./until.ts";

/** First pause between polls: each takes a process, and the shell needs the CPU too. */
const POLL_MS = 20;
/** Pause (seconds) between looks at a pane that is to settle. */
const SETTLING = "0.08";
const LOOK = "= look =";

/** Its pane closes with the scope: each call of the server, and tmux itself, takes longer with many panes. */
export class ShellLine implements AsyncDisposable {
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

  /** Types a line and presses Enter. */
  async enter(text: string): Promise<void> {
    const at = ["-t", this.paneId];
    await this.#world.tmux("send-keys", ...at, "-l", text, ";", "send-keys", ...at, "Enter");
  }

  async keys(...names: string[]): Promise<void> {
    await this.#world.tmux("send-keys", "-t", this.paneId, ...names);
  }

  /** Screen and cursor of the pane, without blanks at line ends. */
  async shown(): Promise<string> {
    return readLook(await this.#world.tmux(...this.#look()));
  }

  /** Arguments with which tmux prints the cursor and the screen. */
  #look(): string[] {
    const at = ["-p", "-t", this.paneId];
    return [
      ...["display-message", ...at, "#{cursor_x},#{cursor_y}", ";"],
      ...["capture-pane", ...at, "-J", "-S", "-100"],
    ];
  }

  /** The same, once it hasn't changed for some looks, which are those of one process. */
  async settled(): Promise<string> {
    const pause = [";", "run-shell", "-d", SETTLING, ";", "display-message", "-p", LOOK, ";"];
    const looks = [...this.#look(), ...pause, ...this.#look(), ...pause, ...this.#look()];
    let last = "";
    await until(async () => {
      const shown = (await this.#world.tmux(...looks)).split(`${LOOK}\n`).map(readLook);
      last = shown.at(-1)!;
      return shown.every((each) => each === last);
    }, POLL_MS);
    return last;
  }

  /** Has the shell show its prompt on a screen without what was there before. */
  async renew(): Promise<void> {
    const at = ["-t", this.paneId];
    await this.#world.tmux(
      ...["send-keys", "-R", ...at, ";", "clear-history", ...at, ";", "send-keys", ...at, "Enter"],
    );
    await this.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world.tmux("kill-pane", "-t", this.paneId).catch(() => {});
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

function readLook(text: string): string {
  const [cursor, ...lines] = text.replaceAll(/ +$/gm, "").trimEnd().split("\n");
  return `${lines.join("\n")}\n${cursor}`;
}
