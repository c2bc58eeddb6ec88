// The fourteen tools that press one key.
import * as z from "zod";
import { defineTool, type Tool } from "../tool.ts";
import { paneId, repeat } from "./params.ts";
import { typed, typedAnswer } from "./shapes.ts";

/** Tool name, tmux's name for the key, and the description. */
const KEYS: readonly [name: string, key: string, what: string][] = [
  ["send-enter", "Enter", "Press Enter in a pane"],
  ["send-tab", "Tab", "Press Tab in a pane"],
  ["send-escape", "Escape", "Press Escape in a pane"],
  ["send-backspace", "BSpace", "Press Backspace in a pane"],
  ["send-up", "Up", "Press the Up arrow in a pane"],
  ["send-down", "Down", "Press the Down arrow in a pane"],
  ["send-left", "Left", "Press the Left arrow in a pane"],
  ["send-right", "Right", "Press the Right arrow in a pane"],
  ["send-page-up", "PPage", "Press Page Up in a pane"],
  ["send-page-down", "NPage", "Press Page Down in a pane"],
  ["send-home", "Home", "Press Home in a pane"],
  ["send-end", "End", "Press End in a pane"],
  ["send-cancel", "C-c", "Press Ctrl-C in a pane, which interrupts what runs there"],
  ["send-eof", "C-d", "Press Ctrl-D in a pane, which ends its input"],
];

export const specialKeys: readonly Tool[] = KEYS.map(([name, key, what]) =>
  defineTool({
    name,
    description: `${what}. Use send-keys for any other key.`,
    groups: ["special-keys", "raw-input"],
    effect: "input",
    input: z.strictObject({ paneId, repeat }),
    output: typed,
    targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
    shellText: ({ repeat }) => [{ kind: "keys", text: `${key} `.repeat(repeat) }],
    async run({ paneId, repeat }, { tmux, snapshot }) {
      const how = { snapshot: await snapshot(), repeat };
      return typedAnswer(paneId, await tmux.input.type(paneId, { keys: [key] }, how));
    },
  })
);
