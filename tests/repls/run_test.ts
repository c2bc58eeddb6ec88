// Output that comes while the screen of a REPL is read, or long after its input was typed.
import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../src/process/probe.ts";
import type { FollowHandle, FollowHandlers } from "../../src/watch/follow.ts";
import { ReplRun, type ReplRunOptions } from "../../src/repls/run.ts";

const INSPECTION: PaneInspection = {
  panePid: 1,
  foregroundPid: 1,
  foregroundCmd: "python3",
  foregroundGroup: 1,
  isAlive: true,
  waitingForInput: true,
  inputKind: "raw",
  evidence: "pselect6 on /dev/pts/1",
};

/** A follow of a pane with the prompt `>>> `; `meanwhile` comes together with the captured screen. */
function followed(handlers: FollowHandlers, meanwhile: string): FollowHandle {
  return {
    ready: Promise.resolve(),
    send: () => Promise.resolve(""),
    read(_, onRead) {
      onRead("40 10 4 0 1 0 0\n>>> \n", false);
      print(handlers, meanwhile);
      return Promise.resolve();
    },
    report: () => Promise.resolve({ output: "", outputTruncated: false, totalLines: 0, totalBytes: 0 }),
    endWatch: () => {},
    assumeBegun: () => {},
    stop: () => {},
  };
}

function print(handlers: FollowHandlers, text: string): void {
  handlers.bytes?.({ kind: "bytes", watchId: "w", paneId: "%0", bytes: new TextEncoder().encode(text) });
}

function newRun(inspector: Record<string, unknown>): ReplRun {
  return new ReplRun({
    pane: { paneId: "%0" },
    inspector: { startTime: () => Promise.resolve("1"), ...inspector },
    before: INSPECTION,
    startTime: "1",
    deadline: performance.now() + 10_000,
    signal: new AbortController().signal,
    returnsOnInput: false,
  } as unknown as ReplRunOptions);
}

Deno.test("what is printed as the screen has been read is output", async () => {
  const printed = ["a", "b", "c", "d", "e"];
  let handlers!: FollowHandlers;
  const run = newRun({ inspect: () => Promise.resolve(INSPECTION), sleeps: () => undefined });
  await run.begin((given) => followed(handlers = given, ["", ...printed, ">>> "].join("\r\n")));
  const { lines } = await run.step({
    typed: ["1+1"],
    type: () => Promise.resolve(print(handlers, "1+1\r\n2\r\n>>> ")),
  });
  run.end();
  assertEquals(lines, [...printed, ">>> 1+1", "2"]);
});

Deno.test("a program that has not woken for its input is not done with it", async () => {
  let [looks, sleeps] = [0, 1];
  let handlers!: FollowHandlers;
  const inspect = () => {
    if (++looks === 40) {
      sleeps++;
      print(handlers, "1+1\r\n2\r\n>>> ");
    }
    return Promise.resolve(INSPECTION);
  };
  const run = newRun({ inspect, sleeps: () => sleeps });
  await run.begin((given) => followed(handlers = given, ""));
  const { lines } = await run.step({ typed: ["1+1"], type: () => Promise.resolve() });
  run.end();
  assertEquals(lines, ["2"]);
});
