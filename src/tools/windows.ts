// Tools on windows.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool, type Target } from "../tool.ts";
import { applyFilters, filtersLike } from "./filters.ts";
import { cells, command, environment, sessionId, startDirectory, windowId, windowIndex } from "./params.ts";
import { checkExclusive } from "./argument_conflicts.ts";
import { window } from "./shapes.ts";

/** Ways to name a window: by id (with a session, if it is linked into several), or by index in a session. */
const windowRef = {
  windowId: windowId.optional(),
  sessionId: sessionId.optional(),
  windowIndex: windowIndex.optional(),
};

export const listWindows = defineTool({
  name: "list-windows",
  description: "List the windows of one session or of all sessions, one row per session a window is in. " +
    "Use list-panes to see what is running in them.",
  groups: ["list"],
  effect: "read",
  readsOn: "Call list-windows with sessionId or filters.",
  input: z.strictObject({
    sessionId: sessionId.optional(),
    filters: filtersLike('{"name__icontains": "dev"}'),
  }),
  output: z.strictObject({ windows: z.array(window) }),
  targets: ({ sessionId }) => sessionId === undefined ? [] : [{ kind: "session", id: sessionId }],
  async run({ sessionId, filters }, { tmux, sees }) {
    const rows = await sees.rows(await tmux.windows.list(sessionId));
    return { windows: await applyFilters(rows, filters, window) };
  },
});

export const getWindowInfo = defineTool({
  name: "get-window-info",
  title: "Window info",
  description: "Describe one window, named by windowId, or by sessionId and windowIndex.",
  groups: ["read"],
  effect: "read",
  input: z.strictObject(windowRef),
  output: window,
  targets: windowTargets,
  async run(ref, { tmux }) {
    checkExclusive(ref, ["windowId", "windowIndex"]);
    if (ref.windowId !== undefined) return await tmux.windows.info(ref.windowId, ref.sessionId);
    if (ref.sessionId !== undefined && ref.windowIndex !== undefined) {
      return await tmux.windows.at(ref.sessionId, ref.windowIndex);
    }
    throw noWindow("windowId, or sessionId and windowIndex");
  },
});

export const createWindow = defineTool({
  name: "create-window",
  description: "Create a window in a session without switching to it. " +
    "Use split-pane for a pane beside another.",
  groups: ["create"],
  effect: "change",
  input: z.strictObject({
    sessionId,
    name: z.string().optional().describe("Window name"),
    startDirectory: startDirectory.optional(),
    command: command.optional(),
    attach: z.boolean().default(false).describe("Make it the session's current window"),
    environment: environment.optional(),
    direction: z.enum(["before", "after"]).optional().describe(
      "Place beside the current window; omitted: the first free index",
    ),
  }),
  output: z.strictObject({
    windowId: z.string(),
    windowName: z.string(),
    paneId: z.string(),
    sessionId: z.string(),
  }),
  divertsKeys: ({ attach }) => attach,
  targets: ({ sessionId }) => [{ kind: "session", id: sessionId }],
  shellText: ({ command }) => command === undefined ? [] : [{ kind: "command", text: command }],
  async run({ sessionId, ...spec }, { tmux, snapshot }) {
    return await tmux.windows.create(await tmux.sessions.idOf(sessionId, snapshot), spec);
  },
});

export const renameWindow = defineTool({
  name: "rename-window",
  description: "Rename a window; tmux then stops naming it after its program.",
  groups: ["rename"],
  effect: "change",
  input: z.strictObject({ windowId, newName: z.string().describe("New name") }),
  output: window,
  targets: ({ windowId }) => [{ kind: "window", id: windowId }],
  run: ({ windowId, newName }, { tmux }) => tmux.windows.rename(windowId, newName),
});

export const killWindow = defineTool({
  name: "kill-window",
  description: "Kill a window and every pane in it, in every session it is linked to.",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({ windowId }),
  output: z.strictObject({ killed: z.string() }),
  targets: ({ windowId }) => [{ kind: "window", id: windowId, ends: true }],
  async run({ windowId }, { tmux }) {
    await tmux.windows.kill(windowId);
    return { killed: windowId };
  },
});

