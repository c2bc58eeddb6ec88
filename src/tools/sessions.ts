// Tools on sessions.
import * as z from "zod";
import { defineTool } from "../tool.ts";
import { applyFilters, filtersLike } from "./filters.ts";
import { compileRegex } from "../regex.ts";
import { cells, command, environment, sessionId, startDirectory } from "./params.ts";
import { session } from "./shapes.ts";

export const listSessions = defineTool({
  name: "list-sessions",
  description: "List the sessions.",
  scope: "both",
  groups: ["list"],
  effect: "read",
  readsOn: "Call list-sessions with filters.",
  input: z.strictObject({ filters: filtersLike('{"name__startswith": "dev"}') }),
  output: z.strictObject({ sessions: z.array(session) }),
  targets: () => [],
  async run({ filters }, { tmux, sees }) {
    return { sessions: await applyFilters(await sees.rows(await tmux.sessions.list()), filters, session) };
  },
});

export const findSession = defineTool({
  name: "find-session",
  description: "Find sessions by exact name, or by a pattern with * and ?. " +
    "Use list-sessions to list all of them.",
  groups: ["list"],
  effect: "read",
  readsOn: "Call find-session with a narrower pattern.",
  input: z.strictObject({
    name: z.string().min(1).describe("Exact name, or a pattern: * is any text, ? is any character"),
  }),
  output: z.strictObject({ sessions: z.array(session) }),
  targets: () => [],
  async run({ name }, { tmux }) {
    const pattern = await compileRegex(globSource(name));
    return { sessions: (await tmux.sessions.list()).filter((session) => pattern.test(session.name)) };
  },
});

export const getSessionInfo = defineTool({
  name: "get-session-info",
  title: "Session info",
  description: "Describe one session. Use list-windows and list-panes for its contents.",
  groups: ["read"],
  effect: "read",
  input: z.strictObject({ sessionId }),
  output: session,
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId }],
  run: ({ sessionId }, { tmux }) => tmux.sessions.info(sessionId),
});

export const getCurrentSession = defineTool({
  name: "get-current-session",
  title: "Current session",
  description: "Describe the session this server runs in, or otherwise the one a person attached to last. " +
    "Use get-session-info for a session you know.",
  groups: ["list"],
  effect: "read",
  input: z.strictObject({}),
  output: session,
  targets: () => [],
  async run(_args, { tmux, sees, snapshot }) {
    const isLimited = await sees.panes() !== undefined;
    const inScope = isLimited ? (await snapshot()).panes.map(({ sessionId }) => sessionId) : undefined;
    return await tmux.sessions.current(inScope && new Set(inScope));
  },
});

export const createSession = defineTool({
  name: "create-session",
  description: "Create a detached session and return its ids. " +
    "If the name is taken, returns that session with created: false.",
  scope: "both",
  groups: ["create"],
  effect: "change",
  input: z.strictObject({
    name: z.string().optional().describe("Session name"),
    startDirectory: startDirectory.optional(),
    command: command.optional(),
    width: cells.optional().describe("Columns (200)"),
    height: cells.optional().describe("Rows (50)"),
    environment: environment.optional(),
    suppressHistory: z.boolean().default(false).describe("Don't save the shell's history"),
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
  async run({ suppressHistory, ...spec }, { tmux }) {
    const defaults = suppressHistory ? { HISTFILE: "/dev/null", fish_history: "" } : undefined;
    return await tmux.sessions.create({ ...spec, defaults });
  },
});

export const renameSession = defineTool({
  name: "rename-session",
  description: "Rename a session; fails if the name is taken or contains . or :.",
  groups: ["rename"],
  effect: "change",
  input: z.strictObject({ sessionId, newName: z.string().describe("New name") }),
  output: z.strictObject({ sessionId: z.string(), name: z.string() }),
  targets: ({ sessionId, newName }) => [
    { kind: "session", id: sessionId },
    { kind: "new-session", name: newName },
  ],
  async run({ sessionId, newName }, { tmux, snapshot }) {
    const id = await tmux.sessions.idOf(sessionId, snapshot);
    await tmux.sessions.rename(id, newName);
    return { sessionId: id, name: newName };
  },
});

export const killSession = defineTool({
  name: "kill-session",
  description: "Kill a session with all its panes.",
  scope: "both",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({ sessionId }),
  output: z.strictObject({ killed: z.string() }),
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId }],
  async run({ sessionId }, { tmux, snapshot }) {
    await tmux.sessions.kill(await tmux.sessions.idOf(sessionId, snapshot));
    return { killed: sessionId };
  },
});

/** RE2 source for a glob; no pattern makes RE2 slow. */
function globSource(glob: string): string {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
  return `\\A(?s:${source})\\z`;
}
