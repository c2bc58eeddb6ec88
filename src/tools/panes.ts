// Tools on panes.
import { z } from "zod";
import { defineTool } from "../tool.ts";
import { sessionId, windowId } from "./params.ts";
import { pane } from "./shapes.ts";

export const listPanes = defineTool({
  name: "list-panes",
  title: "List panes",
  description: "List panes with what runs in them: of one window, one session, or all. " +
    "Use search-panes to find a pane by what it shows.",
  layer: 1,
  agentic: true,
  groups: ["list"],
  effect: "read",
  alwaysLoad: true,
  input: z.strictObject({ windowId: windowId.optional(), sessionId: sessionId.optional() }),
  output: z.strictObject({ panes: z.array(pane) }),
  targets: ({ windowId, sessionId }) => [
    ...(windowId === undefined ? [] : [{ kind: "window" as const, id: windowId }]),
    ...(sessionId === undefined ? [] : [{ kind: "session" as const, id: sessionId }]),
  ],
  async run(where, { tmux }) {
    return { panes: await tmux.panes.list(where) };
  },
});
