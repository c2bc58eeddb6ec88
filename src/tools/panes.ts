// Tools on panes: find, create, name and end them.
import * as z from "zod";
import { defineTool, type Target } from "../tool.ts";
import type { PaneInfo } from "../tmux/objects/panes.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { applyFilters, filtersLike } from "./filters.ts";
import {
  command,
  direction,
  environment,
  paneId,
  percent,
  sessionId,
  startDirectory,
  windowId,
} from "./params.ts";
import { pane, paneInfo } from "./shapes.ts";

export const listPanes = defineTool({
  name: "list-panes",
  description: "List panes and what runs in them. Use search-panes to find a pane by its text.",
  scope: "both",
  groups: ["list"],
  effect: "read",
  readsOn: "Call list-panes with windowId, sessionId or filters.",
  alwaysLoad: true,
  input: z.strictObject({
    windowId: windowId.optional(),
    sessionId: sessionId.optional(),
    filters: filtersLike('{"currentCommand__in": ["vim", "nvim"]}'),
  }),
  output: z.strictObject({ panes: z.array(pane) }),
  targets: ({ windowId, sessionId }) => [
    ...(windowId === undefined ? [] : [{ kind: "window" as const, id: windowId }]),
    ...(sessionId === undefined ? [] : [{ kind: "session" as const, id: sessionId }]),
  ],
  async run({ filters, ...where }, { tmux }) {
    return { panes: await applyFilters(await tmux.panes.list(where), filters, pane) };
  },
});

export const getPaneInfo = defineTool({
  name: "get-pane-info",
  title: "Pane info",
  description: "Describe one pane: position, size, program, history, mode. " +
    "Use snapshot-pane to get its content too, pane-state to learn whether it is waiting for input.",
  groups: ["read"],
  effect: "read",
  input: z.strictObject({ paneId }),
  output: paneInfo,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  run: ({ paneId }, { tmux }) => tmux.panes.info(paneId),
});

export const findPaneByPosition = defineTool({
  name: "find-pane-by-position",
  description:
    "Find the pane in a corner of a window, as a person sees it: a zoomed pane is in every corner.",
  groups: ["read"],
  effect: "read",
  input: z.strictObject({
    windowId,
    corner: z.enum(["top-left", "top-right", "bottom-left", "bottom-right"]).describe("Corner of the window"),
  }),
  output: paneInfo,
  targets: ({ windowId }) => [{ kind: "window", id: windowId }],
  run: ({ windowId, corner }, { tmux }) => tmux.panes.atCorner(windowId, corner),
});

export const splitPane = defineTool({
  name: "split-pane",
  description: "Create a pane beside, above or below another; the focus doesn't move.",
  scope: "both",
  groups: ["split"],
  effect: "change",
  input: z.strictObject({
    paneId,
    direction,
    size: percent.optional(),
    startDirectory: startDirectory.optional(),
    command: command.optional(),
    environment: environment.optional(),
  }),
  output: z.strictObject({ paneId: z.string(), windowId: z.string() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ command }) => command === undefined ? [] : [{ kind: "command", text: command }],
  run: ({ paneId, ...spec }, { tmux }) => tmux.panes.split(paneId, spec),
});

export const renamePane = defineTool({
  name: "rename-pane",
  description: "Set a pane's title; the program in it may set another one.",
  groups: ["rename"],
  effect: "change",
  input: z.strictObject({ paneId, title: z.string().describe("New title") }),
  output: paneInfo,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, title }, { tmux, snapshot }) {
    return await tmux.panes.rename(paneId, title, await snapshot());
  },
});

export const killPane = defineTool({
  name: "kill-pane",
  description: "Kill a pane and its program. Use send-keys with C-c to interrupt it.",
  scope: "both",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({ paneId }),
  output: z.strictObject({ killed: z.string() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId, ends: true }],
  async run({ paneId }, { tmux }) {
    await tmux.panes.kill(paneId);
    return { killed: paneId };
  },
});

export const respawnPane = defineTool({
  name: "respawn-pane",
  description: "Restart a pane's command, or start another one in the same pane.",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({
    paneId,
    kill: z.boolean().default(true).describe("Kill the program still running in it"),
    command: command.optional().describe("Shell command; omitted: the one the pane was created with"),
    startDirectory: startDirectory.optional(),
    environment: environment.optional(),
  }),
  output: paneInfo,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ command }) => command === undefined ? [] : [{ kind: "command", text: command }],
  async run({ paneId, ...spec }, { tmux, decideOn }) {
    const respawn = (tmux: Tmux): Promise<PaneInfo> => tmux.panes.respawn(paneId, spec);
    const again = spec.command === undefined ? (await tmux.panes.info(paneId)).startCommand : undefined;
    if (again === undefined) return await respawn(tmux);
    const target = { kind: "pane", id: paneId } as const;
    const shellText = [{ kind: "opaque", text: again } as const];
    return await decideOn({ effect: "destroy", targets: [target], shellText }, respawn);
  },
});

export const clearPane = defineTool({
  name: "clear-pane",
  description: "Clear a pane's screen and history permanently; no key is typed. " +
    "If alternateScreen is returned, the main screen under the editor was not cleared.",
  groups: ["kill"],
  effect: "destroy",
  input: z.strictObject({ paneId }),
  output: z.strictObject({ paneId: z.string(), alternateScreen: z.literal(true).optional() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId }, { tmux }) {
    const { alternateOn } = await tmux.panes.clear(paneId);
    return { paneId, ...(alternateOn && { alternateScreen: true as const }) };
  },
});

export const pipePane = defineTool({
  name: "pipe-pane",
  description:
    "Copy everything a pane prints from now on to a file in an allowed directory; outputPath null stops it. " +
    "Use record-pane to record the timing too.",
  groups: ["options"],
  effect: "input",
  input: z.strictObject({
    paneId,
    outputPath: z.string().min(1).nullable().describe("File to write; null stops copying"),
    append: z.boolean().default(true).describe("Append instead of replacing the file"),
  }),
  output: z.strictObject({ paneId: z.string(), outputPath: z.string().optional(), piping: z.boolean() }),
  targets: ({ paneId, outputPath }): Target[] => [
    { kind: "pane", id: paneId },
    ...(outputPath === null ? [] : [{ kind: "path" as const, path: outputPath, list: "output" as const }]),
  ],
  shellText: () => [],
  async run({ paneId, outputPath, append }, { tmux, snapshot, pipesOutput }) {
    if (outputPath === null) {
      const { serverKey, panes } = await snapshot();
      const panePid = panes.find((pane) => pane.paneId === paneId)?.pid;
      // A command's or a watch's is nobody's copy; without it, output would be lost.
      const isOurs = panePid !== undefined && pipesOutput({ paneId, panePid, serverKey });
      return { paneId, piping: isOurs ? false : await tmux.pipes.stop(paneId) };
    }
    const { file, piping } = await tmux.pipes.start(paneId, outputPath, { append });
    return { paneId, outputPath: file, piping };
  },
});
