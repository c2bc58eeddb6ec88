// Where attempts are made: a session that is allowed, one that is not, and a file that only a bypass would make.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type TestClient, World } from "../support/world.ts";

export type Call = readonly [tool: string, args?: Readonly<Record<string, unknown>>];

/** One way around a policy: calls of which the last must be denied; the ones before it prepare it, and may be denied too. */
export interface Attempt {
  readonly name: string;
  calls(stage: Stage): readonly Call[];
  /** What the denial names; left out where it is the table's. */
  readonly denied?: RegExp;
}

export interface Table {
  /** What the attempts are made against. */
  readonly policy: string;
  /** Lines of the configuration file. */
  readonly settings: string;
  readonly args?: readonly string[];
  /** The setting that every denial names. */
  readonly denied: RegExp;
  readonly attempts: readonly Attempt[];
  /** What must be so when all have been made, besides that there is no canary. */
  proof?(stage: Stage): Promise<void>;
}

export class Stage implements AsyncDisposable {
  readonly world: World;
  readonly client: TestClient;
  /** Made by nothing but a command that got through. */
  readonly canary: string;
  /** A bash at its prompt in the session "in". */
  readonly inside: string;
  /** A bash at its prompt in the session "out". */
  readonly outside: string;

  constructor(world: World, client: TestClient, panes: readonly [string, string]) {
    this.world = world;
    this.client = client;
    this.canary = `${world.folder}/canary`;
    [this.inside, this.outside] = panes;
  }

  static async open({ settings, args = [] }: Pick<Table, "settings" | "args">): Promise<Stage> {
    const world = await World.create();
    const panes = [await bashIn(world, "in"), await bashIn(world, "out")] as const;
    await Deno.mkdir(`${world.folder}/allowed`);
    const file = `${world.folder}/config.toml`;
    await Deno.writeTextFile(file, settings.replaceAll("FOLDER", world.folder));
    return new Stage(world, await world.serve({ args: ["--config", file, ...args] }), panes);
  }

  async attempt({ name, calls, denied }: Attempt, otherwise: RegExp): Promise<void> {
    const all = [...calls(this)];
    const [tool, args = {}] = all.pop()!;
    for (const [before, how] of all) await this.client.call(before, { ...how });
    const { code, text } = await this.client.fails(tool, { ...args });
    assertEquals([name, code], [name, "denied"], text);
    assertMatch(text, denied ?? otherwise, name);
  }

  /** Whatever was typed into a pane's shell has run once a person's own command there has; that there is no canary is then proof. */
  async checkCanary(): Promise<void> {
    for (const pane of [this.inside, this.outside]) {
      await this.world.tmux("send-keys", "-t", pane, "C-c");
      await this.world.tmux(
        "send-keys",
        "-t",
        pane,
        "-l",
        `tmux -S ${this.world.socket} wait-for -S done${pane.slice(1)}`,
      );
      await this.world.tmux("send-keys", "-t", pane, "Enter");
      await this.world.tmux("wait-for", `done${pane.slice(1)}`);
    }
    assert(!await exists(this.canary), "a forbidden command has run");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

async function bashIn(world: World, session: string): Promise<string> {
  const command = "PS1='$ ' exec bash --norc --noprofile";
  const args = [
    "new-session",
    "-d",
    "-P",
    "-F",
    "#{pane_id}",
    "-s",
    session,
    "-x",
    "100",
    "-y",
    "30",
    command,
  ];
  return (await world.tmux(...args)).trim();
}
