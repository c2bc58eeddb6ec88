// Listeners of a pane that both a control client and its own pipe report.
import { assert, assertEquals } from "@std/assert";
import type { Attacher } from "../../../src/tmux_protocol/attacher.ts";
import { FIFO_BYTES } from "../../../src/ffi/fifos.ts";
import type { Followed, Poller } from "../../../src/ffi/poller.ts";
import type { ServerRef } from "../../../src/watch/protocol.ts";
import type { PipeReaderContext } from "../../../workers/sources/pipe_pane_reader.ts";
import type { PaneListener } from "../../../workers/sources/pane_source.ts";
import { SharedControlClient } from "../../../workers/sources/shared_control_client.ts";
import { until } from "../../support/until.ts";

const PANE = "%1";
const FLOOD = "x".repeat(1 << 18);
const SERVER: ServerRef = {
  bin: "false",
  socketArgs: [],
  env: {},
  // A version whose clients attach with one command.
  verified: { path: "/", version: "3.3a" },
};

/** A tmux that answers each command at once, and a pipe that holds what is put there. */
class Stage implements AsyncDisposable {
  /** Calls of the listener since it was last asked. */
  #heard: string[] = [];
  readonly sent: string[] = [];
  readonly link: SharedControlClient;
  /** Runs before a command is answered. */
  before: (command: string) => void = () => {};
  readonly #over: PromiseWithResolvers<void> = Promise.withResolvers();
  #take: (bytes: Uint8Array) => void = () => {};
  #piped: Uint8Array[] = [new TextEncoder().encode("10 11\n")];
  #pipeReader: Followed | undefined;

  constructor() {
    const over = this.#over;
    const channel = {
      handle: { kind: "socket", pid: 0, fds: [] },
      write: (bytes: Uint8Array) => {
        const line = new TextDecoder().decode(bytes);
        if (line === '"detach-client"\n') over.resolve();
        else queueMicrotask(() => this.#answer(line));
      },
      read: (take: (bytes: Uint8Array) => void) => {
        this.#take = take;
        this.#tell("%begin 1 1 0\n%end 1 1 0\n");
        return over.promise;
      },
      end: () => Promise.resolve(over.resolve()),
    };
    this.link = new SharedControlClient({
      server: SERVER,
      attacher: { attach: () => channel } as unknown as Attacher,
      sessionId: "$0",
      pipeContext: this.#pipeContext(),
      began() {},
      ended() {},
    });
  }

  get heard(): string {
    return this.#heard.splice(0).join("");
  }

  async follow(): Promise<void> {
    const listener: PaneListener = {
      output: (bytes) => this.#heard.push(new TextDecoder().decode(bytes)),
      gap: () => this.#heard.push("[gap]"),
      sized() {},
      changed() {},
      failed(error) {
        throw error;
      },
    };
    await this.link.follow(PANE, listener);
  }

  /** Follows the pane, which floods until its pipe carries it. */
  async begin(): Promise<void> {
    await this.follow();
    this.control(FLOOD);
    await until(() => this.#pipeReader !== undefined);
    this.#pipeReader!.ready();
    await until(() => this.sent.includes(`refresh-client -A '${PANE}:pause'`));
    await settled();
    assertEquals(this.heard, FLOOD);
  }

  told(text: string): void {
    this.#heard.push(`[${text}]`);
  }

  control(text: string): void {
    this.#tell(`%output ${PANE} ${text}\n`);
  }

  /** Somebody has the client paused for a pane. */
  paused(paneId: string): void {
    this.#tell(`%pause ${paneId}\n`);
  }

  /** The window that is shown has a new layout. */
  laidOut(visible: string): void {
    this.#tell(`%layout-change @0 b25d,80x24,0,0,1 ${visible} *\n`);
  }

  /** The pipe holds this when it is next read; nothing is its end. */
  pipe(text: string, { read = true } = {}): void {
    this.#piped.push(new TextEncoder().encode(text));
    if (read) this.#pipeReader!.ready();
  }

  #tell(text: string): void {
    this.#take(new TextEncoder().encode(text));
  }

  #answer(command: string): void {
    this.sent.push(command.trim());
    this.before(command);
    if (command.includes(":pause")) this.paused(PANE);
    this.#tell("%begin 1 1 1\n%end 1 1 1\n".repeat(command.includes("if-shell") ? 2 : 1));
  }

