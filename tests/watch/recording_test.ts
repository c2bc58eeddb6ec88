// Output that comes together with a captured screen belongs after it in the file.
import { assert, assertEquals } from "@std/assert";
import { loadMasks, type Masks } from "../../src/masking/masks.ts";
import type { FollowHandle, FollowHandlers } from "../../src/watch/follow.ts";
import { Recording } from "../../src/watch/recording.ts";

/** A followed pane that prints a number each time its screen is captured, in the same message. */
class PrintingPane implements Pick<FollowHandle, "ready" | "send" | "stop"> {
  readonly ready: Promise<void> = Promise.resolve();
  readonly handlers: FollowHandlers;
  /** True while tmux doesn't answer. */
  isSlow = false;
  #printed = 0;
  #answered = Promise.withResolvers<void>();

  constructor(handlers: FollowHandlers) {
    this.handlers = handlers;
  }

  async send([command]: string[][], replied?: (output: string) => void): Promise<string> {
    const isCapture = command![0] === "capture-pane";
    if (this.isSlow) await this.#answered.promise;
    const output = isCapture ? `screen ${this.#printed}\n` : "40 10 0 1 1 0 0";
    replied?.(output);
    if (isCapture) this.print(`${++this.#printed}\r\n`);
    return output;
  }

  /** Lets tmux answer what it was asked. */
  answer(): void {
    this.isSlow = false;
    this.#answered.resolve();
  }

  print(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.handlers.bytes?.({ kind: "bytes", watchId: "w", paneId: "%0", bytes });
  }

  lose(): void {
    this.handlers.gap?.({ kind: "gap", watchId: "w", paneId: "%0" });
  }

  stop(): void {}
}

async function record(masks?: Masks): Promise<{ pane: PrintingPane; finish: () => Promise<string> }> {
  const path = await Deno.makeTempFile();
  const file = await Deno.open(path, { write: true });
  const recording = new Recording("%0", path, { file, release: undefined, masks });
  let pane!: PrintingPane;
  await recording.begin((handlers) => pane = new PrintingPane(handlers) as PrintingPane & FollowHandle);
  const finish = async (): Promise<string> => {
    recording.finish();
    const [, ...events] = (await Deno.readTextFile(path)).trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    );
    await Deno.remove(path);
    return events.map(([, , data]) => data).join("");
  };
  return { pane, finish };
}

Deno.test("what is printed as a screen has been captured follows that screen", async () => {
  const { pane, finish } = await record();
  pane.lose();
  const text = await finish();
  assertEquals(text.match(/screen \d|\d\r/g), ["screen 0", "1\r", "screen 1", "2\r"]);
});

Deno.test("what may go on with a secret of lost output is left to the next screen", async () => {
  const { pane, finish } = await record(await loadMasks(["literal:sk-123456"], () => undefined));
  pane.isSlow = true;
  pane.lose();
  pane.print("3456\r\n");
  pane.answer();
  await new Promise((resolve) => setTimeout(resolve));
  pane.print("next\r\n");
  const text = await finish();
  assert(!text.includes("3456"), text);
  assertEquals(text.match(/screen \d|\d\r|next/g), ["screen 0", "1\r", "screen 1", "2\r", "next"]);
});
