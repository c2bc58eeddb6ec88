// Tools on workspaces: descriptions of sessions in tmuxp's format.
import { z } from "zod";
import { defineTool } from "../tool.ts";
import { sessionId } from "./params.ts";

export const freezeWorkspace = defineTool({
  name: "freeze-workspace",
  title: "Freeze workspace",
  description:
    "Describe a session in tmuxp's format: windows, panes, layouts, folders, and programs without their arguments. " +
    "Use snapshot-pane to see what a pane shows.",
  layer: 2,
  agentic: true,
  groups: ["read"],
  effect: "read",
  readsOn: "Call list-windows and list-panes with sessionId.",
  input: z.strictObject({
    sessionId,
    format: z.enum(["yaml", "json"]).default("yaml").describe("tmuxp reads both"),
  }),
  output: "text",
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId }],
  async run({ sessionId, format }, { tmux, watch }) {
    const { freeze } = await import("../workspaces/freeze.ts");
    const workspace = await freeze(sessionId, { tmux, watch });
    if (format === "json") return JSON.stringify(workspace, undefined, 2);
    const { stringify } = await import("yaml");
    return stringify(workspace, { lineWidth: 0, version: "1.1" });
  },
});
