// Tests that need no server of their own share one: some at a time, or in turn where each needs tmux for itself.
import { AsyncLocalStorage } from "node:async_hooks";
import { pollUntil } from "../../src/timer.ts";
import { ShellPane } from "./shell_pane.ts";
import { until } from "./until.ts";
import { sideBySide, type Step } from "./side_by_side.ts";
import { WAYS } from "./watching.ts";
import { isTmuxGone, type TestClient, World } from "./world.ts";

/** The shared server, and the world it runs in. */
export interface Served {
  world: World;
  client: TestClient;
}

/** The same for steps that run in turn. */
export interface ServedInTurn extends Served {
  /** Another server, with these arguments, that the steps share too. */
  other(...args: string[]): Promise<TestClient>;
}

type Serve = (world: World) => Promise<TestClient>;
type Run<T> = (given: T, t: Deno.TestContext) => Promise<void>;
type Declare<T> = (name: string, run: Run<T>) => void;
type Declared<T> = { name: string; run: Run<T> };

/** Time (ms) for tmux to end. */
const KILLED_MS = 5000;
const serveAll: Serve = (world) => world.serve();

/** Sessions that a step's calls have created. */
const created = new AsyncLocalStorage<string[]>();

/** Has calls of a server's client note the sessions that they create. */
function noting(client: TestClient): TestClient {
  const call = client.call.bind(client);
  client.call = async (name, ...more) => {
    const answer = await call(name, ...more);
    if (name === "create-session" && !answer.isError) {
      created.getStore()?.push(answer.structuredContent.sessionId);
    }
    return answer;
  };
  return client;
}

/** Runs a step and ends the sessions that it created: among 40 panes a command takes twice as much CPU. */
async function tidily(world: World, run: () => Promise<void>): Promise<void> {
  const sessions: string[] = [];
  await created.run(sessions, run).finally(async () => {
    for (const session of sessions) await world.tmux("kill-session", "-t", session).catch(() => {});
  });
}

/** Declares a test whose steps are what the returned function declares; a server costs 0.3 s of CPU. */
export function onOneServer(about: string, serve = serveAll): Declare<Served> {
  return declareSteps<Served>(about, async (t, world, declared) => {
    // Keeps tmux there when the pane of a step goes.
    await world.tmux("new-session", "-d", "-s", "keep", "cat");
    const served = { world, client: noting(await serve(world)) };
    await sideBySide(
      t,
      declared.map(({ name, run }): Step => ({
        name,
        run: (step) => tidily(world, () => run(served, step)),
      })),
    );
  });
}

/** True once a server has noticed the end of its tmux. */
const knowsOfEnd = async (client: TestClient): Promise<boolean> =>
  (await client.call("get-server-info")).structuredContent?.alive === false;

/** Does the same for steps that run one after the other, each with a tmux that nobody has used before. */
export function inTurnOnOneServer(
  about: string,
  serve = serveAll,
  knows = knowsOfEnd,
): Declare<ServedInTurn> {
  return declareSteps<ServedInTurn>(about, async (t, world, declared) => {
    const turns = await Turns.begin(world, { serve, knows });
    for (const { name, run } of declared) await t.step(name, (step) => turns.take(run, step));
  });
}

/**
 * Does the same on several servers, each in a world of its own, for steps that wait for seconds: seven of them took 60 s on
 * one server, and 33 s on three, which cost 0.4 s of CPU more.
 */
export function inTurnOnServers(servers: number, about: string): Declare<ServedInTurn> {
  return declareSteps<ServedInTurn>(about, async (t, world, declared) => {
    await using worlds = new AsyncDisposableStack();
    const all = [world];
    while (all.length < servers) all.push(worlds.use(await World.create()));
    const how = { serve: serveAll, knows: knowsOfEnd };
    const idle = await Promise.all(all.map((each) => Turns.begin(each, how)));
    const steps = declared.map(({ name, run }): Step => ({
      name,
      run: async (step) => {
        const turns = idle.pop()!;
        await turns.take(run, step).finally(() => idle.push(turns));
      },
    }));
    await sideBySide(t, steps, servers);
  });
}

/** A world in which steps take turns. */
class Turns {
  readonly #served: ServedInTurn;
  readonly #others: Map<string, TestClient> = new Map();
  readonly #knows: typeof knowsOfEnd;

  private constructor(world: World, client: TestClient, knows: typeof knowsOfEnd) {
    this.#served = { world, client, other: (...args) => this.#other(args) };
    this.#knows = knows;
  }

  static async begin(world: World, { serve, knows }: { serve: Serve; knows: typeof knowsOfEnd }) {
    return new Turns(world, await serve(world), knows);
  }

  async take(run: Run<ServedInTurn>, step: Deno.TestContext): Promise<void> {
    const { world, client } = this.#served;
    try {
      await run(this.#served, step);
    } finally {
      await endTmux(world, [client, ...this.#others.values()], this.#knows);
    }
  }

  async #other(args: readonly string[]): Promise<TestClient> {
    const shared = this.#others.get(args.join(" ")) ?? await this.#served.world.serve({ args });
    this.#others.set(args.join(" "), shared);
    return shared;
  }
}

function declareSteps<T>(
  about: string,
  runAll: (t: Deno.TestContext, world: World, declared: readonly Declared<T>[]) => Promise<void>,
): Declare<T> {
  const declared: Declared<T>[] = [];
  Deno.test(about, async (t) => {
    await using world = await World.create();
    await runAll(t, world, declared);
  });
  return (name, run) => void declared.push({ name, run });
}

/**
 * Ends tmux, and settles once its servers know; a call that is running then fails as "gone". Until its last client has
 * left, a tmux that ends refuses the next step's first command: "server exited unexpectedly".
 */
async function endTmux(
  world: World,
  clients: readonly TestClient[],
  knows: typeof knowsOfEnd,
): Promise<void> {
  // A test's hooks may print before it.
  const printed = await world.tmux("display-message", "-p", "#{pid}").catch(() => "");
  const pid = Number(/(\d*)\s*$/.exec(printed)![1]);
  const isGone = () => isTmuxGone(world);
  await world.tmux("kill-server").catch(() => {});
  // tmux 3.2a may wait for a client that has left.
  if (pid > 0 && !await pollUntil(isGone, { ms: KILLED_MS, pauseMs: 20 })) Deno.kill(pid, "SIGKILL");
  await until(isGone);
  for (const client of clients) await until(() => knows(client));
}

/**
 * Does the same as `onOneServer`; each step gets a pane of its own, with bash at its prompt, which is closed after it:
 * calls take longer with many panes.
 */
export function inPanesOfOneServer(about: string, args: readonly string[] = []): Declare<ShellPane> {
  const test = onOneServer(about, (world) => world.serve({ args }));
  return (name, run) =>
    test(
      name,
      async ({ world, client }, t) => {
        const pane = await ShellPane.add(world, client, "bash --norc");
        await run(pane, t);
        await world.tmux("kill-pane", "-t", pane.paneId).catch(() => {});
      },
    );
}

/** Does the same with a server for each of the two ways in which panes are followed. */
export function inPanesEachWay(about: string): Declare<ShellPane> {
  const tests = Object.entries(WAYS).map(([way, args]) => inPanesOfOneServer(`${about}, ${way}`, args));
  return (name, run) => tests.forEach((test) => test(name, run));
}