export const moveWindow = defineTool({
  name: "move-window",
  description: "Move a window to another index, another session, or both, without switching to it.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    windowId,
    targetSessionId: sessionId.optional(),
    targetIndex: z.int().min(0).max(2_147_483_647).optional().describe(
      "Free window index; omitted: the first free one",
    ),
  }),
  output: window,
  targets: ({ windowId, targetSessionId }) => [
    { kind: "window", id: windowId, ...(targetSessionId !== undefined && { movesTo: targetSessionId }) },
    ...(targetSessionId === undefined ? [] : [{ kind: "session" as const, id: targetSessionId }]),
  ],
  async run({ windowId, targetSessionId, targetIndex }, { tmux, snapshot }) {
    if (targetSessionId === undefined && targetIndex === undefined) {
      const what = `Cannot move window "${windowId}": missing targetSessionId and targetIndex`;
      throw new AppError("invalid-argument", what, { hint: "Give targetSessionId, targetIndex, or both" });
    }
    const session = targetSessionId && await tmux.sessions.idOf(targetSessionId, snapshot);
    return await tmux.windows.move(windowId, { snapshot: await snapshot(), session, index: targetIndex });
  },
});

export const selectWindow = defineTool({
  name: "select-window",
  description:
    "Make a window the current one of its session: by windowId, by sessionId and windowIndex, or the next, previous or last of a session.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    ...windowRef,
    direction: z.enum(["next", "previous", "last"]).optional().describe("Step in sessionId"),
  }),
  output: window,
  targets: windowTargets,
  async run({ direction, ...ref }, { tmux, snapshot }) {
    const ways = { direction, ...ref };
    checkExclusive(ways, ["windowId", "windowIndex"], ["windowId", "direction"], [
      "windowIndex",
      "direction",
    ]);
    const session = ref.sessionId && await tmux.sessions.idOf(ref.sessionId, snapshot);
    if (ref.windowId !== undefined) {
      return await tmux.windows.select(tmux.windows.linkOf(await snapshot(), ref.windowId, session));
    }
    if (session && ref.windowIndex !== undefined) {
      return await tmux.windows.select(tmux.windows.linkAt(await snapshot(), session, ref.windowIndex));
    }
    if (session && direction !== undefined) return await tmux.windows.step(session, direction);
    throw noWindow("windowId, or sessionId with windowIndex or direction");
  },
});

export const selectLayout = defineTool({
  name: "select-layout",
  description: "Arrange a window's panes by a named layout, or by another window's layout string.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    windowId,
    layout: z.string().min(1).describe(
      "even-horizontal, even-vertical, main-horizontal, main-vertical, tiled, or a layout string",
    ),
  }),
  output: window,
  targets: ({ windowId }) => [{ kind: "window", id: windowId }],
  async run({ windowId, layout }, { tmux, snapshot }) {
    return await tmux.windows.selectLayout(windowId, layout, await snapshot());
  },
});

export const resizeWindow = defineTool({
  name: "resize-window",
  description: "Set a window's size; it then no longer follows the size of attached terminals. " +
    "Use resize-pane to divide the space inside it.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    windowId,
    width: cells.optional().describe("Columns"),
    height: cells.optional().describe("Rows"),
  }),
  output: window,
  targets: ({ windowId }) => [{ kind: "window", id: windowId }],
  async run({ windowId, width, height }, { tmux }) {
    if (width === undefined && height === undefined) {
      throw new AppError("invalid-argument", `Cannot resize window "${windowId}": missing width and height`, {
        hint: "Give width, height, or both",
      });
    }
    return await tmux.windows.resize(windowId, { width, height });
  },
});

export const setSynchronizePanes = defineTool({
  name: "set-synchronize-panes",
  title: "Synchronize panes",
  description:
    "Turn synchronized input of a window on or off: text typed into one pane goes to all of its panes.",
  groups: ["move"],
  effect: "change",
  // Keys that a person types into one pane then reach the others.
  effectOf: ({ enabled }) => enabled ? "input" : "change",
  shellText: () => [],
  synchronizes: ({ enabled }) => enabled,
  input: z.strictObject({ windowId, enabled: z.boolean().describe("True sends keys to every pane") }),
  output: z.strictObject({ windowId: z.string(), enabled: z.boolean() }),
  targets: ({ windowId }) => [{ kind: "window", id: windowId }],
  async run({ windowId, enabled }, { tmux }) {
    await tmux.windows.synchronize(windowId, enabled);
    return { windowId, enabled };
  },
});

function windowTargets(
  { windowId, sessionId, windowIndex, direction }: z.output<z.ZodObject<typeof windowRef>> & {
    direction?: string | undefined;
  },
): Target[] {
  const step = direction === undefined ? {} : { anyPane: true as const };
  const session: Target[] = sessionId === undefined ? [] : [{ kind: "session", id: sessionId, ...step }];
  if (windowId !== undefined) return [{ kind: "window", id: windowId }, ...session];
  if (sessionId === undefined || windowIndex === undefined) return session;
  return [{ kind: "window-index", session: sessionId, index: windowIndex }];
}

function noWindow(ways: string): AppError {
  return new AppError("invalid-argument", "Cannot tell which window you mean", { hint: `Give ${ways}` });
}
