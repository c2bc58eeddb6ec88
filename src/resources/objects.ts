// Resources about the tmux server, its sessions, windows and clients.
import { type Resource, wholeNumber } from "./resource.ts";

/** Maximum characters of a name in a listed URI; a longer one is replaced by the id. */
const LONGEST_NAME = 200;

/** Properties that most of these resources share. */
const LISTED = { mimeType: "application/json", groups: ["list"], changes: "objects" } as const;

export const serverInfo: Resource = {
  name: "resource-server-info",
  title: "tmux server",
  description: "The tmux server: running or not, version, pid, socket, and number of sessions",
  uri: "tmux://server/info",
  ...LISTED,
  groups: ["socket"],
  targets: () => [],
  read: (_args, { tmux }) => tmux.servers.info(),
  list: () => [{ args: {}, title: "tmux server", id: "" }],
};

export const sessions: Resource = {
  name: "resource-sessions",
  title: "Sessions",
  description: "Every session",
  uri: "tmux://sessions",
  ...LISTED,
  targets: () => [],
  read: (_args, { tmux }) => tmux.sessions.list(),
  list: () => [{ args: {}, title: "Sessions", id: "" }],
};

export const clients: Resource = {
  name: "resource-clients",
  title: "Clients",
  description: "The terminals that people have attached",
  uri: "tmux://clients",
  ...LISTED,
  targets: () => [],
  read: (_args, { tmux }) => tmux.clients.list(),
  list: () => [{ args: {}, title: "Clients", id: "" }],
};

export const session: Resource = {
  name: "resource-session",
  title: "Session",
  description: "One session",
  uri: "tmux://sessions/{name}",
  ...LISTED,
  targets: ({ name }) => [{ kind: "session", id: name! }],
  read: ({ name }, { tmux }) => tmux.sessions.info(name!),
  list: ({ sessions }) =>
    sessions.map(({ id, name }) => ({
      args: { name: name.length > LONGEST_NAME ? id : name },
      title: `Session ${name}`,
      id,
    })),
};

export const sessionWindows: Resource = {
  name: "resource-session-windows",
  title: "Windows of a session",
  description: "The windows of one session",
  uri: "tmux://sessions/{name}/windows",
  ...LISTED,
  targets: ({ name }) => [{ kind: "session", id: name! }],
  async read({ name }, { tmux }) {
    await tmux.sessions.info(name!);
    return await tmux.windows.list(name!);
  },
};

export const sessionWindow: Resource = {
  name: "resource-session-window",
  title: "Window of a session",
  description: "One window, by its index in a session",
  uri: "tmux://sessions/{name}/windows/{index}",
  ...LISTED,
  targets: (
    { name, index },
  ) => [{ kind: "window-index", session: name!, index: wholeNumber("index", index!) }],
  read: ({ name, index }, { tmux }) => tmux.windows.at(name!, wholeNumber("index", index!)),
};

export const sessionTree: Resource = {
  name: "resource-session-tree",
  title: "Session tree",
  description: "A session with its windows and their panes",
  uri: "tmux://session/{sessionId}/tree",
  ...LISTED,
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId! }],
  async read({ sessionId }, { tmux }) {
    const session = await tmux.sessions.info(sessionId!);
    const [windows, panes] = await Promise.all([
      tmux.windows.list(session.id),
      tmux.panes.list({ sessionId: session.id }),
    ]);
    return {
      ...session,
      windows: windows.map((window) => ({
        ...window,
        panes: panes.filter((pane) => pane.windowId === window.id),
      })),
    };
  },
  list: ({ sessions }) =>
    sessions.map(({ id, name }) => ({ args: { sessionId: id }, title: `Tree of session ${name}`, id })),
};

export const windowInfo: Resource = {
  name: "resource-window-info",
  title: "Window",
  description: "One window",
  uri: "tmux://window/{windowId}/info",
  ...LISTED,
  targets: ({ windowId }) => [{ kind: "window", id: windowId! }],
  read: ({ windowId }, { tmux }) => tmux.windows.info(windowId!),
  list: ({ panes }) =>
    [...new Map(panes.map((pane) => [pane.windowId, pane])).values()].map((
      { windowId, windowName, sessionName },
    ) => ({ args: { windowId }, title: `Window ${sessionName}: ${windowName}`, id: windowId })),
};
