// A follow of a command's pane, with a source that prints nothing by itself.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { delay, pollUntil } from "../../src/timer.ts";
import type { CommandMark } from "../../src/watch/protocol.ts";
import { Patterns } from "../../workers/text/patterns.ts";
import { PaneFollow } from "../../workers/pane_follow.ts";
import type { PaneFollowOptions } from "../../workers/pane_follow_options.ts";

const RUNNING = { foregroundPid: 10, foregroundGroup: 10, isAlive: true };
const ASKING = {
  ...RUNNING,
  ...{ waitingForInput: true, inputKind: "password", evidence: "read(0)", foregroundCommand: "sudo" },
};
const SPEC = { errorPattern: "x", errorIgnorePattern: "" };

function probeOf(inspection: typeof RUNNING) {
  const exitWatch = { poll: () => undefined, close: () => {} };
  return { inspect: () => inspection, startTime: () => "1", watchExit: () => exitWatch };
}

function follow(posted: string[], last?: CommandMark, given: Record<string, unknown> = {}): PaneFollow {
  const probe = probeOf(RUNNING);
  const options = {
    pane: { paneId: "%1", panePid: 10, columns: 80 },
    spec: {
      server: { socketArgs: [] },
      triggers: [],
      ...SPEC,
      marks: { publicId: "abc", secret: "f00d", ...(last && { last }) },
      stream: true,
    },
    probe,
    poller: {},
    patterns: new Patterns(),
    sourceOf: () => ({}),
    placeOfOther: () => undefined,
    pollSoon: () => {},
    post: ({ kind }: { kind: string }) => posted.push(kind),
    failed: (error: unknown) => {
      throw error;
    },
    ...given,
  };
  return new PaneFollow(options as unknown as PaneFollowOptions);
}

Deno.test("a command whose shell ended before its first mark has a gap where the pane shows no more", async () => {
  const posted: string[] = [];
  const pane = follow(posted);
  const died = pane.died();
  pane.rest(undefined);
  await died;
  assertEquals(posted, ["dead", "gap"]);
});

Deno.test("nothing is missing of a command that is over, and something may be of one that runs", () => {
  const [running, over]: string[][] = [[], []];
  follow(running!, { kind: "output" }).gap();
  follow(over!, { kind: "done", status: 0 }).gap();
  assertEquals([running, over], [["gap"], []]);
});

Deno.test("a follow whose pane can't be inspected leaves its source, and watches no process any more", () => {
  const ended: string[] = [];
  const note = (what: string) => () => void ended.push(what);
  let watched = 0;
  const watchExit = () => {
    if (watched++ > 0) throw new AppError("busy", "no file descriptor left");
    return { poll: () => undefined, close: note("closed") };
  };
  const probe = { ...probeOf(ASKING), watchExit };
  const sourceOf = () => ({
    leave: (paneId: string, _: unknown, ms: number) => note(`left ${paneId} ${ms}`)(),
  });
  const given = { probe, sourceOf, spec: { ...SPEC, triggers: [] } };
  assertThrows(() => follow([], undefined, given), AppError, "no file descriptor left");
  assertEquals(ended, ["closed", "left %1 0"]);
});

Deno.test("while a person answers, a pane that prints nothing is not asked about for `idle`", async () => {
  const posted: string[] = [];
  const [idle, input] = [{ kind: "idle", seconds: Infinity }, { kind: "user_input", event: "user_input" }];
  const probe = probeOf(ASKING);
  let settled = 0;
  const settle = () => Promise.resolve(void settled++);
  const spec = { ...SPEC, triggers: [idle, input], handsOver: true };
  const pane = follow(posted, undefined, { probe, spec, sourceOf: () => ({ settle, leave() {} }) });
  const looked = () => (pane.tick(), posted.includes("asks"));
  assertEquals(await pollUntil(looked, { ms: 5000, pauseMs: 10 }), true);
  [idle.seconds, settled] = [0, 0];
  pane.tick();
  await pane.leave({ atOnce: true });
  assertEquals([settled, posted], [0, ["asks"]]);
});

