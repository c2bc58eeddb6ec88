// The record of a background watch, from its beginning to its end.
import { assertEquals } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { RecordIds } from "../../../src/durable/record_ids.ts";
import { RecordStore } from "../../../src/durable/record_store.ts";
import { type StoredWatch, WatchRecords } from "../../../src/watch/durable/watch_records.ts";
import type { FollowHandlers } from "../../../src/watch/follow.ts";
import { Watches, type WatchesOptions, type WatchRequest } from "../../../src/watch/watches.ts";
import type { WatchSource } from "../../../src/watch/watch_source.ts";

const PANE = { paneId: "%0", serverKey: "1234-1700000000", dead: false };
const REQUEST = {
  tmux: { capture: { cursor: () => Promise.reject(new Error("no tmux")) } },
  triggers: [{ kind: "exit", event: "exit" }],
  timeout: 60,
} as unknown as WatchRequest;

function storeIn(root: string): RecordStore {
  return new RecordStore({
    ids: new RecordIds(),
    root,
    uid: Deno.uid() ?? 0,
    maxBytes: 1 << 20,
    keepHours: 48,
    owner: undefined,
    complain: () => {},
  });
}

function watchesOn(store: RecordStore): Watches {
  return new Watches({
    token: store.ids.token,
    supervisor: { newWatchId: (key: string) => store.ids.next("w", key) },
    cursor: () => ({ commands: [], fetch: () => Promise.reject(new Error("no tmux")) }),
    records: new WatchRecords(store),
    push: () => {},
  } as unknown as WatchesOptions);
}

/** A source whose follow has begun, with what the follow reports to. */
function followed(): { source: WatchSource; reports: Promise<FollowHandlers> } {
  const { promise: reports, resolve } = Promise.withResolvers<FollowHandlers>();
  const source = {
    panes: [PANE],
    begin: (_id: string, _part: unknown, handlers: FollowHandlers) => {
      resolve(handlers);
      return Promise.resolve({ handle: {}, end: () => {}, ids: {} });
    },
  } as unknown as WatchSource;
  return { source, reports };
}

Deno.test("a background watch whose worker crashes is over on disk too, so that no later server continues it", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = storeIn(root);
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
