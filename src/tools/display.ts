// Tools that show something to the person at the terminal.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool } from "../tool.ts";
import { paneId } from "./params.ts";

export const displayMessage = defineTool({
  name: "display-message",
  description: "Show a message in the status line of attached terminals.",
  scope: "agentic",
  groups: ["all"],
  effect: "change",
  input: z.strictObject({
    message: z.string().min(1).describe("Text to show"),
    duration: z.number().positive().max(3600).default(3).describe("Seconds to show it"),
    paneId: paneId.optional().describe("Only terminals attached to its session"),
  }),
  output: "text",
  targets: ({ paneId }) => [paneId === undefined ? { kind: "server" } : { kind: "pane", id: paneId }],
  async run({ message, duration, paneId }, { tmux, snapshot }) {
    const pane = paneId === undefined ? {} : { pane: { id: paneId, snapshot: await snapshot() } };
    const shown = await tmux.messages.show(message, {
      ms: Math.max(1, Math.round(duration * 1000)),
      ...pane,
    });
    return shown ? "Message displayed" : "No client is attached; not shown";
  },
});

export const writeToDisplay = defineTool({
  name: "write-to-display",
  description: "Show text in a pane, above the cursor's line; it is never typed or run.",
  scope: "agentic",
  groups: ["all"],
  effect: "change",
  input: z.strictObject({
    paneId,
    text: z.string().max(100_000).describe("Text to show; may contain color escape sequences"),
    clear: z.boolean().default(false).describe("Clear the screen first"),
  }),
  output: z.strictObject({ paneId: z.string() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, text, clear }, { tmux }) {
    const { tty, bytes } = await tmux.displays.prepare(paneId, { text, clear });
    if (text === "" && !clear) return { paneId };
    const taken = await tmux.machine.writeTerminal(tty, bytes);
    if (taken === bytes.length) return { paneId };
    throw taken === undefined
      ? new AppError("unsupported", `Cannot write to pane "${paneId}": ${tty} can't be opened from here`, {
        hint: "Call display-message to show it in the status line",
      })
      : new AppError(
        "busy",
        `Pane "${paneId}" took ${taken} of ${bytes.length} bytes: its output is stopped`,
        {
          hint: "Resume it with send-keys C-q (literal: false)",
        },
      );
  },
});
