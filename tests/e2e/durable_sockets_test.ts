// Background watches on a socket other than the default, whose server was killed: a later one takes them over.
import { assertEquals } from "@std/assert";
import { throughDeathsInTurn } from "../support/killed_server.ts";
import { Notices } from "../support/notices.ts";
import { testSideBySide } from "../support/side_by_side.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const apart = testSideBySide("watches at another socket, and servers of their own each");

interface SeenWatch {
  watchId: string;
  event?: string;
}

/** Two watches on a tmux server at another socket, whose server has been killed. */
class OtherSocket implements AsyncDisposable {
  readonly world: World;
  readonly other: World;
  paneId = "";
  cursor = "";
  readonly watchIds: string[] = [];

  readonly #isGiven: boolean;

  private constructor(world: World, other: World, isGiven: boolean) {
    this.world = world;
    this.other = other;
    this.#isGiven = isGiven;
  }

  /** A world that is given is its caller's. */
  static async create(given?: World): Promise<OtherSocket> {
    return new OtherSocket(given ?? await World.create(), await World.create(), given !== undefined);
  }

  /** Starts a watch for each of these words. */
  async watch(first: TestClient, words: readonly string[]): Promise<void> {
    const socket = { socket: this.other.socket };
    this.paneId = (await first.ok("create-session", { name: "proj", command: "cat", ...socket })).paneId;
    for (const word of words) {
      const watch = { paneId: this.paneId, triggers: `pattern:^${word}`, background: true, timeout: 3600 };
      this.watchIds.push((await first.ok("watch-pane", { ...watch, ...socket })).watchId);
    }
    this.cursor = (await first.ok("watch-events", {})).cursor;
  }

  async print(word: string): Promise<void> {
    await this.other.tmux("send-keys", "-t", this.paneId, word, "Enter");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isGiven) await this.world[Symbol.asyncDispose]();
    await this.other[Symbol.asyncDispose]();
  }
}

function idsOf(watches: readonly SeenWatch[]): string[] {
  return watches.map(({ watchId }) => watchId);
}

const inTurn = throughDeathsInTurn("watches at another socket whose server is killed");

inTurn(
  "a later server reads on from a cursor, follows the watches at every socket, and stops them",
  async (lives) => {
    await using there = await OtherSocket.create(lives.world);
    const first = lives.server;
    // A pane of the default socket has the same id.
    await there.watch(first, ["one", "two", "three"]);
    assertEquals(there.paneId, "%0");
    const [one, two, three] = there.watchIds as [string, string, string];
    await lives.kill();
    await there.print("one");
    const second = await lives.serve();
    const late = await second.ok("watch-events", { cursor: there.cursor, waitSeconds: 20 });
    assertEquals([idsOf(late.events), idsOf(late.active).sort()], [[one], [two, three]]);
    assertEquals(await second.ok("stop-watch", { watchId: three }), { watchId: three, stopped: true });
    await there.print("two");
    const [stopped] = (await second.ok("watch-events", { cursor: late.cursor, waitSeconds: 20, limit: 1 }))
      .events;
    const rest = await second.ok("watch-events", { waitSeconds: 20 });
    assertEquals([stopped.event, rest.events[0].event], ["cancelled", "pattern:^two"]);
  },
);

inTurn("the first call of a later server stops a watch at another socket", async (lives) => {
  await using there = await OtherSocket.create(lives.world);
  const first = lives.server;
  await there.watch(first, ["needle"]);
  const [watchId] = there.watchIds;
  await lives.kill();
  const second = await lives.serve();
  assertEquals(await second.ok("stop-watch", { watchId }), { watchId, stopped: true });
});

apart(
  "with --channel a later server pushes the event of a watch at another socket before any call",
  async () => {
    await using there = await OtherSocket.create();
    const first = await there.world.serve();
    await there.watch(first, ["needle"]);
    await first.kill();
    await there.print("needle");
    const pushed: unknown[] = [];
    await there.world.serve({ args: ["--channel"] }, {
      prepare(client) {
        client.fallbackNotificationHandler = ({ method, params }) => {
          if (method === "notifications/claude/channel") pushed.push((params?.["meta"] as SeenWatch).watchId);
          return Promise.resolve();
        };
      },
    });
    await until(() => pushed.length > 0);
    assertEquals(pushed, there.watchIds);
  },
);

apart("a server that may not use a socket leaves the watches there to others", async () => {
  await using there = await OtherSocket.create();
  const first = await there.world.serve();
  await there.watch(first, ["needle"]);
  const [watchId] = there.watchIds;
  await first.kill();
  const limited = await there.world.serve({ args: [`--allowed-sockets=${there.world.socket}`] });
  assertEquals((await limited.ok("watch-events", {})).active, []);
  assertEquals((await limited.fails("stop-watch", { watchId })).code, "gone");
  await there.print("needle");
  const next = await there.world.serve();
  assertEquals(idsOf((await next.ok("watch-events", { waitSeconds: 20 })).events), [watchId]);
  assertEquals((await limited.ok("watch-events", {})).events, []);
});

apart(
  "a server that may not use the default socket leaves it to others, and reports no changes there",
  async () => {
    await using there = await OtherSocket.create();
    const { world, other } = there;
    const first = await world.serve();
    const { paneId } = await first.ok("create-session", { command: "cat" });
    const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
    const { watchId } = await first.ok("watch-pane", watch);
    await first.kill();
    const limited = await world.serve({ args: [`--allowed-sockets=${other.socket}`] });
    await limited.ok("create-session", { socket: other.socket });
    await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
    assertEquals((await limited.ok("watch-events", { socket: other.socket })).events, []);
    const next = await world.serve();
    assertEquals(idsOf((await next.ok("watch-events", { waitSeconds: 20 })).events), [watchId]);
    const [unseen, seen] = [new Notices(limited), new Notices(next)];
    await next.client.listResources();
    // Both servers look every 2 s: between two changes that one reports, the other has looked.
    for (const count of [1, 2]) {
      await world.tmux("new-session", "-d", "-s", `s${count}`, "cat");
      await seen.until(() => seen.listChanged >= count);
    }
    assertEquals(unseen.listChanged, 0);
  },
);

apart("a cursor reads the watches at another socket though another server has taken them over", async () => {
  await using there = await OtherSocket.create();
  const [first, second] = [await there.world.serve(), await there.world.serve()];
  await there.watch(first, ["needle"]);
  await first.kill();
  await second.untilWatching();
  const later = await there.world.serve();
  const { active, cursor } = await later.ok("watch-events", { cursor: there.cursor });
  assertEquals(idsOf(active), there.watchIds);
  await there.print("needle");
  assertEquals(idsOf((await second.ok("watch-events", { waitSeconds: 20 })).events), there.watchIds);
  const { events, active: left } = await later.ok("watch-events", { cursor, waitSeconds: 20 });
  assertEquals([idsOf(events), left], [there.watchIds, []]);
});

inTurn("a watch at another socket whose tmux server has ended holds up no later server", async (lives) => {
  await using there = await OtherSocket.create(lives.world);
  const first = lives.server;
  await there.watch(first, ["needle"]);
  const [watchId] = there.watchIds;
  await lives.kill();
  await there.other.tmux("kill-server");
  const second = await lives.serve();
  assertEquals((await second.ok("watch-events", {})).active, []);
  assertEquals((await second.fails("stop-watch", { watchId })).code, "gone");
});