  #pipeContext(): PipeReaderContext {
    const read = (into: Uint8Array): number | "none yet" => {
      const bytes = this.#piped.shift();
      if (bytes) into.set(bytes);
      return bytes?.length ?? "none yet";
    };
    return {
      fifos: { make: () => ({ path: "/f", fd: 9, read, hide() {}, close() {} }) },
      poller: {
        follow: (pipeReader: Followed) => this.#pipeReader = pipeReader,
        leave() {},
      } as unknown as Poller,
      stamp: "",
      folder: "/",
      buffer: new Uint8Array(FIFO_BYTES),
      processes: { isAsleep: () => true, isChild: () => false },
      signal() {},
      began() {},
      ended() {},
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link.close();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

Deno.test("what both tell of while the pane would go back to its client is heard once", async () => {
  await using stage = new Stage();
  await stage.begin();
  stage.before = (command) => {
    if (!command.includes(":continue")) return;
    queueMicrotask(() => {
      stage.control("once ");
      stage.pipe("once ");
    });
  };
  await until(() => stage.sent.filter((command) => command.endsWith(":pause'")).length === 2);
  await settled();
  stage.pipe("on");
  assertEquals(stage.heard, "once on");
});

Deno.test("an answer comes after what the pane's pipe held before it", async () => {
  await using stage = new Stage();
  await stage.begin();
  stage.pipe("before ", { read: false });
  await stage.link.send(PANE, [["list-panes"]], () => stage.told("answer"));
  stage.pipe(" after");
  assertEquals(stage.heard, "before [answer] after");
});

Deno.test("a screen that is read beside the pane's pipe is late if the pane prints meanwhile", async () => {
  await using stage = new Stage();
  await stage.begin();
  const read = () =>
    stage.link.read(PANE, [["capture-pane"]], ({ isLate }) => stage.told(isLate ? "late" : "in place"));
  await read();
  // tmux writes what it has read of the pane after its reply.
  stage.before = (command) => {
    if (!command.includes("capture-pane")) stage.pipe("printed ", { read: false });
  };
  await read();
  assertEquals(stage.heard, "[in place]printed [late]");
});

Deno.test("a flood begins no pipe while a screen is read", async () => {
  await using stage = new Stage();
  await stage.follow();
  stage.before = (command) => {
    if (command.includes("capture-pane")) stage.control(FLOOD);
  };
  await stage.link.read(PANE, [["capture-pane"]], ({ isLate }) => stage.told(isLate ? "late" : "in place"));
  assert(stage.heard === `${FLOOD}[in place]`);
  assert(!stage.sent.some((command) => command.includes("if-shell")));
  stage.control(FLOOD);
  await until(() => stage.sent.some((command) => command.includes("if-shell")));
});

Deno.test("a silent pane is not waited for because another one floods", async () => {
  await using stage = new Stage();
  await stage.begin();
  stage.before = () => stage.pipe("y", { read: false });
  const commandsFor = async (paneId: string): Promise<number> => {
    const before = stage.sent.length;
    await stage.link.settle(paneId);
    return stage.sent.length - before;
  };
  const [silent, flooding] = [await commandsFor("%2"), await commandsFor(PANE)];
  assert(silent < 10 && flooding >= 50, `${silent} ${flooding}`);
});

Deno.test("a pipe that ends leaves a gap, and what the client tells then is heard", async () => {
  await using stage = new Stage();
  await stage.begin();
  stage.pipe("");
  // tmux lets the client speak again only after it has said that the pane is there.
  await until(() => stage.sent.includes(`refresh-client -A '${PANE}:continue'`));
  stage.control("on");
  assertEquals(stage.heard, "[gap]on");
});

Deno.test("a pane that somebody had paused while nobody followed it is heard when it is asked for", async () => {
  await using stage = new Stage();
  await stage.begin();
  stage.paused("%2");
  const listener = { output() {}, gap() {}, sized() {}, changed() {}, failed() {} };
  await stage.link.follow("%2", listener);
  assertEquals(stage.sent.at(-1), "refresh-client -A '%2:continue'");
});

Deno.test("a pane's new width comes before the output that its program prints at that width", async () => {
  await using stage = new Stage();
  const order: string[] = [];
  const listener: PaneListener = {
    output: (bytes) => order.push(new TextDecoder().decode(bytes)),
    gap() {},
    sized: (columns) => order.push(`${columns} wide`),
    changed: () => order.push("changed"),
    failed() {},
  };
  await stage.link.follow(PANE, listener);
  stage.laidOut("e7d1,160x24,0,0{90x24,0,0,12,69x24,91,0[69x12,91,0,1,69x11,91,13,112]}");
  stage.control("text");
  assertEquals(order.splice(0), ["69 wide", "changed", "text"]);
  // A floating pane that was moved over the left edge.
  stage.laidOut("01e4,80x24,0,0[80x24,0,0,0,40x6,-5,-2,1]<40x6,-5,-2,1>");
  assertEquals(order[0], "40 wide");
});
