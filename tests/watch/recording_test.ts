// Output that comes together with a captured screen belongs after it in the file.
import { assertEquals } from "@std/assert";
import type { FollowHandle, FollowHandlers } from "../../src/watch/follow.ts";
import { Recording } from "../../src/watch/recording.ts";

/** A followed pane that prints a number each time its screen is captured, in the same message. */
class PrintingPane implements Pick<FollowHandle, "ready" | "send" | "stop"> {
  readonly ready: Promise<void> = Promise.resolve();
  readonly handlers: FollowHandlers;
  #printed = 0;

  constructor(handlers: FollowHandlers) {
    this.handlers = handlers;
  }

  send([command]: string[][], replied?: (output: string) => void): Promise<string> {
    const isCapture = command![0] === "capture-pane";
    const output = isCapture ? `screen ${this.#printed}\n` : "40 10 0 1 1 0 0";
    replied?.(output);
    if (isCapture) this.print(`${++this.#printed}\r\n`);
    return Promise.resolve(output);
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

Deno.test("what is printed as a screen has been captured follows that screen", async () => {
  const path = await Deno.makeTempFile();
  const file = await Deno.open(path, { write: true });
  const recording = new Recording("%0", path, { file, release: undefined });
  let pane!: PrintingPane;
  await recording.begin((handlers) => pane = new PrintingPane(handlers) as PrintingPane & FollowHandle);
  pane.lose();
  recording.finish();
  const [, ...events] = (await Deno.readTextFile(path)).trimEnd().split("\n").map((line) => JSON.parse(line));
  await Deno.remove(path);
  const text: string = events.map(([, , data]) => data).join("");
  assertEquals(text.match(/screen \d|\d\r/g), ["screen 0", "1\r", "screen 1", "2\r"]);
});
