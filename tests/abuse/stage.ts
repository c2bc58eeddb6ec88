// Stage of the attempts: a session that is allowed, one that is not, and a file that only a bypass would make.
import { assert, assertMatch } from "@std/assert";
import { type TestClient, World } from "../support/world.ts";

export type Call = readonly [tool: string, args?: Readonly<Record<string, unknown>>];

/** One way around a policy: calls of which the last must be denied; the ones before it prepare it, and may be denied too. */
export interface Attempt {
  readonly name: string;
  calls(stage: Stage): readonly Call[];
  /** Setting that the denial names; left out where it is the table's. */
  readonly denied?: RegExp;
}

export interface Table {
  /** Settings that the attempts meet, in words. */
  readonly policy: string;
  /** Lines of the configuration file. */
  readonly settings: string;
  readonly args?: readonly string[];
  /** The setting that every denial names. */
  readonly denied: RegExp;
  /** Any call of an attempt may be the one that is denied: then the keys of the others have no effect. */
  readonly piecemeal?: boolean;
  /** Objects to begin with, in addition to two sessions with a shell each. */
  furnish?(stage: Stage): Promise<void>;
  readonly attempts: readonly Attempt[];
  /** Checked when all calls have been made, in addition to the absence of a canary. */
  proof?(stage: Stage): Promise<void>;
}

/** Beginning of each call's answer that a failed attempt reports. */
const ANSWER_CHARS = 300;

export class Stage implements AsyncDisposable {
  readonly world: World;
  readonly client: TestClient;
  /** File that only a command that got through creates. */
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

  async attempt({ name, calls, denied }: Attempt, table: Pick<Table, "denied" | "piecemeal">): Promise<void> {
    const denials: string[] = [];
    const answers: string[] = [];
    let last: string | undefined;
    for (const [tool, args = {}] of calls(this)) {
      const { isError, content, _meta } = await this.client.call(tool, { ...args });
      answers.push(`${tool}: ${content[0]?.text?.slice(0, ANSWER_CHARS)}`);
      last = isError && _meta?.["tmux-mcp/error"]?.code === "denied" ? content[0]?.text : undefined;
      if (last !== undefined) denials.push(last);
      else if (isError) last = `not denied: ${content[0]?.text}`;
    }
    const outcome = (table.piecemeal ? denials.at(-1) : last) ?? "not denied";
    assertMatch(outcome, denied ?? table.denied, `${name}: ${outcome}\n${answers.join("\n")}`);
  }

  /** Whatever was typed into a pane's shell has run once a person's own command there has; that there is no canary is then proof. */
  async checkCanary(): Promise<void> {
    for (const pane of [this.inside, this.outside]) {
      let answered = false;
      for (let left = 20; left > 0 && !answered; left--) {
        answered = await this.#answers(pane, `done${pane.slice(1)}-${left}`);
      }
      assert(answered, `the shell of ${pane} does not answer any more`);
    }
    assert(!await exists(this.canary), "a forbidden command has run");
  }

  /** Types only at a bare prompt: text right after Ctrl-C is lost with the line. */
  async #answers(pane: string, channel: string): Promise<boolean> {
    const { socket, env } = this.world;
    const shown = (await this.world.tmux("capture-pane", "-p", "-t", pane)).trimEnd().split("\n").at(-1)
      ?.trimEnd();
    if (shown !== "$") {
      await this.world.tmux("send-keys", "-t", pane, "C-c");
      await new Promise((resolve) => setTimeout(resolve, 300));
      return false;
    }
    await this.world.tmux("send-keys", "-t", pane, "-l", `tmux -S ${socket} wait-for -S ${channel}`);
    await this.world.tmux("send-keys", "-t", pane, "Enter");
    const args = ["3", "tmux", "-S", socket, "wait-for", channel];
    return (await new Deno.Command("timeout", { args, env, clearEnv: true, stdin: "null" }).output()).success;
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
