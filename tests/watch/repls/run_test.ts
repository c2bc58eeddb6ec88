// Output that comes while the screen of a REPL is read, before anything is typed.
import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../../src/process/probe.ts";
import type { FollowHandle, FollowHandlers } from "../../../src/watch/follow.ts";
import { ReplRun, type ReplRunOptions } from "../../../src/watch/repls/run.ts";

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

Deno.test("what is printed as the screen has been read is output", async () => {
  const printed = ["a", "b", "c", "d", "e"];
  let handlers!: FollowHandlers;
  const run = new ReplRun({
    pane: { paneId: "%0" },
    inspector: { inspect: () => Promise.resolve(INSPECTION), startTime: () => Promise.resolve("1") },
    before: INSPECTION,
    startTime: "1",
    deadline: performance.now() + 10_000,
    signal: new AbortController().signal,
    returnsOnInput: false,
  } as unknown as ReplRunOptions);
  await run.begin((given) => followed(handlers = given, ["", ...printed, ">>> "].join("\r\n")));
  const { lines } = await run.step({
    typed: ["1+1"],
    type: () => Promise.resolve(print(handlers, "1+1\r\n2\r\n>>> ")),
  });
  run.end();
  assertEquals(lines, [...printed, ">>> 1+1", "2"]);
});
