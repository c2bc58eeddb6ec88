// A control client that tmux no longer answers is given up; one that still receives events, or whose peers get no answers either, is not.
import { quoteCommand } from "../../src/tmux/quoting.ts";
import { assert, assertEquals } from "@std/assert";
import type { Attacher } from "../../src/tmux_protocol/attacher.ts";
import { ControlClient, type ControlTarget } from "../../src/tmux/control_client.ts";
import type { ControlChannel } from "../../src/tmux_exec/control_channel.ts";
import type { Via } from "../../src/tmux/ssh/command.ts";
import { privateTmux } from "./private_tmux.ts";

/** A version whose clients attach with one command. */
const SPOKEN = { path: "/", version: "3.3a" };
const ATTACHED = "%begin 1 1 0\n%end 1 1 0\n";
const ANSWER = "%begin 1 2 1\n%end 1 2 1\n";
const OUTPUT = "%output %0 more\n";
const DETACH = '"detach-client"\n';
const COMMAND = "display-message -p ''";
/** Longer than a client that receives events may owe an answer (ms). */
const LATE_MS = 20_000;

/** A client that has attached and receives only what the test sends. */
class Muted {
  readonly client: ControlClient;
  readonly sent: string[] = [];
  readonly #over: PromiseWithResolvers<void> = Promise.withResolvers();
  #take: (bytes: Uint8Array) => void = () => {};

  constructor(target: ControlTarget, silentMs: number) {
    const over = this.#over;
    const channel: ControlChannel = {
      handle: { kind: "socket", pid: 0, fds: [] },
      write: (bytes) => {
        this.sent.push(new TextDecoder().decode(bytes));
        if (this.sent.at(-1) === DETACH) over.resolve();
      },
      read: (take) => {
        this.#take = take;
        this.tell(ATTACHED);
        return over.promise;
      },
      end() {
        over.resolve();
        return over.promise;
      },
    };
    this.client = new ControlClient({
      target,
      attacher: { attach: () => channel } as unknown as Attacher,
      sessionId: "$0",
      flags: [],
      output() {},
      notification() {},
      closed() {},
      silentMs,
    });
  }

  tell(text: string): void {
    this.#take(new TextEncoder().encode(text));
  }
}

/** A server whose every other client runs this program; `asked` is called for each. */
function asking(bin: string, asked: () => void): ControlTarget {
  return {
    get bin() {
      asked();
      return bin;
    },
    socketArgs: [],
    env: { PATH: "/usr/bin:/bin" },
    verified: SPOKEN,
  };
}

/** `performance.now`, which stands still until the test sets it. */
class Clock implements Disposable {
  now = 0;
  readonly #real = performance.now;
  #looked: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor() {
    performance.now = () => {
      this.#looked.resolve();
      return this.now;
    };
  }

  /** Settles when somebody next polls. */
  async looked(): Promise<void> {
    this.#looked = Promise.withResolvers();
    await this.#looked.promise;
  }

  [Symbol.dispose](): void {
    performance.now = this.#real;
  }
}

Deno.test("a control client that tmux does not answer, though it answers others, is given up", async () => {
  await using tmux = await privateTmux();
  const { client } = new Muted({ ...tmux.target, verified: SPOKEN }, 100);
  await client.attached;
  const reply = await client.send(COMMAND);
  assertEquals([reply.failed, reply.text, client.closed], [true, "the control client ended", true]);
});

Deno.test("a control client of a tmux that answers nobody is kept", async () => {
  let asked = 0;
  const askedAgain = Promise.withResolvers<void>();
  const { client } = new Muted(asking("false", () => ++asked > 1 && askedAgain.resolve()), 100);
  await client.attached;
  const answer = client.send(COMMAND);
  await askedAgain.promise;
  assertEquals(client.closed, false);
  await client.close();
  assertEquals((await answer).failed, true);
});

Deno.test("a control client that receives events may owe an answer for longer, and not for ever", async () => {
  using clock = new Clock();
  let asked = 0;
  const muted = new Muted(asking("true", () => asked++), 20);
  const { client } = muted;
  await client.attached;
  const answer = client.send(COMMAND);
  clock.now = LATE_MS - 1;
  muted.tell(OUTPUT);
  for (let polls = 0; polls < 2; polls++) await clock.looked();
  assertEquals([client.closed, asked], [false, 0]);
  clock.now = LATE_MS;
  muted.tell(OUTPUT);
  for (let polls = 0; polls < 100 && asked === 0; polls++) await clock.looked();
  assertEquals(asked, 1);
  assertEquals((await answer).failed, true);
});

