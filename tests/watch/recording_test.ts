// Output that comes together with a captured screen belongs after it in the file.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { loadMasks, type Masks } from "../../src/masking/masks.ts";
import type { FollowHandle, FollowHandlers, OnRead } from "../../src/watch/follow.ts";
import { Recording } from "../../src/watch/recording.ts";

/** A followed pane that prints a number each time its screen is captured, in the same message. */
class PrintingPane implements Pick<FollowHandle, "ready" | "read" | "report" | "stop"> {
  readonly ready: Promise<void> = Promise.resolve();
  readonly handlers: FollowHandlers;
  /** Screen of a pane that prints nothing as it is captured. */
  screen: string | undefined;
  /** True if output from after a screen was passed on before it. */
  isLate = false;
  /** True while tmux doesn't answer. */
  isSlow = false;
  #printed = 0;
  #answered = Promise.withResolvers<void>();

  constructor(handlers: FollowHandlers) {
    this.handlers = handlers;
  }

  async read(_: string[][], onRead: OnRead): Promise<void> {
    if (this.isSlow) await this.#answered.promise;
    onRead(this.screen ?? `40 10 0 1 1 0 0\nscreen ${this.#printed}\n`, this.isLate);
    if (this.screen === undefined) this.print(`${++this.#printed}\r\n`);
  }

  /** Lets tmux answer what it was asked. */
  answer(): void {
    this.isSlow = false;
    this.#answered.resolve();
  }

  /** Has tmux answer that the pane can't be read. */
  refuse(): void {
    this.isSlow = false;
    this.#answered.reject(new Error("can't find pane"));
  }

  print(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.handlers.bytes?.({ kind: "bytes", watchId: "w", paneId: "%0", bytes });
  }

  lose(): void {
    this.handlers.gap?.({ kind: "gap", watchId: "w", paneId: "%0" });
  }

  report(): Promise<never> {
    return Promise.reject(new Error("Nothing to report"));
  }

  stop(): void {}
}

interface Recorded {
  pane: PrintingPane;
  /** Returns what was recorded up to the end of the pane. */
  finish(): Promise<string>;
  /** The same while the pane lives. */
  stop(): Promise<string>;
}

async function record(
  { masks, isLate = false }: { masks?: Masks | undefined; isLate?: boolean } = {},
): Promise<Recorded> {
  const path = await Deno.makeTempFile();
  const file = await Deno.open(path, { write: true });
  const recording = new Recording({ paneId: "%0", serverKey: "1-1" }, path, {
    file,
    release: undefined,
    masks,
  });
  let pane!: PrintingPane;
  await recording.begin((handlers) => {
    pane = new PrintingPane(handlers);
    pane.isLate = isLate;
    return pane as PrintingPane & FollowHandle;
  });
  const read = async (): Promise<string> => {
    const [, ...events] = (await Deno.readTextFile(path)).trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    );
    await Deno.remove(path);
    return events.map(([, , data]) => data).join("");
  };
  const finish = (): Promise<string> => {
    recording.finish();
    return read();
  };
  return { pane, finish, stop: () => recording.end().then(read) };
}

async function recordMasked(masks: readonly string[], options = {}): Promise<Recorded> {
  return await record({ masks: await loadMasks(masks, () => undefined), ...options });
}

/** Lets those that wait for an answer continue. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Loses output that no screen can show. */
async function loseUnshown(pane: PrintingPane): Promise<void> {
  pane.isSlow = true;
  pane.lose();
  await turn();
  pane.refuse();
  await turn();
}

Deno.test("what is printed as a screen has been captured follows that screen", async () => {
  const { pane, finish } = await record();
  pane.lose();
  await turn();
  const text = await finish();
  assertEquals(text.match(/screen \d|\d\r/g), ["screen 0", "1\r", "screen 1", "2\r"]);
});

const SECRET = ["literal:sk-123456"];

Deno.test("what may continue a secret of lost output is left to the next screen", async () => {
  const { pane, finish } = await recordMasked(SECRET);
  pane.isSlow = true;
  pane.lose();
  pane.print("3456\r\n\x1b");
  pane.print("[1m");
  await turn();
  pane.answer();
  await turn();
  pane.print("next\r\n");
  const text = await finish();
  assert(!text.includes("3456"), text);
  assertEquals(text.match(/screen \d|\d\r|next/g), ["screen 0", "1\r", "screen 1", "2\r", "next"]);
  assert(text.endsWith("2\r\nnext\r\n"), text);
});

