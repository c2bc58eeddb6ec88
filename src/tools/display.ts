// Tools that show something to the person at the terminal.
import { z } from "zod";
import { defineTool } from "../tool.ts";
import { paneId } from "./params.ts";

export const displayMessage = defineTool({
  name: "display-message",
  title: "Display message",
  description: "Show a message in the status line of attached terminals, exactly as it is written.",
  layer: 2,
  agentic: true,
  groups: ["all"],
  effect: "change",
  input: z.strictObject({
    message: z.string().min(1).describe("Text to show"),
    duration: z.number().positive().max(3600).default(3).describe("Seconds"),
    paneId: paneId.optional().describe("Show it to those attached to this pane's session; none: to everyone"),
  }),
  output: "text",
  targets: ({ paneId }) => paneId === undefined ? [] : [{ kind: "pane", id: paneId }],
  async run({ message, duration, paneId }, { tmux, survey }) {
    const pane = paneId === undefined ? {} : { pane: { id: paneId, survey: await survey() } };
    const shown = await tmux.messages.show(message, {
      ms: Math.max(1, Math.round(duration * 1000)),
      ...pane,
    });
    return shown ? "Message displayed" : "No client is attached; not shown";
  },
});
