// A follow as its owner holds it, with workers that do nothing by themselves.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { Follow, type FollowWorker } from "../../src/watch/follow.ts";
import type { FollowSpec } from "../../src/watch/protocol.ts";

const SPEC = {
  server: {},
  panes: [{ paneId: "%1" }],
  triggers: [{ kind: "bell", event: "bell" }],
  marks: { publicId: "1", secret: "2" },
  pace: { everyMs: 1 },
  handsOver: true,
  stream: true,
} as unknown as FollowSpec;

class Rig {
  asked = 0;
  readonly seen: string[] = [];
  readonly served: FollowSpec[] = [];
  readonly follow: Follow = new Follow({
    watchId: "w1",
    spec: SPEC,
    handlers: {
      failed: ({ message }) => this.seen.push(message),
      gap: ({ paneId }) => this.seen.push(`gap ${paneId}`),
      dead: () => Promise.resolve(undefined),
      asks: ({ detail }) => {
        this.asked++;
        return this.#answer?.() ?? Promise.resolve(detail === "answered");
      },
    },
    isWatch: true,
  });
  readonly posted: string[] = [];
  readonly #worker: FollowWorker = {
    start: ({ spec }) => void this.served.push(spec),
    stop: (watchId, { atOnce }) => void this.seen.push(`stop ${watchId} ${atOnce}`),
    post: ({ kind }) => void this.posted.push(kind),
    send: () => Promise.resolve(""),
    read: () => Promise.resolve(),
    report: () => Promise.reject(new Error("Nothing to report")),
  };

  readonly #answer: (() => Promise<boolean>) | undefined;

  constructor(answer?: () => Promise<boolean>) {
    this.#answer = answer;
    this.serve();
  }

  serve(): void {
    this.follow.serve(this.#worker, ({ atOnce }) => void this.seen.push(`release ${atOnce}`));
  }
}

Deno.test("a follow that is stopped before it has begun keeps nobody waiting", async () => {
  const rig = new Rig();
  rig.follow.stop();
  await assertRejects(() => rig.follow.ready, AppError, "The watch has ended");
  rig.follow.stop();
  assertEquals(rig.seen, ["release false", "stop w1 false"]);
});

Deno.test("a follow that fails is over, and says why to those who wait and to its owner", async () => {
  const rig = new Rig();
  rig.follow.fail(new AppError("gone", "No such pane"));
  await assertRejects(() => rig.follow.ready, AppError, "No such pane");
  assertEquals(rig.seen, ["release false", "stop w1 false", "No such pane"]);
});

Deno.test("a follow for which no client stays goes on without one and reports what was missed", async () => {
  const rig = new Rig();
  rig.follow.receive({ kind: "ready", watchId: "w1" });
  await rig.follow.ready;
  rig.follow.becomeUnattached();
  assertEquals(rig.seen, ["release true", "gap %1"]);
  rig.serve();
  assertEquals([rig.served[1]?.server.unattached, rig.served[1]?.resumed], [true, true]);
});

Deno.test("a follow whose watch is over begins again without its triggers, and not without its command", () => {
  const rig = new Rig();
  const ids = { watchId: "w1", paneId: "%1" };
  rig.follow.receive({ kind: "ready", watchId: "w1" });
  rig.follow.receive({ kind: "mark", ...ids, mark: { kind: "output" } });
  rig.follow.becomeUnattached();
  rig.serve();
  const { triggers, handsOver, pace, marks } = rig.served[1]!;
  assertEquals([triggers, handsOver, pace], [SPEC.triggers, SPEC.handsOver, SPEC.pace]);
  assertEquals(marks?.last?.kind, "output");
  rig.follow.receive({ kind: "event", ...ids, event: "bell", detail: "", place: 0 });
  rig.follow.becomeUnattached();
  rig.serve();
  const after = rig.served[2]!;
  assertEquals([after.triggers, after.handsOver, after.pace, after.stream], [[], undefined, undefined, true]);
  assertEquals(after.marks?.last?.kind, "output");
});

Deno.test("a follow whose watch was ended counts as a watch no more, and begins again without its triggers", () => {
  const rig = new Rig();
  assertEquals(rig.follow.isWatch, true);
  rig.follow.endWatch();
  assertEquals(rig.follow.isWatch, false);
  rig.follow.becomeUnattached();
  rig.serve();
  assertEquals([rig.served[1]?.triggers, rig.served[1]?.stream], [[], true]);
});

Deno.test("a follow whose command is taken for begun counts what comes, in another worker too", () => {
  const rig = new Rig();
  const shell = { pid: 7, seen: true };
  const ready = { kind: "ready", ready: { status: 0, flags: "", tty: "" }, shell } as const;
  rig.follow.receive({ kind: "mark", watchId: "w1", paneId: "%1", mark: ready });
  rig.follow.assumeBegun();
  assertEquals(rig.posted, ["assumeBegun"]);
  rig.follow.becomeUnattached();
  rig.serve();
  const { last } = rig.served[1]!.marks!;
  assertEquals([last?.kind, last?.shell], ["output", shell]);
});

Deno.test("a follow of a command that is over reports nothing missing as it begins again", () => {
  const rig = new Rig();
  rig.follow.receive({ kind: "ready", watchId: "w1" });
  rig.follow.receive({ kind: "mark", watchId: "w1", paneId: "%1", mark: { kind: "done", status: 0 } });
  rig.follow.becomeUnattached();
  assertEquals(rig.seen, ["release true"]);
});

Deno.test("a follow that had not begun where no client stays does not resume", () => {
  const rig = new Rig();
  rig.follow.becomeUnattached();
  rig.serve();
  assertEquals([rig.served[1]?.server.unattached, rig.served[1]?.resumed], [true, undefined]);
});

Deno.test("what the owner answers goes to the worker, and an unanswered question does not", async () => {
  const rig = new Rig();
  const ids = { watchId: "w1", paneId: "%1" };
  rig.follow.receive({ kind: "asks", ...ids, detail: "unanswered" });
  rig.follow.receive({ kind: "dead", ...ids });
  rig.follow.receive({ kind: "asks", watchId: "w1", paneId: "%2", detail: "answered" });
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(rig.posted.toSorted(), ["answered", "rest"]);
});

Deno.test("a person is asked once although another worker sees the same question meanwhile", async () => {
  const answer = Promise.withResolvers<boolean>();
  const rig = new Rig(() => answer.promise);
  const question = { kind: "asks", watchId: "w1", paneId: "%1", detail: "cat waits" } as const;
  rig.follow.receive({ kind: "ready", watchId: "w1" });
  rig.follow.receive(question);
  rig.follow.becomeUnattached();
  rig.serve();
  rig.follow.receive(question);
  answer.resolve(true);
  await answer.promise;
  await Promise.resolve();
  assertEquals([rig.asked, rig.posted], [1, ["answered"]]);
  rig.follow.receive(question);
  assertEquals(rig.asked, 2);
});