Deno.test("a control client that had nothing to tell for long has as long to answer as any", async () => {
  using clock = new Clock();
  let asked = 0;
  const muted = new Muted(asking("true", () => asked++), 20);
  const { client } = muted;
  await client.attached;
  const first = client.send(COMMAND);
  muted.tell(ANSWER);
  clock.now = 1000;
  const second = client.send(COMMAND);
  for (let polls = 0; polls < 2; polls++) await clock.looked();
  assertEquals([(await first).failed, client.closed, asked], [false, false, 0]);
  await client.close();
  await second;
});

Deno.test("a control client that is answered while others are asked is kept, and its next answer awaited", async () => {
  using clock = new Clock();
  let asked = 0;
  const muted = new Muted(
    asking("true", () => {
      asked++;
      muted.tell(ANSWER);
      clock.now += 1000;
    }),
    20,
  );
  const { client } = muted;
  await client.attached;
  const answers = Promise.all([client.send(COMMAND), client.send(COMMAND)]);
  clock.now = 1000;
  assertEquals((await answers).map(({ failed }) => failed), [false, false]);
  assertEquals([client.closed, asked], [false, 2]);
  await client.close();
});

Deno.test("detaching is the last command of a client that leaves", async () => {
  const { client, sent } = new Muted(asking("true", () => {}), 100_000);
  await client.attached;
  const answers = [client.send(COMMAND)];
  const leaving = client.close();
  answers.push(client.send(COMMAND));
  await leaving;
  assertEquals((await Promise.all(answers)).map(({ failed }) => failed), [true, true]);
  assertEquals(sent, [`${COMMAND}\n`, DETACH]);
});

Deno.test("what tmux replies to the detaching of a client that leaves is no reply to a command sent later", async () => {
  const muted = new Muted(asking("true", () => {}), 100_000);
  const { client, sent } = muted;
  await client.attached;
  const leaving = client.close();
  const reply = client.send(COMMAND);
  muted.tell(ANSWER);
  await leaving;
  assertEquals([(await reply).failed, sent], [true, [DETACH]]);
});

Deno.test("a client on a host has longer to attach than one here: it may have to connect first", () => {
  const here: ControlTarget = { bin: "tmux", socketArgs: [], env: {}, verified: SPOKEN };
  const [near, remote] = [patienceOf(here), patienceOf({ ...here, via: {} as Via })];
  assert(remote > near, `${remote} ms on a host, ${near} ms here`);
});

/** Time that a client waits for its session (ms). */
function patienceOf(target: ControlTarget): number {
  const real = globalThis.setTimeout;
  const asked: number[] = [];
  globalThis.setTimeout = ((_: unknown, ms: number) => -asked.push(ms)) as unknown as typeof setTimeout;
  try {
    new Muted(target, 100);
  } finally {
    globalThis.setTimeout = real;
  }
  return Math.max(...asked);
}

Deno.test("of several commands sent as one the first that fails ends the rest, and each answer is its own", async () => {
  await using tmux = await privateTmux();
  const client = new ControlClient({
    target: tmux.target,
    attacher: { attach: () => undefined } as unknown as Attacher,
    sessionId: "$0",
    flags: [],
    output() {},
    notification() {},
    closed() {},
  });
  await client.attached;
  const show = (text: string): string => `display-message -p ${text}`;
  const answers = await Promise.all([
    client.sendAll([show("a"), show("b")]),
    client.sendAll([show("c"), "has-session -t =nobody", "set-option -g @ran yes"]),
    client.send("show-options -gqv @ran"),
    client.sendAll([show("x"), quoteCommand(["if-shell", "-F", "1", show("then"), show("else")])]),
    client.sendAll([quoteCommand(["if-shell", "-F", "", show("then"), show("else")]), show("e")]),
    client.send(show("d")),
  ]);
  assertEquals(answers.map(({ failed, text }) => [failed, text]), [
    [false, "b"],
    [true, "can't find session: nobody"],
    [false, ""],
    [false, "then"],
    [false, "e"],
    [false, "d"],
  ]);
  await client.close();
});