for (const masks of [[], SECRET]) {
  Deno.test(`lost output that no screen can show is marked${masks.length > 0 ? ", with a mask" : ""}`, async () => {
    const { pane, finish } = await recordMasked(masks);
    pane.print("key sk-123");
    pane.isSlow = true;
    pane.lose();
    pane.print("3456\r\n");
    await turn();
    pane.refuse();
    await turn();
    pane.print("3456 end of a line\r\nnext\r\n");
    const text = await finish();
    assertEquals(text.includes("3456"), masks.length === 0);
    assertMatch(text, /\[output lost\]\r\n(3456 end of a line\r\n)?next\r\n$/);
  });
}

Deno.test("output that is left out is marked at the end of its pane", async () => {
  for (const isRefused of [false, true]) {
    const { pane, finish } = await recordMasked(SECRET);
    pane.print("key sk-123");
    pane.isSlow = true;
    pane.lose();
    pane.print("456\r\n");
    await turn();
    if (isRefused) pane.refuse();
    await turn();
    const text = await finish();
    assert(!text.includes("123"), text);
    assert(text.endsWith("\r\n[output lost]\r\n"), text);
  }
});

Deno.test("a loss that nothing follows is not marked: the end of a pane may look like one", async () => {
  for (const masks of [[], SECRET]) {
    const { pane, finish } = await recordMasked(masks);
    pane.print("the end\r\n");
    await loseUnshown(pane);
    const text = await finish();
    assert(text.endsWith("the end\r\n"), text);
  }
});

Deno.test("a loss that no screen has shown yet is marked where a recording is stopped", async () => {
  for (const masks of [[], SECRET]) {
    for (const isRefused of [false, true]) {
      const { pane, stop } = await recordMasked(masks);
      pane.isSlow = true;
      pane.lose();
      await turn();
      if (isRefused) pane.refuse();
      await turn();
      const text = await stop();
      assert(text.endsWith("1\r\n\x1b[m\r\n[output lost]\r\n"), text);
    }
  }
});

Deno.test("output that a screen came too late to show is marked", async () => {
  for (const masks of [[], SECRET]) {
    const { finish } = await recordMasked(masks, { isLate: true });
    assertMatch(await finish(), /screen 0.*\[output lost\]/s);
    const { pane, stop } = await recordMasked(masks);
    pane.isLate = true;
    pane.lose();
    await turn();
    const text = await stop();
    assertEquals(text.match(/screen \d|output lost/g), ["screen 0", "screen 1", "output lost"]);
  }
});

Deno.test("a secret that continues after a screen that came too late is masked", async () => {
  const { pane, finish } = await recordMasked(SECRET);
  pane.isLate = true;
  pane.screen = "40 10 10 0 1 0 0\nkey sk-123\n";
  pane.lose();
  await turn();
  pane.print("456\r\nnext\r\n");
  const text = await finish();
  assert(!/123|456/.test(text) && text.endsWith("[output lost]\r\nnext\r\n"), text);
});

Deno.test("output after a loss that no screen has shown is marked at the end of its pane", async () => {
  for (const masks of [[], SECRET]) {
    const { pane, finish } = await recordMasked(masks);
    pane.isSlow = true;
    pane.lose();
    pane.print("after the loss\r\n");
    await turn();
    assert((await finish()).endsWith("[output lost]\r\n"));
  }
});

Deno.test("half a line that a loss leaves out is marked", async () => {
  const { pane, finish } = await recordMasked(["regex:sk-[0-9]+"]);
  pane.print("result: 42");
  await loseUnshown(pane);
  assert((await finish()).endsWith("[output lost]\r\n"));
});

Deno.test("output of a second loss is left out after the screen of the first", async () => {
  const { pane, finish } = await recordMasked(SECRET);
  pane.isSlow = true;
  pane.lose();
  pane.lose();
  await turn();
  pane.answer();
  await turn();
  pane.print("next\r\n");
  const text = await finish();
  assertEquals(text.match(/screen \d|\d\r|next/g), [
    "screen 0",
    "1\r",
    "screen 1",
    "screen 2",
    "3\r",
    "next",
  ]);
});

Deno.test("output after a mark is recorded although no line ends", async () => {
  const { pane, finish } = await recordMasked(SECRET);
  await loseUnshown(pane);
  for (let frame = 0; frame < 1000; frame++) pane.print(`\x1b[Hframe ${frame}`);
  assert((await finish()).endsWith("\x1b[Hframe 999"));
});

Deno.test("a secret at the end of what a mark leaves out is masked", async () => {
  const { pane, finish } = await recordMasked(SECRET);
  await loseUnshown(pane);
  pane.print(`${"x".repeat(4090)}sk-123`);
  pane.print("456 end");
  const text = await finish();
  assert(text.endsWith("end") && !/123|456/.test(text), text);
});
