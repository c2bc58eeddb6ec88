// Tools on sessions.
import { z } from "zod";
import { defineTool } from "../tool.ts";
import { environment, sessionId, startDirectory } from "./params.ts";
import { session } from "./shapes.ts";

export const listSessions = defineTool({
  name: "list-sessions",
  title: "List sessions",
  description: "List the tmux sessions. Use list-panes to find a pane to work in.",
  layer: 1,
  agentic: true,
  groups: ["list"],
  effect: "read",
  input: z.strictObject({}),
  output: z.strictObject({ sessions: z.array(session) }),
  targets: () => [],
  async run(_args, { tmux }) {
    return { sessions: await tmux.sessions.list() };
  },
});

export const createSession = defineTool({
  name: "create-session",
  title: "Create session",
  description: "Create a detached tmux session and answer its ids; a name in use answers that session's. " +
    "To start a program and be told when it is ready, use start-and-watch without a paneId.",
  layer: 1,
  agentic: true,
  groups: ["create"],
  effect: "change",
  input: z.strictObject({
    name: z.string().optional().describe("Session name"),
    startDirectory: startDirectory.optional(),
    command: z.string().min(1).optional().describe("Shell command to run instead of a shell"),
    width: z.int().min(1).max(10000).optional().describe("Columns (200)"),
    height: z.int().min(1).max(10000).optional().describe("Rows (50)"),
    environment: environment.optional(),
    suppressHistory: z.boolean().default(false).describe("Start the shell without a history file"),
  }),
  output: z.strictObject({
    sessionId: z.string(),
    sessionName: z.string(),
    windowId: z.string(),
    paneId: z.string(),
    created: z.boolean(),
  }),
  targets: ({ name }) => [name === undefined ? { kind: "new-session" } : { kind: "new-session", name }],
  shellText: ({ command }) => command === undefined ? [] : [{ kind: "command", text: command }],
  async run({ suppressHistory, environment, ...spec }, { tmux }) {
    const history = suppressHistory ? { HISTFILE: "/dev/null", fish_history: "" } : undefined;
    const variables = history || environment ? { ...history, ...environment } : undefined;
    return await tmux.sessions.create({ ...spec, ...(variables && { environment: variables }) });
  },
});

export const killSession = defineTool({
  name: "kill-session",
  title: "Kill session",
  description: "End a session with every window and pane in it. Use kill-pane to end one pane.",
  layer: 1,
  agentic: true,
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({ sessionId }),
  output: z.strictObject({ killed: z.string() }),
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId }],
  async run({ sessionId }, { tmux }) {
    await tmux.sessions.kill(sessionId);
    return { killed: sessionId };
  },
});
