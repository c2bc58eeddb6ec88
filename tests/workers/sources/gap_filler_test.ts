// Output that arrives while a gap is being filled.
import { assertEquals } from "@std/assert";
import { GapFiller } from "../../../workers/sources/gap_filler.ts";
import type { CommandAnswer } from "../../../workers/sources/pane_source.ts";

/** Output of tmux for a pane of 80 columns that shows these rows, its cursor on the last. */
function shown(rows: readonly string[]): string {
  const state = `1 80 ${rows.length} 0 2000 ${rows.length - 1} 0`;
  return [state, ...rows, ...rows, ""].join("\n");
}

/** A filler whose pane shows rows when it begins, and others when its gap is filled; `held` arrives meanwhile. */
async function fill(
  before: string[],
  held: string,
  after: string[],
  streamed = "",
): Promise<Record<string, unknown>> {
  const seen = { output: "", missed: "", gaps: 0 };
  const decoder = new TextDecoder();
  let rows = before;
  const filler = new GapFiller({
    paneId: "%1",
    send: (_, onReply) => {
      const answer: CommandAnswer = { failed: false, text: "", printed: shown(rows) };
      onReply(answer);
      return Promise.resolve(answer);
    },
    isClosed: () => false,
    output: (bytes) => seen.output += decoder.decode(bytes),
    missed: (bytes) => seen.missed += decoder.decode(bytes),
    gap: () => seen.gaps++,
  });
  filler.begin();
  filler.output(new TextEncoder().encode(streamed));
  filler.hold();
  filler.output(new TextEncoder().encode(held));
  rows = after;
  await filler.fill();
  return seen;
}

Deno.test("output that is all that the pane has printed since is passed on as it is", async () => {
  const held = "\r\n\x1b[1mlast\x1b[m\r\n\x1b]133;D\x07$ ";
  assertEquals(await fill(["first"], held, ["first", "last", "$"]), { output: held, missed: "", gaps: 0 });
  const mark = "\x1b]133;D\x07";
  assertEquals(await fill(["first"], mark, ["first"]), { output: mark, missed: "", gaps: 0 });
});

Deno.test("output after some that is missing is read from the pane with it", async () => {
  const after = ["first", "missing", "last", ""];
  const missed = "\x18\r\nmissing\r\nlast\r\n";
  assertEquals(await fill(["first"], "last\r\n", after), { output: "", missed, gaps: 0 });
});

Deno.test("output is passed on after a gap where its place in the pane is unknown", async () => {
  assertEquals(await fill(["first"], "last", ["other"]), { output: "last", missed: "", gaps: 1 });
});

Deno.test("all that a pane shows is read after a gap in a stream of more lines, as its place is unknown", async () => {
  const stream = "same\r\n".repeat(5);
  const seen = await fill(["first"], "", ["same", "same", "over"], stream);
  assertEquals(seen, { output: stream, missed: "\x18same\r\nsame\r\nover", gaps: 1 });
});
