// Watches of dead processes that are taken over while tmux, or a descriptor to ask it with, is missing for a moment.
import { assertEquals } from "@std/assert";
import { AppError, noDescriptor, notFound } from "../../src/errors.ts";
import type { RecoveredCommands } from "../../src/commands/durable/recovered_commands.ts";
import { ResumedWatches } from "../../src/durable/resumed_watches.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { Inbox, type WatchResult } from "../../src/watch/inbox.ts";
import type { FiredEvent } from "../../src/watch/watch.ts";
import type { StoredWatch } from "../../src/watch/watch_records.ts";
import type { Watches } from "../../src/watch/watches.ts";
import { HurriedClock } from "../support/hurried_clock.ts";

const WATCH: StoredWatch = {
  id: "w1-6ec00af4-21508-1795945417",
  paneIds: ["%0", "%1"],
  triggers: [{ kind: "pattern", event: "pattern:needle", source: "needle" }],
  started: Date.now(),
  timeout: 3600,
  cursors: { "%0": "cursor", "%1": "cursor" },
};

interface Faults {
  /** Errors with which the panes are not found, then. */
  panes?: Error[];
  /** Errors with which their output is not read, then. */
  output?: Error[];
}

/** Takes a watch over whose panes have printed what it waits for. Returns its event, and in which way it came. */
async function takenOver({ panes = [], output = [] }: Faults): Promise<unknown> {
  using _ = new HurriedClock();
  const event = Promise.withResolvers<unknown>();
  const filed = Promise.withResolvers<void>();
  const watches = {
    inbox: new Inbox(),
    runs: () => true,
    file: (_id: string, { event: name }: WatchResult) => event.resolve(`filed ${name}`),
    fire(_id: string, { event: name }: FiredEvent) {
      event.resolve(`fired ${name}`);
      filed.resolve();
    },
    paneSource() {
      const error = panes.shift();
      return error ? Promise.reject(error) : Promise.resolve({ panes: [] });
    },
    runInBackground: () => Promise.resolve({ filed: filed.promise }),
  } as unknown as Watches;
  const since = { lines: ["a needle"], truncated: false, cursor: "cursor" };
  const read = () => {
    const error = output.shift();
    return error ? Promise.reject(error) : Promise.resolve(since);
  };
  const tmux = {
    machine: {},
    servers: { runs: () => Promise.resolve(true) },
    capture: { cursor: () => Promise.resolve("cursor"), rowOf: () => 0, since: read },
  } as unknown as Tmux;
  const commands = { list: () => [] } as unknown as RecoveredCommands;
  const options = { watches, commands, sweep() {}, errorPattern: "", errorIgnorePattern: "" };
  const resumed = new ResumedWatches(options);
  await resumed.takeOver([WATCH], tmux);
  return await event.promise.finally(() => resumed.close());
}

const SILENT = new AppError("timeout", "No answer from tmux in 5000 ms");
const FULL = noDescriptor("Cannot start tmux");

Deno.test("a watch is continued once it can be, and misses nothing", async () => {
  const fired = "fired pattern:needle";
  assertEquals(await takenOver({}), fired);
  assertEquals(await takenOver({ panes: [SILENT, FULL] }), fired);
  assertEquals(await takenOver({ output: [SILENT, FULL] }), fired);
});

Deno.test("a watch whose pane was closed ends with what fired it before, once that can be read", async () => {
  const closed = notFound("pane", "%1");
  assertEquals(await takenOver({ panes: [closed, closed], output: [SILENT] }), "filed pattern:needle");
  assertEquals(await takenOver({ panes: [closed], output: [closed, closed] }), "filed gone");
});
