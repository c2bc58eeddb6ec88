// The tool that inspects a pane's program through the kernel.
import * as z from "zod";
import { defineTool } from "../tool.ts";
import { paneId } from "./params.ts";
import { listening, paneState } from "./shapes.ts";

export const paneStateTool = defineTool({
  name: "pane-state",
  description:
    "Report what runs in a pane, whether it waits for a line, a password or a keypress, and its TCP ports. " +
    "Read from process state, not from screen text.",
  scope: "agentic",
  groups: ["watch"],
  effect: "read",
  input: z.strictObject({ paneId }),
  output: paneState.extend({ paneId: z.string(), listening: listening.optional() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId }, { watches, tmux }) {
    return { paneId, ...await watches.state(tmux, paneId, { ports: true }) };
  },
});
