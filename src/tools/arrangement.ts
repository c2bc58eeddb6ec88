// Tools that arrange panes: focus, size, zoom, moving them between windows, copy mode.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool, type Target } from "../tool.ts";
import { cells, direction, paneId, percent, windowId } from "./params.ts";
import { checkExclusive } from "./argument_conflicts.ts";
import { paneInfo, window } from "./shapes.ts";

const EDGES = { U: "U", D: "D", L: "L", R: "R", up: "U", down: "D", left: "L", right: "R" } as const;

export const selectPane = defineTool({
  name: "select-pane",
  description: "Make a pane the active one of its window: by paneId, or by windowId and a direction.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    paneId: paneId.optional(),
    windowId: windowId.optional(),
    direction: z.enum(["up", "down", "left", "right", "last", "next", "previous"]).optional().describe(
      "Direction from windowId's active pane",
    ),
  }),
  output: paneInfo,
  targets: ({ paneId, windowId }): Target[] => {
    if (paneId !== undefined) return [{ kind: "pane", id: paneId }];
    return windowId === undefined ? [] : [{ kind: "window", id: windowId, anyPane: true }];
  },
  async run({ paneId, windowId, direction }, { tmux }) {
    checkExclusive({ paneId, windowId, direction }, ["paneId", "windowId"], ["paneId", "direction"]);
    if (paneId !== undefined) return await tmux.arrangement.select(paneId);
    if (windowId !== undefined && direction !== undefined) {
      return await tmux.arrangement.step(windowId, direction);
    }
    throw new AppError("invalid-argument", "Cannot tell which pane you mean", {
      hint: "Give paneId, or windowId and direction",
    });
  },
});

export const resizePane = defineTool({
  name: "resize-pane",
  description:
    "Resize a pane: to a width and height, by an amount in a direction, or zoomed to fill its window.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    paneId,
    width: cells.optional().describe("Columns"),
    height: cells.optional().describe("Rows"),
    direction: z.enum(Object.keys(EDGES) as (keyof typeof EDGES)[]).optional().describe("Edge to move"),
    amount: z.int().min(0).max(10000).optional().describe("Cells to move the border by (5)"),
    zoom: z.boolean().optional().describe("True fills the window; false restores the size"),
  }),
  output: paneInfo,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, width, height, direction, amount, zoom }, { tmux }) {
    const sized = width !== undefined || height !== undefined;
    const moved = direction !== undefined;
    if ([sized, moved, zoom !== undefined].filter(Boolean).length !== 1 || (amount !== undefined && !moved)) {
      throw new AppError("invalid-argument", `Cannot tell how to resize pane "${paneId}"`, {
        hint: "Give width and height, or direction and amount, or zoom",
      });
    }
    if (moved) return await tmux.arrangement.shift(paneId, EDGES[direction], amount ?? 5);
    if (sized) return await tmux.arrangement.resize(paneId, { width, height });
    const { zoomed: _zoomed, ...info } = await tmux.arrangement.zoom(paneId, zoom);
    return info;
  },
});

export const zoomPane = defineTool({
  name: "zoom-pane",
  description: "Zoom a pane to fill its window, or unzoom it; without zoomed, it toggles.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    paneId,
    zoomed: z.boolean().optional().describe("Desired state; omitted: toggle"),
  }),
  output: z.strictObject({ paneId: z.string(), zoomed: z.boolean() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, zoomed }, { tmux }) {
    return { paneId, zoomed: (await tmux.arrangement.zoom(paneId, zoomed)).zoomed };
  },
});

export const joinPane = defineTool({
  name: "join-pane",
  description: "Move a pane into another pane's window, beside, above or below it. The focus does not move.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    sourcePaneId: paneId.describe("Pane to move"),
    targetPaneId: paneId.describe("Pane to put it beside"),
    direction,
    size: percent.optional(),
  }),
  output: paneInfo,
  targets: ({ sourcePaneId, targetPaneId }) => [
    { kind: "pane", id: sourcePaneId, leaves: true, joins: true },
    { kind: "pane", id: targetPaneId },
  ],
  run: ({ sourcePaneId, targetPaneId, ...where }, { tmux }) =>
    tmux.arrangement.join(sourcePaneId, targetPaneId, where),
});

export const breakPane = defineTool({
  name: "break-pane",
  description: "Move a pane into a new window of its session without switching to it.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({ paneId, name: z.string().optional().describe("Name of the new window") }),
  output: window.extend({ paneId: z.string() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId, leaves: "others" }],
  async run({ paneId, name }, { tmux, snapshot }) {
    return { ...await tmux.arrangement.breakOut(paneId, { snapshot: await snapshot(), name }), paneId };
  },
});

export const swapPane = defineTool({
  name: "swap-pane",
  title: "Swap panes",
  description: "Swap two panes.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    sourcePaneId: paneId.describe("One pane"),
    targetPaneId: paneId.describe("The other pane"),
  }),
  output: paneInfo,
  targets: ({ sourcePaneId, targetPaneId }) => [
    { kind: "pane", id: sourcePaneId, leaves: true },
    { kind: "pane", id: targetPaneId, leaves: true },
  ],
  run: ({ sourcePaneId, targetPaneId }, { tmux }) => tmux.arrangement.swap(sourcePaneId, targetPaneId),
});

export const enterCopyMode = defineTool({
  name: "enter-copy-mode",
  description:
    "Put a pane into copy mode, which freezes its view and takes its keys; exit-copy-mode ends it. " +
    "To read history use capture-pane, which needs no mode.",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({
    paneId,
    scrollUp: z.int().min(0).max(1_000_000).default(0).describe("Lines to scroll up"),
  }),
  output: paneInfo,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  run: ({ paneId, scrollUp }, { tmux }) => tmux.panes.enterCopyMode(paneId, scrollUp),
});

export const exitCopyMode = defineTool({
  name: "exit-copy-mode",
  description: "Take a pane out of copy mode so that it accepts input.",
  scope: "both",
  groups: ["move"],
  effect: "change",
  input: z.strictObject({ paneId }),
  output: paneInfo,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  run: ({ paneId }, { tmux }) => tmux.panes.exitCopyMode(paneId),
});
