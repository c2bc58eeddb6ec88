// A person at a terminal: a real tmux client in a pane of a separate tmux, with the person's keys and screen.
import { until } from "./until.ts";
import { inOneLine, World } from "./world.ts";

export class PersonAtTerminal implements AsyncDisposable {
  readonly #world: World;
  readonly #own: World;
  readonly #bytes: string;

  private constructor(world: World, own: World) {
    this.#world = world;
    this.#own = own;
    this.#bytes = `${own.folder}/bytes`;
  }

  /** Attaches to a session, or runs the command line that the person got. */
  static async attach(
    world: World,
    { session, line = `tmux -S ${world.socket} attach -t '=${session}'`, columns = 80, rows = 24 }: {
      session?: string;
      line?: string;
      columns?: number;
      rows?: number;
    },
  ): Promise<PersonAtTerminal> {
    const person = new PersonAtTerminal(world, await World.create());
    const size = ["-x", `${columns}`, "-y", `${rows}`];
    const own = person.#own;
    const commands = [
      ["new-session", "-d", ...size, "cat"],
      ["set-option", "-g", "status", "off"],
      ["set-option", "-g", "remain-on-exit", "on"],
      ["pipe-pane", `cat >${person.#bytes}`],
      ["respawn-pane", "-k", `unset TMUX; exec ${line}`],
      ["display-message", "-p", "#{pane_tty}"],
    ];
    const tty = (await own.tmux(...inOneLine(commands))).trim();
    await person.#until(async () => (await clientTtys(world)).includes(tty), "attached");
    return person;
  }

  /** The person's screen, including the status line at the end. */
  async screen(): Promise<string> {
    return (await this.#own.tmux("capture-pane", "-p")).trimEnd();
  }

  async untilScreen(pattern: RegExp): Promise<string> {
    let screen = "";
    await this.#until(async () => pattern.test(screen = await this.screen()), `${pattern}`, () => screen);
    return screen;
  }

  /**
   * Settles once the person is asked this; on tmux 3.2, which can't show messages to a particular client, it
   * checks the mark on the pane.
   */
  async untilAsked(question: RegExp): Promise<void> {
    const isShown = await this.#world.isTmux(3, 3);
    const asked = () =>
      isShown ? this.screen() : this.#world.tmux("list-panes", "-a", "-F", "#{@tmux_mcp_waiting}");
    let shown = "";
    await this.#until(async () => question.test(shown = await asked()), `${question}`, () => shown);
  }

  /** Settles once the person is no longer asked. */
  async untilAnswered(): Promise<void> {
    const asked = () => this.#world.tmux("list-panes", "-a", "-F", "#{@tmux_mcp_waiting}");
    await this.#until(async () => (await asked()).trim() === "", "answered");
  }

  /** Types keys by tmux's names. */
  async press(...keys: string[]): Promise<void> {
    await this.#own.tmux("send-keys", ...keys);
  }

  async type(text: string): Promise<void> {
    await this.#own.tmux("send-keys", "-l", text, ";", "send-keys", "Enter");
  }

  /** Every byte that reached the person's terminal. */
  async bytes(): Promise<string> {
    return await Deno.readTextFile(this.#bytes).catch(() => "");
  }

  async #until(isSo: () => Promise<boolean>, what: string, shown = () => ""): Promise<void> {
    await until(isSo, 10).catch((cause) => {
      throw new Error(`${what}: ${cause.message}\n${shown()}`, { cause });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own[Symbol.asyncDispose]();
  }
}

async function clientTtys(world: World): Promise<string[]> {
  const listed = await world.tmux("list-clients", "-F", "#{client_tty}").catch(() => "");
  return listed.split("\n");
}
