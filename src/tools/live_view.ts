// The tool that shows a pane to a person; the page a client renders for it is src/resources/live_view.ts.
import * as z from "zod";
import { defineTool } from "../tool.ts";
import { paneId } from "./params.ts";

export const openLiveView = defineTool({
  name: "open-live-view",
  description: "Show a pane to the person as a live terminal, in clients that render MCP Apps. " +
    "The result is the pane's current content. Use snapshot-pane to read a pane yourself.",
  groups: ["capture"],
  effect: "read",
  view: "ui://tmux-mcp/pane",
  readsOn: "Call capture-pane for its text.",
  input: z.strictObject({ paneId }),
  output: z.strictObject({
    paneId: z.string(),
    width: z.int(),
    height: z.int(),
    currentCommand: z.string(),
    content: z.string(),
  }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId }, { tmux }) {
    const { lines, info: { id, width, height, currentCommand } } = await tmux.capture.snapshot(paneId);
    return { paneId: id, width, height, currentCommand, content: lines.join("\n") };
  },
});