Deno.test("a report of a follow without triggers need not wait for what could fire it", async () => {
  let synced = 0;
  const sourceOf = () => ({ sync: () => Promise.resolve(void synced++) });
  await follow([], undefined, { sourceOf }).requests.catchUp();
  assertEquals(synced, 0);
});

Deno.test("a watch that is asked for its report first finds a program that has begun to ask", async () => {
  const posted: string[] = [];
  const spec = { ...SPEC, triggers: [{ kind: "user_input", event: "user_input" }] };
  const sourceOf = () => ({ settle: () => Promise.resolve(), leave() {} });
  const pane = follow(posted, undefined, { probe: probeOf(ASKING), spec, sourceOf });
  await pane.requests.catchUp();
  await pane.leave({ atOnce: true });
  assertEquals(posted, ["event"]);
});

/** Number of inspections, 60 ms apart, for which a report waits that is asked for while a program may yet ask. */
async function inspectionsFor(kind: string, shown: Record<string, unknown>, prints = false): Promise<number> {
  const [real, began] = [performance.now, performance.now()];
  let inspected = 0;
  const inspect = () => {
    if (inspected++ > 0 && prints) pane.output(new Uint8Array([0x2e]));
    return { ...ASKING, ...shown };
  };
  const spec = { ...SPEC, triggers: [{ kind, event: kind }] };
  const sourceOf = () => ({ settle: () => Promise.resolve(), sync: () => Promise.resolve(), leave() {} });
  const pane = follow([], undefined, { probe: { ...probeOf(RUNNING), inspect }, spec, sourceOf });
  performance.now = () => began + inspected * 60;
  try {
    await pane.requests.catchUp();
  } finally {
    performance.now = real;
    await pane.leave({ atOnce: true });
  }
  return inspected;
}

Deno.test("a report does not wait for a question that is no event, nor for one after its deadline", async () => {
  // Until the longest wait is over, there would be 51 inspections.
  const shell = { shell: "bash", isPrompt: false };
  assert(await inspectionsFor("exit", shell) < 8);
  const spinner = { evidence: "read(0), in a thread of its own" };
  assert(await inspectionsFor("user_input", spinner, true) < 8);
});

Deno.test("a follow that watches no program asks no machine for its programs before a report", async () => {
  let asked = 0;
  const probe = { ...probeOf(RUNNING), refresh: () => Promise.resolve(void asked++) };
  await follow([], undefined, { probe, spec: { ...SPEC, triggers: [] } }).requests.catchUp();
  assertEquals(asked, 0);
});

Deno.test("a report waits until the end of a pane's program counts, though tmux says nothing of it", async () => {
  const [real, began] = [performance.now, performance.now()];
  let polled = 0;
  const ended: { exitCode: number }[] = [];
  const exitWatch = { poll: () => (polled++, ended[0]), close: () => {} };
  const probe = { ...probeOf(RUNNING), watchExit: () => exitWatch, foregroundGroup: () => undefined };
  const alive = { failed: false, text: "$1 10 80 24 0   \n" };
  const source = {
    ...{ settle: () => delay(20), sync: () => Promise.resolve(), leave() {}, closed: false },
    ...{ serves: () => true, send: () => Promise.resolve(alive) },
  };
  const posted: string[] = [];
  const spec = { ...SPEC, triggers: [{ kind: "exit", event: "exit" }] };
  const pane = follow(posted, undefined, { probe, spec, sourceOf: () => source });
  ended.push({ exitCode: 3 });
  performance.now = () => began + polled * 20;
  try {
    await pane.requests.catchUp();
  } finally {
    performance.now = real;
    await pane.leave({ atOnce: true });
  }
  assertEquals(posted, ["event"]);
});
