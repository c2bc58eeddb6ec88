// Between a control client and a pipe no byte is lost or told twice, whichever of them is ahead.
import { assertEquals } from "@std/assert";
import type { ControlReply } from "../../../src/tmux/control_parser.ts";
import type { ControlClient } from "../../../src/tmux/control_client.ts";
import type { Followed, Poller } from "../../../src/ffi/poller.ts";
import { PipeBypass } from "../../../workers/sources/pipe_bypass.ts";
import { until } from "../../support/until.ts";

const DONE: ControlReply = { failed: false, isOwn: true, text: "", lines: [] };

/** A tmux that answers on request, and a pipe that holds what is put there. */
class Stage implements Disposable {
  readonly said: string[] = [];
  readonly sent: string[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly bypass: PipeBypass;
  useful: boolean | undefined;
  gaps = 0;
  isPaneGone = false;
  /** True if tmux has detached the client, and answers only what it was sent before. */
  isDetached = false;
  readonly spooled: boolean[] = [];
  #piped: Uint8Array[] = [];
  #pipeReader: Followed | undefined;

  /** True if the pipe's end here is read. */
  get isRead(): boolean {
    return this.#pipeReader !== undefined;
  }

  constructor({ hasSpool = false } = {}) {
    const client = this.#client();
    const fifo = { path: "/f", fd: 9, read: (into: Uint8Array) => this.#read(into), hide() {}, close() {} };
    const poller = { follow: (pipeReader: Followed) => this.#pipeReader = pipeReader, leave() {} };
    this.bypass = new PipeBypass({
      paneId: "%1",
      client,
      ...(hasSpool &&
        { spool: { path: "/s", maxBytes: 1, spooling: (active: boolean) => this.spooled.push(active) } }),
      pipeContext: {
        fifos: { make: () => fifo },
        poller: poller as unknown as Poller,
        stamp: "",
        folder: "/",
        buffer: new Uint8Array(1024),
        processes: { isAsleep: () => true, isChild: () => false },
        signal() {},
        began() {},
        ended() {},
      },
      output: (bytes) => this.said.push(new TextDecoder().decode(bytes)),
      gap: () => this.gaps++,
      ended: (useful) => this.useful = useful,
    });
  }

  /** A control client that tmux has just attached. */
  #client(): ControlClient {
    const client = {
      attached: Promise.resolve(),
      sendAll: (_: readonly string[], told: () => void) => this.#answered("pipe", told),
      send: (line: string, onReply?: (reply: ControlReply) => void) => {
        if (!line.startsWith("display-message")) return this.#answered(nameOf(line), onReply);
        const reply = { ...DONE, failed: this.isDetached };
        onReply?.(reply);
        return Promise.resolve(reply);
      },
      sync: () => Promise.resolve(),
    };
    return client as unknown as ControlClient;
  }

  /** Another client takes the place of the one that is gone. */
  resume(): Promise<void> {
    return this.bypass.resume({
      client: this.#client(),
      output: (bytes) => this.said.push(new TextDecoder().decode(bytes)),
      gap: () => this.gaps++,
      ended: (useful) => this.useful = useful,
    });
  }

  #answered(name: string, onReply?: (reply: ControlReply) => void): Promise<ControlReply> {
    this.sent.push(name);
    return new Promise((resolve) =>
      this.#waiting.push(() => {
        const reply = { ...DONE, failed: name === "has-session" && this.isPaneGone };
        onReply?.(reply);
        resolve(reply);
      })
    );
  }

  /** tmux returns what it was sent first; what comes of that is over when this settles. */
  async answer(): Promise<void> {
    this.#waiting.shift()!();
    await settled();
  }

  /** The control client tells of this, unless it comes through the pipe as well. */
  control(text: string): void {
    const carried = this.bypass.carries;
    this.bypass.passed(text.length);
    if (!carried) this.said.push(text);
  }

  async pipe(text: string): Promise<void> {
    this.#piped.push(new TextEncoder().encode(text));
    this.#pipeReader!.ready();
    await settled();
  }

  endPipe(): void {
    this.#piped.push(new Uint8Array());
    this.#pipeReader!.ready();
  }

  #read(into: Uint8Array): number | "none yet" {
    const bytes = this.#piped.shift();
    if (!bytes) return "none yet";
    into.set(bytes);
    return bytes.length;
  }

  async untilSent(count: number): Promise<void> {
    const late = performance.now() + 20_000;
    while (this.sent.length < count) {
      if (performance.now() > late) throw new Error(`Only these were sent: ${this.sent}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  [Symbol.dispose](): void {
    this.bypass.end();
  }
}

/** `refresh-client -A '%1:pause'` is `pause`. */
function nameOf(line: string): string {
  return /^has-session/.exec(line)?.[0] ?? line.split(":")[1]!.slice(0, -1);
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The pane's output comes through the pipe only. */
async function carried(): Promise<Stage> {
  const stage = new Stage();
  stage.control("before ");
  await stage.answer();
  await stage.pipe("10 11\n");
  await stage.answer();
  assertEquals([stage.sent, stage.bypass.carries], [["pipe", "pause"], true]);
  return stage;
}

Deno.test("what the client passes on until it is silent is left out of what the pipe brings", async () => {
  using stage = new Stage();
  stage.control("before ");
  await stage.answer();
  stage.control("one two ");
  await stage.pipe("10 11\none ");
  stage.control("three ");
  await stage.pipe("two thr");
  await stage.answer();
  await stage.pipe("ee four ");
  await stage.pipe("five");
  assertEquals(stage.said.join(""), "before one two three four five");
});

Deno.test("the pipe's first output is reported once the client is silent", async () => {
  using stage = new Stage();
  await stage.answer();
  await stage.pipe("10 11\none two ");
  stage.control("one ");
  assertEquals(stage.said, ["one "]);
  await stage.answer();
  assertEquals(stage.said.join(""), "one two ");
});

Deno.test("a pipe that its client has only begun outlives it", async () => {
  using stage = new Stage({ hasSpool: true });
  stage.control("before ");
  await stage.answer();
  stage.control("one ");
  assertEquals([stage.bypass.canMove, stage.bypass.canOutlive], [false, true]);
  stage.bypass.hold();
  await stage.pipe("10 11\none two ");
  void stage.resume();
  await settled();
  await stage.answer();
  await stage.pipe("three");
  assertEquals([stage.said.join(""), stage.gaps, stage.spooled], ["before one two three", 0, [true]]);
  assertEquals(stage.sent, ["pipe", "pause"]);
});

Deno.test("a pipe that its client has only begun leaves a gap if it ends with the next client", async () => {
  using stage = new Stage({ hasSpool: true });
  await stage.answer();
  stage.bypass.hold();
  void stage.resume();
  await stage.pipe("10 11\n");
  stage.endPipe();
  await settled();
  for (const _ of stage.sent.slice(1)) await stage.answer();
  assertEquals([stage.gaps, stage.useful], [1, false]);
});

Deno.test("a pipe ends with a client that was detached before its start was confirmed", async () => {
  using stage = new Stage({ hasSpool: true });
  stage.isDetached = true;
  await stage.answer();
  assertEquals(stage.bypass.canOutlive, false);
});

Deno.test("a quiet pane goes back to the client", async () => {
  using stage = await carried();
  await stage.pipe("piped ");
  await stage.untilSent(3);
  await stage.answer();
  await until(() => stage.useful !== undefined);
  stage.control("told");
  assertEquals([stage.sent.at(-1), stage.useful, stage.gaps], ["continue", true, 0]);
  assertEquals(stage.said.join(""), "before piped told");
});

for (const first of ["client", "pipe"] as const) {
  Deno.test(`a pane that prints while it goes back stays with its pipe: the ${first} has it first`, async () => {
    using stage = await carried();
    await stage.untilSent(3);
    await stage.answer();
    if (first === "client") stage.control("once ");
    else await stage.pipe("once ");
    await stage.untilSent(4);
    await stage.answer();
    if (first === "client") await stage.pipe("once ");
    await stage.pipe("on");
    assertEquals([stage.sent.slice(2), stage.useful], [["continue", "pause"], undefined]);
    assertEquals(stage.said.join(""), "before once on");
  });
}

Deno.test("a pipe that ends leaves the pane to the client, with a gap if the client was silent", async () => {
  using late = await carried();
  late.endPipe();
  await late.answer();
  assertEquals([late.sent.at(-1), late.gaps, late.useful], ["continue", 1, false]);
  late.control("on");
  assertEquals(late.said.join(""), "before on");

  using early = new Stage();
  await early.answer();
  await early.pipe("10 11\n");
  early.endPipe();
  await early.answer();
  await early.answer();
  assertEquals([early.sent, early.gaps], [["pipe", "pause", "has-session", "continue"], 1]);

  using atOnce = new Stage();
  await atOnce.answer();
  void atOnce.pipe("10 11\n");
  atOnce.endPipe();
  await settled();
  assertEquals([atOnce.sent, atOnce.gaps, atOnce.useful], [["pipe"], 0, false]);
});

Deno.test("a pipe that ends with its pane leaves no gap", async () => {
  using stage = await carried();
  stage.isPaneGone = true;
  stage.endPipe();
  await stage.answer();
  assertEquals([stage.sent.slice(-2), stage.gaps, stage.useful], [["has-session", "continue"], 0, false]);
});

Deno.test("a bypass that ends before its pipe has begun reads nothing, and leaves the pane to the client", async () => {
  using stage = new Stage();
  stage.bypass.end();
  await stage.answer();
  stage.control("on");
  assertEquals([stage.isRead, stage.sent, stage.said], [false, ["pipe"], ["on"]]);
});
