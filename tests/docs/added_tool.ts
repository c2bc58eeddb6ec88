// The tool that CONTRIBUTING.md adds, as it is there but for its imports: the check of types reads it.
import * as z from "zod";
import { defineTool } from "../../src/tool.ts";
import { paneId } from "../../src/tools/params.ts";

export const countLines = defineTool({
  name: "count-lines",
  description: "Count the lines that a pane shows. Use capture-pane to read them.",
  groups: ["capture"],
  effect: "read",
  input: z.strictObject({ paneId }),
  output: z.strictObject({ paneId: z.string(), lines: z.int() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId }, { tmux }) {
    return { paneId, lines: (await tmux.capture.lines(paneId)).length };
  },
});
