// A stream whose pane is elsewhere, or nowhere, by the time that a client attaches.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { type PaneListener, type PaneLocation, type PaneSource, Refusal } from "../../workers/pane_source.ts";
import { type PaneReader, PaneStream } from "../../workers/pane_stream.ts";

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

Deno.test("the ending of a dead pane is known though tmux is slow to collect its process", async () => {
  const unknown = "$2 10 80 24 1\n";
  const listings = [...Array(8).fill(unknown), "$2 10 80 24 1 3\n"];
  const source = { ...sourceIn("$2", ""), closed: false, settle: () => Promise.resolve() };
  const send = () => Promise.resolve({ ...REPLY, text: listings.shift() });
  const ended = Promise.withResolvers<unknown>();
  const reader = {
    isEndingKnown: false,
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
  assertEquals(await ended.promise, { exitCode: 3 });
  await stream.leave({ atOnce: true });
});
