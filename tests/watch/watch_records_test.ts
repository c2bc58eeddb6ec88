// The record of a background watch, from its beginning to its end.
import { assert, assertEquals } from "@std/assert";
import { AppError, ShuttingDown } from "../../src/errors.ts";
import type { RecordStore } from "../../src/records/record_store.ts";
import { type StoredWatch, WatchRecords } from "../../src/watch/watch_records.ts";
import type { FollowHandlers } from "../../src/watch/follow.ts";
import type { FoundPane } from "../../src/watch/pane_refs.ts";
import { Watches, type WatchesOptions, type WatchRequest } from "../../src/watch/watches.ts";
import type { WatchSource } from "../../src/watch/watch_source.ts";
import { HurriedClock } from "../support/hurried_clock.ts";
import { newStore } from "../commands/durable/stored_commands.ts";

const PANE = { paneId: "%0", serverKey: "1234-1700000000", dead: false };
const REQUEST = {
  tmux: {
    capture: { cursor: () => Promise.reject(new Error("no tmux")) },
    socketPath: "/tmp/none",
    machine: {},
  },
  triggers: [{ kind: "exit", event: "exit" }],
  timeout: 60,
} as unknown as WatchRequest;

const NO_CURSOR = () => ({ commands: [], fetch: () => Promise.reject(new Error("no tmux")) });

function watchesOn(store: RecordStore, more: Partial<WatchesOptions> = {}): Watches {
  return new Watches({
    token: store.ids.token,
    supervisor: { newWatchId: (key: string) => store.ids.next("w", key) },
    cursor: NO_CURSOR,
    records: new WatchRecords(store),
    ...more,
  } as unknown as WatchesOptions);
}

/** A source whose follow has begun, with what the follow reports to. */
function followed(): { source: WatchSource; reports: Promise<FollowHandlers> } {
  const { promise: reports, resolve } = Promise.withResolvers<FollowHandlers>();
  const source = {
    panes: [PANE],
    begin: (_id: string, _part: unknown, handlers: FollowHandlers) => {
      resolve(handlers);
      const handle = { report: () => Promise.reject(new Error("no worker")) };
      return Promise.resolve({ handle, end: () => {}, ids: {} });
    },
  } as unknown as WatchSource;
  return { source, reports };
}

Deno.test("a background watch whose worker crashes is over on disk too, so that no later server continues it", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const watches = watchesOn(store);
  const { source, reports } = followed();
  const { watchId, filed } = await watches.runInBackground(source, REQUEST);
  (await reports).failed(new AppError("internal", "The watch worker crashed"));
  await filed;
  const { ended, result } = store.read<StoredWatch>(watchId)!;
  assertEquals([typeof ended, result?.event, result?.detail], [
    "number",
    "internal",
    "The watch worker crashed",
  ]);
  assertEquals(watches.inbox.holds(watchId), true);
  await Deno.remove(root, { recursive: true });
});

Deno.test("a background watch that the end of its process stops is no event: a later server continues it", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const pushed: string[] = [];
  const records = new WatchRecords(store);
  const watches = watchesOn(store, { records, push: ({ watchId }) => void pushed.push(watchId) });
  const { source, reports } = followed();
  const { watchId, filed } = await watches.runInBackground(source, REQUEST);
  records.detach();
  (await reports).failed(new ShuttingDown());
  await filed;
  assertEquals([pushed, watches.inbox.holds(watchId)], [[], false]);
  assertEquals(store.read<StoredWatch>(watchId)!.ended, undefined);
  await Deno.remove(root, { recursive: true });
});

Deno.test("a watch that a dead process began counts from there, and still has a moment after its deadline", async () => {
  const { source } = followed();
  const ids = { commandId: "c1" };
  const { tmux, triggers } = REQUEST;
  const stored = { id: "w1", started: Date.now() - 7_200_000 } as StoredWatch;
  using clock = new HurriedClock();
  const watches = new Watches({ cursor: NO_CURSOR } as unknown as WatchesOptions);
  const request = { tmux, triggers, timeout: 3600, watchId: "w1", stored, held: Promise.resolve() };
  const result = await watches.run({ ...source, ids }, request, new AbortController().signal);
  assertEquals([result.event, result.detail, result.commandId], [
    "timeout",
    "No trigger fired in 3600 s",
    "c1",
  ]);
  assert(result.elapsed >= 7200, String(result.elapsed));
  assertEquals(clock.asked[0], 5000);
});

Deno.test("the programs of all panes of a watch are asked about at once", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const pids = [10, 20, 30];
  const all = Promise.withResolvers<void>();
  let asked = 0;
  const inspect = async ({ panePid }: { panePid: number }) => {
    if (++asked === pids.length) all.resolve();
    await all.promise;
    return { foregroundPid: panePid + 1, foregroundGroup: panePid + 1 };
  };
  const inspector = { inspect, startTime: (pid: number) => Promise.resolve(`since ${pid}`) };
  const tmux = { ...REQUEST.tmux, machine: { inspector } } as unknown as WatchRequest["tmux"];
  const panes = pids.map((panePid) => ({ ...PANE, panePid, paneId: `%${panePid}` }) as unknown as FoundPane);
  const { triggers } = REQUEST;
  const id = store.ids.next("w", PANE.serverKey);
  await new WatchRecords(store).began({ id, triggers: [...triggers], timeout: 60, panes }, tmux);
  const { fronts } = store.read<StoredWatch>(id)!;
  assertEquals(fronts?.["%30"], { pid: 31, startTime: "since 31", group: 31 });
  assertEquals(Object.keys(fronts ?? {}).sort(), ["%10", "%20", "%30"]);
  await Deno.remove(root, { recursive: true });
});
