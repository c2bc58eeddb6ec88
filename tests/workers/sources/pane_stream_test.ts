// A stream whose pane is elsewhere, or nowhere, by the time that a client attaches.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError, sentCode } from "../../../src/errors.ts";
import type { Ending } from "../../../src/process/ending.ts";
import {
  type PaneListener,
  type PaneLocation,
  type PaneSource,
  Refusal,
} from "../../../workers/sources/pane_source.ts";
import { type PaneReader, PaneStream } from "../../../workers/sources/pane_stream.ts";

const REPLY = { failed: false, printed: "" };

/** A source in session $1, which ends as soon as it is followed, or in another, which works. */
function sourceIn(sessionId: string, listed: string): PaneSource {
  let closed = false;
  return {
    serves: (id: string) => id === sessionId,
    get closed() {
      return closed;
    },
    follow(_paneId: string, listener: PaneListener) {
      if (sessionId !== "$1") return Promise.resolve();
      closed = true;
      listener.changed();
      return Promise.reject(new AppError("gone", "the session ended"));
    },
    leave: () => Promise.resolve(),
    send: (_paneId: string, _commands: unknown, onReply?: (answer: unknown) => void) => {
      const answer = { ...REPLY, text: listed };
      onReply?.(answer);
      return Promise.resolve(answer);
    },
    sync: () => Promise.resolve(),
  } as unknown as PaneSource;
}

/** A stream of a pane that was in session $1; tmux now lists it like this. Returns the sessions it was followed in, and gaps. */
async function begin(listed: string): Promise<string[]> {
  const seen: string[] = [];
  const reader = {
    sized() {},
    gap: () => seen.push("gap"),
    missed() {},
    ended: () => Promise.resolve(),
    failed() {},
  };
  const stream = new PaneStream(
    {
      pane: { paneId: "%1", panePid: 10, sessionId: "$1", columns: 80 },
      spec: { server: { bin: "false", socketArgs: [], env: {} }, lingerMs: 0 },
      sourceOf({ sessionId }: PaneLocation) {
        seen.push(sessionId);
        return sourceIn(sessionId, listed);
      },
      reader: reader as unknown as PaneReader,
    } as unknown as ConstructorParameters<typeof PaneStream>[0],
  );
  await stream.begin().finally(() => stream.leave({ atOnce: true }));
  return seen;
}

Deno.test("a stream begins in the session that its pane has moved to, and has missed nothing", async () => {
  assertEquals(await begin("$2 10 80 24 0\n"), ["$1", "$2"]);
});

Deno.test("a stream whose client can't attach, or whose pane is gone, does not begin", async () => {
  await assertRejects(() => begin("$1 10 80 24 0\n"), Refusal);
  await assertRejects(() => begin("$2 11 80 24 0\n"), AppError, "the session ended");
  await assertRejects(() => begin(""), AppError, "the session ended");
});

/** Returns the ending of a dead pane whose status tmux lists from this time on, if the kernel reports this ending. */
async function endingOf(listing: number, kernelEnding?: Ending): Promise<unknown> {
  let listings = 0;
  const source = { ...sourceIn("$2", ""), closed: false, settle: () => Promise.resolve() };
  const send = (_paneId: string, [command]: readonly (readonly string[])[]) => {
    if (command?.[0] !== "list-panes") return Promise.resolve({ ...REPLY, text: "" });
    const status = ++listings < listing ? "" : " 3";
    return Promise.resolve({ ...REPLY, text: `$2 10 80 24 1${status}\n` });
  };
  const ended = Promise.withResolvers<unknown>();
  const reader = {
    kernelEnding,
    died: () => Promise.resolve(),
    ended: (ending: unknown) => Promise.resolve(ended.resolve(ending)),
    failed: ended.reject,
  };
  const stream = new PaneStream(
    {
      pane: { paneId: "%1", panePid: 10, sessionId: "$2", columns: 80 },
      spec: { server: { bin: "false", socketArgs: [], env: {} }, lingerMs: 0 },
      sourceOf: () => ({ ...source, send }),
      reader,
    } as unknown as ConstructorParameters<typeof PaneStream>[0],
  );
  await stream.begin();
  stream.changed();
  return await ended.promise.finally(() => stream.leave({ atOnce: true }));
}

Deno.test("the ending of a dead pane is known though tmux is slow to collect its process", async () => {
  assertEquals(await endingOf(9), { exitCode: 3 });
});

Deno.test("tmux is not asked much longer about a pane whose process it has collected", async () => {
  assertEquals(await endingOf(6, {}), { exitCode: 3 });
  assertEquals(await endingOf(7, {}), {});
});

Deno.test("tmux is not asked about a pane whose ending the kernel has reported", async () => {
  assertEquals(await endingOf(2, { exitCode: 3 }), {});
});

/** Returns what becomes of a stream whose client has ended, where tmux is asked in this way. */
async function checked(server: Record<string, unknown>): Promise<unknown> {
  const outcome = Promise.withResolvers<unknown>();
  const source = {
    ...sourceIn("$2", ""),
    closed: true,
    send: () => Promise.reject(new AppError("gone", "the client ended")),
  };
  const reader = {
    ended: () => Promise.resolve(outcome.resolve("ended")),
    failed: (error: unknown) => outcome.resolve(sentCode(error)),
  };
  const stream = new PaneStream(
    {
      pane: { paneId: "%1", panePid: 10, sessionId: "$2", columns: 80 },
      spec: { server: { socketArgs: [], env: {}, ...server }, lingerMs: 0 },
      sourceOf: () => source,
      reader,
    } as unknown as ConstructorParameters<typeof PaneStream>[0],
  );
  stream.changed();
  return await outcome.promise.finally(() => stream.leave({ atOnce: true }));
}

Deno.test("a pane has ended with its tmux server, and not because tmux or its host can't be asked", async () => {
  const ssh = (said: string) => {
    const args = ["-c", `echo '${said}' >&2; exit 255`];
    return { bin: "tmux", via: { host: "far", bin: "sh", args, env: {} } };
  };
  assertEquals(await checked({ bin: "false" }), "tmux-error");
  assertEquals(await checked(ssh("connect to host far port 22: Connection refused")), "tmux-unavailable");
  assertEquals(await checked(ssh("Connection closed by remote host")), "tmux-unavailable");
  assertEquals(
    await checked({ bin: "tmux", socketArgs: ["-S", "/none/sock"], env: { PATH: Deno.env.get("PATH") } }),
    "ended",
  );
});
