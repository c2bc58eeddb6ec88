// Workspaces whose panes a person has moved to other windows: what is there stays, what is missing is made.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import type { TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("workspaces whose panes a person has moved");

interface Applied {
  sessionId: string;
  windows: { windowId: string; panes: { paneId: string; status: string }[] }[];
}

/** A session of windows with some panes each, and a person who moves them. */
class Moved {
  readonly #world: World;
  readonly #client: TestClient;
  readonly windows: Applied["windows"];

  private constructor(world: World, client: TestClient, { windows }: Applied) {
    this.#world = world;
    this.#client = client;
    this.windows = windows;
  }

  static async make({ world, client }: Served, panes: Record<string, number>): Promise<Moved> {
    return new Moved(world, client, await client.ok("apply-workspace", { workspace: describe(panes) }));
  }

  /** Id of a pane, given by the numbers of its window and of itself. */
  pane(window: number, pane: number): string {
    return this.windows[window]!.panes[pane]!.paneId;
  }

  async tmux(...args: string[]): Promise<string> {
    return (await this.#world.tmux(...args)).trim();
  }

  /** Window and id of each pane. */
  async layout(): Promise<string> {
    return await this.tmux("list-panes", "-s", "-t", "work:", "-F", "#{window_id} #{pane_id} #{pane_index}");
  }

  async apply(panes: Record<string, number>): Promise<Applied> {
    return await this.#client.ok("apply-workspace", { workspace: describe(panes) });
  }

  /** Applies the workspace again, which must find all of it, and leave it as it is. */
  async checkFound(panes: Record<string, number>): Promise<void> {
    const before = await this.layout();
    const again = await this.apply(panes);
    assertEquals(
      again.windows.flatMap((window) => window.panes),
      this.windows.flatMap((window) => window.panes.map(({ paneId }) => ({ paneId, status: "found" }))),
    );
    assertEquals(await this.layout(), before);
  }
}

function describe(panes: Record<string, number>) {
  const windows = Object.entries(panes).map(([window_name, count]) => ({
    window_name,
    panes: Array(count).fill("blank"),
  }));
  return { session_name: "work", windows };
}

const PANES = { dev: 2, logs: 1 };

const MOVES: Record<string, (moved: Moved) => string[]> = {
  "the second to a window of its own": (moved) => ["break-pane", "-d", "-s", moved.pane(0, 1)],
  "the first to a window of its own": (moved) => ["break-pane", "-d", "-s", moved.pane(0, 0)],
  "one to the end of another window": (
    moved,
  ) => ["join-pane", "-d", "-s", moved.pane(0, 0), "-t", moved.pane(1, 0)],
  "all of a window to another": (
    moved,
  ) => ["join-pane", "-d", "-s", moved.pane(1, 0), "-t", moved.pane(0, 1)],
  "two for each other": (moved) => ["swap-pane", "-d", "-s", moved.pane(0, 1), "-t", moved.pane(1, 0)],
};

for (const [title, move] of Object.entries(MOVES)) {
  test(`panes that were moved to other windows are found there: ${title}`, async (served) => {
    const moved = await Moved.make(served, PANES);
    await moved.tmux(...move(moved));
    await moved.checkFound(PANES);
  });
}

test("a pane that is missing beside a moved one is made in their window", async (served) => {
  const moved = await Moved.make(served, { dev: 3 });
  await moved.tmux("break-pane", "-d", "-s", moved.pane(0, 1));
  await moved.tmux("kill-pane", "-t", moved.pane(0, 2));
  const { windows: [dev] } = await moved.apply({ dev: 3 });
  assertEquals(dev!.panes.map(({ status }) => status), ["found", "found", "made"]);
  const windowOf = (paneId: string) => moved.tmux("display-message", "-p", "-t", paneId, "#{window_id}");
  assertEquals(await windowOf(dev!.panes[2]!.paneId), dev!.windowId);
  assertEquals(dev!.windowId, moved.windows[0]!.windowId);
});

test("a window that a moved pane got is no other window of the workspace", async (served) => {
  const moved = await Moved.make(served, { dev: 2 });
  await moved.tmux("break-pane", "-d", "-n", "logs", "-s", moved.pane(0, 1));
  const { windows: [dev, logs] } = await moved.apply({ dev: 2, logs: 1 });
  assertEquals(dev!.panes.map(({ status }) => status), ["found", "found"]);
  assertEquals(logs!.panes.map(({ status }) => status), ["made"]);
});

test("a workspace that has lost its last pane gets back its first one", async (served) => {
  const moved = await Moved.make(served, { dev: 2 });
  await moved.tmux("kill-pane", "-t", moved.pane(0, 0));
  const { windows: [dev] } = await moved.apply({ dev: 1 });
  assertEquals(dev!.panes.map(({ status }) => status), ["made"]);
  assertEquals(dev!.windowId, moved.windows[0]!.windowId);
});

test("a window that a person made is completed once", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "work", "-n", "dev");
  const apply = async (): Promise<Applied["windows"][0]["panes"]> =>
    (await client.ok("apply-workspace", { workspace: describe({ dev: 2 }) })).windows[0].panes;
  const made = await apply();
  assertEquals(made.map(({ status }) => status), ["found", "made"]);
  assertEquals(await apply(), made.map(({ paneId }) => ({ paneId, status: "found" })));
});
