// Tests that need no server of their own: they share one, and run some at a time.
import { ShellPane } from "./shell_pane.ts";
import { sideBySide, type Step } from "./side_by_side.ts";
import { WAYS } from "./watching.ts";
import { type TestClient, World } from "./world.ts";

/** The shared server, and the world it runs in. */
export interface Served {
  world: World;
  client: TestClient;
}

type Declare<T> = (name: string, run: (given: T) => Promise<void>) => void;

/** Declares a test whose steps are what the returned function declares; a server costs 0.3 s of CPU. */
export function onOneServer(
  about: string,
  serve: (world: World) => Promise<TestClient> = (world) => world.serve(),
): Declare<Served> {
  const declared: { name: string; run(served: Served): Promise<void> }[] = [];
  Deno.test(about, async (t) => {
    await using world = await World.create();
    // Keeps tmux there when the pane of a step goes.
    await world.tmux("new-session", "-d", "-s", "keep", "cat");
    const served: Served = { world, client: await serve(world) };
    await sideBySide(t, declared.map(({ name, run }): Step => ({ name, run: () => run(served) })));
  });
  return (name, run) => void declared.push({ name, run });
}

/** Does the same as `onOneServer`; each step gets a pane of its own, with bash at its prompt. */
export function inPanesOfOneServer(about: string, args: readonly string[] = []): Declare<ShellPane> {
  const test = onOneServer(about, (world) => world.serve({ args }));
  return (name, run) =>
    test(name, async ({ world, client }) => await run(await ShellPane.add(world, client, "bash --norc")));
}

/** Does the same with a server for each of the two ways in which panes are followed. */
export function inPanesEachWay(about: string): Declare<ShellPane> {
  const tests = Object.entries(WAYS).map(([way, args]) => inPanesOfOneServer(`${about}, ${way}`, args));
  return (name, run) => tests.forEach((test) => test(name, run));
}
