// Tests in which a server is killed and a later one takes over: they share both, side by side or in turn.
import { sideBySide, type Step } from "./side_by_side.ts";
import { type TestClient, World } from "./world.ts";

export interface WatchEvent {
  watchId: string;
  // deno-lint-ignore no-explicit-any -- tests read fields of many shapes
  [field: string]: any;
}

type Run = (lives: Lives, t: Deno.TestContext) => Promise<void>;
type Declare = (name: string, run: Run) => void;
type Args = readonly string[];
type Declared = { name: string; run: Run };

const EVENTS_MS = 30_000;

/** Servers of one world, one after the other. What ends one or starts the next happens once all steps that share it ask. */
export class Lives {
  readonly world: World;
  readonly #args: Args;
  #server: TestClient | undefined;
  #beside: Promise<TestClient> | undefined;
  #events: WatchEvent[] = [];
  #reading: Promise<void> | undefined;
  #sharing = 0;
  #asking = 0;
  #asked = Promise.withResolvers<void>();
  #act = () => Promise.resolve();

  constructor(world: World, args: Args) {
    this.world = world;
    this.#args = args;
  }

  /** The server that runs. */
  get server(): TestClient {
    return this.#server!;
  }

  /** Runs steps at once on a server that runs. */
  async share<T>(steps: number, run: () => Promise<T>): Promise<T> {
    if (this.#server === undefined) await this.#serve();
    this.#sharing = steps;
    return await run();
  }

  /** A step that is over, or has failed, asks for nothing more. */
  leave(): void {
    this.#sharing--;
    this.#actOnceAllAsk();
  }

  /** A server that runs beside those that are killed. */
  async beside(): Promise<TestClient> {
    return await (this.#beside ??= this.world.serve({ args: this.#args }));
  }

  /** Kills the server as a crash would. */
  async kill(): Promise<void> {
    await this.#onceAllAsk(async () => {
      await this.server.kill();
      this.#server = undefined;
    });
  }

  /** Starts the next server. */
  async serve(): Promise<TestClient> {
    await this.#onceAllAsk(() => this.#serve());
    return this.server;
  }

  /** The first events of these watches that the server tells, one for each unless a number is given. */
  async eventsOf(watchIds: readonly string[], count = watchIds.length): Promise<WatchEvent[]> {
    const found = () => this.#events.filter(({ watchId }) => watchIds.includes(watchId));
    for (const late = performance.now() + EVENTS_MS; found().length < count && performance.now() < late;) {
      await (this.#reading ??= this.#read().finally(() => this.#reading = undefined));
    }
    return found();
  }

  async #read(): Promise<void> {
    const all = this.#events;
    all.push(...(await this.server.ok("watch-events", { waitSeconds: 5 })).events);
  }

  async #serve(): Promise<void> {
    this.#events = [];
    this.#server = await this.world.serve({ args: this.#args });
  }

  #onceAllAsk(act: () => Promise<void>): Promise<void> {
    const { promise } = this.#asked;
    this.#act = act;
    this.#asking++;
    this.#actOnceAllAsk();
    return promise;
  }

  #actOnceAllAsk(): void {
    if (this.#asking === 0 || this.#asking < this.#sharing) return;
    const { resolve, reject } = this.#asked;
    this.#asking = 0;
    this.#asked = Promise.withResolvers();
    this.#act().then(resolve, reject);
  }
}

/** Declares a test whose steps run at once, for those that don't mind how long their server lives. */
export function throughOneDeath(about: string, args: Args = []): Declare {
  return declareSteps(about, args, async (t, lives, declared) => {
    const steps = declared.map(({ name, run }) => ({ name, run: leaving(lives, run) }));
    await lives.share(steps.length, () => sideBySide(t, steps, steps.length));
  });
}

/** Does the same for steps that run in turn: the server that one has started is the next one's to kill. */
export function throughDeathsInTurn(about: string): Declare {
  return declareSteps(about, [], async (t, lives, declared) => {
    const steps = declared.map(({ name, run }): Step => ({
      name,
      run: (step) => lives.share(1, () => leaving(lives, run)(step)),
    }));
    await sideBySide(t, steps, 1);
  });
}

function leaving(lives: Lives, run: Run): Step["run"] {
  return (t) => run(lives, t).finally(() => lives.leave());
}

function declareSteps(
  about: string,
  args: Args,
  runAll: (t: Deno.TestContext, lives: Lives, declared: readonly Declared[]) => Promise<void>,
): Declare {
  const declared: Declared[] = [];
  Deno.test(about, async (t) => {
    await using world = await World.create();
    // Keeps tmux there when the panes of a step go.
    await world.tmux("new-session", "-d", "-s", "keep", "cat");
    await runAll(t, new Lives(world, args), declared);
  });
  return (name, run) => void declared.push({ name, run });
}
