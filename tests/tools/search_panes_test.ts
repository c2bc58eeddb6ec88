// A search that finds far more than an answer may have.
import { assertEquals } from "@std/assert";
import { AnswerLimit } from "../../src/server/answer_limit.ts";
import type { ToolContext } from "../../src/tool.ts";
import { searchPanes } from "../../src/tools/search_panes.ts";

const PANES = 60;
const LINES = 10;
/** Together, the panes show more text than a string can hold. */
const TEXT = "x".repeat(1_000_000);

function context(): ToolContext {
  const limit = new AnswerLimit(() => ({ answerBytes: 1024 * 1024, reads: "text" }), 1024 * 1024);
  const infos = Array.from({ length: PANES }, (_, at) => ({ id: `%${at}` }));
  const capture = {
    async *many(panes: readonly { id: string }[]) {
      for (const pane of panes) {
        const lines = Array.from({ length: LINES }, (_, row) => ({ row, text: TEXT, blanks: 0 }));
        yield await Promise.resolve({ pane, lines });
      }
    },
  };
  return {
    tmux: { capture, panes: { infos: () => Promise.resolve(infos) } },
    sees: { panes: () => Promise.resolve(undefined) },
    fit: limit.fit.bind(limit),
  } as unknown as ToolContext;
}

Deno.test("a search keeps no more lines than an answer may have, and counts all panes", async () => {
  for (const offset of [0, 58]) {
    const args = { pattern: "x", history: "all", maxLinesPerPane: 1_000_000, limit: 1_000_000, offset };
    const { matches, total, truncated } = await searchPanes.run(searchPanes.input.parse(args), context());
    assertEquals([total, truncated], [PANES, true]);
    const { paneId, lines, linesTruncated } = matches[0]!;
    assertEquals([paneId, linesTruncated], [`%${offset}`, true]);
    assertEquals(lines.map(({ row }) => row), [LINES - 1]);
  }
});
