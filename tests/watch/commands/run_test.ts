// No deadline of a command outlasts the mark that meets it, in whichever order tmux's answers and the marks come.
import { assertEquals } from "@std/assert";
import { bash } from "../../../src/shell/bash.ts";
import type { CommandRecord } from "../../../src/watch/commands/record.ts";
import { CommandRun } from "../../../src/watch/commands/run.ts";
import type { CommandMark, FollowSpec } from "../../../src/watch/protocol.ts";
import type { FollowHandle, FollowHandlers } from "../../../src/watch/follow.ts";
import type { Supervisor } from "../../../src/watch/supervisor.ts";
import { RecordCodec } from "../../../src/tmux/format.ts";
import type { Tmux } from "../../../src/tmux/tmux.ts";

/** Counts the timers of a second and more that are neither over nor cleared. */
class LongTimers implements Disposable {
  readonly #set = globalThis.setTimeout;
  readonly #clear = globalThis.clearTimeout;
  readonly #live = new Set<unknown>();

  constructor() {
    globalThis.setTimeout = ((run: () => void, ms?: number) => {
      const timer = this.#set(run, ms);
      if ((ms ?? 0) >= 1000) this.#live.add(timer);
      return timer;
    }) as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      this.#live.delete(timer);
      this.#clear(timer);
    };
  }

  get size(): number {
    return this.#live.size;
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = this.#set;
    globalThis.clearTimeout = this.#clear;
    for (const timer of this.#live) this.#clear(timer as number);
  }
}

/** A shell that prints its marks; `early`: before tmux has answered what they come from. */
function shell(early: boolean): { supervisor: Supervisor; tmux: Tmux } {
  const says = Promise.withResolvers<(mark: CommandMark) => unknown>();
  const answer = async (print: () => void): Promise<void> => {
    if (early) print();
    else setTimeout(print, 5);
    if (early) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const tmux = {
    target: {},
    codec: new RecordCodec(),
    checkPreconditions: () => Promise.resolve(),
    input: {
      async feed(): Promise<void> {
        const tell = await says.promise;
        await answer(() => tell({ kind: "output" } as CommandMark));
      },
    },
  } as unknown as Tmux;
  const supervisor = {
    newWatchId: () => "w1",
    follow(watchId: string, _spec: FollowSpec, { mark }: FollowHandlers): FollowHandle {
      const tell = (mark_: CommandMark): unknown =>
        mark?.({ kind: "mark", watchId, paneId: "%1", mark: mark_ });
      says.resolve(tell);
      const print = (lines: string): void => {
        if (lines.includes("Enter")) {
          tell({ kind: "ready", ready: { status: 0, flags: "", tty: "500:5" } } as CommandMark);
        }
      };
      return {
        watchId,
        ready: Promise.resolve(),
        async send(lines) {
          const text = lines.join("\n");
          await answer(() => print(text));
          return text.includes("cursor_x") ? "2 0 0 80" : "";
        },
        report: () => Promise.reject(new Error("No report")),
        stop: () => {},
      };
    },
  } as Partial<Supervisor> as Supervisor;
  return { supervisor, tmux };
}

for (const early of [false, true]) {
  Deno.test(`marks that come ${early ? "before" : "after"} tmux's answers leave no deadline`, async () => {
    using timers = new LongTimers();
    const record = {
      paneId: "%0",
      running: true,
      output: { push() {} },
      begin() {},
      openJournal() {},
      cancel: () => Promise.resolve(),
    };
    const run = new CommandRun({
      ...shell(early),
      record: record as unknown as CommandRecord,
      text: { command: "sleep 600", subshell: false, keepHistory: false },
      cursorRow: 0,
      until: performance.now() + 60_000,
      dialect: bash,
      edits: false,
      spec: () => ({}) as FollowSpec,
    });
    await run.begin();
    await new Promise((resolve) => setTimeout(resolve, 30));
    assertEquals(timers.size, 0);
  });
}
