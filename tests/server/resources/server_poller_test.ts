// Changes of a tmux server, as a poller reports them.
import { assert, assertEquals } from "@std/assert";
import { ServerPoller } from "../../../src/server/resources/server_poller.ts";
import { RowCodec } from "../../../src/tmux/row_codec.ts";
import type { Tmux } from "../../../src/tmux/tmux.ts";
import { HurriedClock } from "../../support/hurried_clock.ts";
import { until } from "../../support/until.ts";

const codec = new RowCodec();

/** A tmux server with one pane; `polls` has what each poll reads, an error if it fails. */
function serverOf(polls: (string | Error)[], host?: string): Tmux {
  const runIfServer = (): Promise<string> => {
    const next = polls.length > 1 ? polls.shift()! : polls[0]!;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  const clients = { list: () => Promise.resolve([]) };
  return { runIfServer, codec, clients, machine: { host } } as unknown as Tmux;
}

/** Output of a poll at this second of tmux's clock, of a pane that last printed in the second 100. */
function pollAt(now: number): string {
  const rows = [{ id: "%0", place: "$0 main", printed: "100 0 0 0 0" }, { now: String(now) }];
  return rows.map((row) => `${codec.format(row)}\n`).join("");
}

const LONG_AGO = pollAt(200);

for (
  const { first, seen } of [
    { first: new Error("timeout"), seen: ["changed", "%0"] },
    { first: LONG_AGO, seen: [] },
  ]
) {
  Deno.test(`a first poll that ${first instanceof Error ? "fails" : "succeeds"} reports ${seen.length} changes later`, async () => {
    const reported: string[] = [];
    const polls = [first, LONG_AGO, LONG_AGO, LONG_AGO];
    const poller = new ServerPoller({
      tmux: serverOf(polls),
      changed: () => reported.push("changed"),
      printed: (paneId) => reported.push(paneId),
    });
    try {
      await poller.follow(new Set(["%0"]));
      await until(() => polls.length === 1);
      assertEquals(reported, seen);
    } finally {
      poller.stop();
    }
  });
}

Deno.test("a pane is read again after the second in which it printed, whatever the clock here says", async () => {
  const reported: string[] = [];
  const polls = [pollAt(100), pollAt(100), pollAt(101), LONG_AGO, LONG_AGO];
  const poller = new ServerPoller({
    tmux: serverOf(polls),
    changed: () => reported.push("changed"),
    printed: () => reported.push(`${polls.length} left`),
  });
  try {
    await poller.follow(new Set(["%0"]));
    await until(() => polls.length === 1);
    assertEquals(reported, ["3 left", "2 left"]);
  } finally {
    poller.stop();
  }
});

Deno.test("a host that can't be reached is polled less and less often", async () => {
  using clock = new HurriedClock();
  const tmux = serverOf([new Error("it refused the login")], "far");
  const poller = new ServerPoller({ tmux, changed() {}, printed() {} });
  // The test's own pauses are shorter.
  const pauses = (): number[] => clock.asked.filter((ms) => ms >= 250);
  await poller.follow(new Set());
  await until(() => pauses().length >= 7);
  poller.stop();
  assert(pauses()[6]! >= 60_000, `${pauses()}`);
});
