// Resources about panes: their content and their properties.
import type { Target } from "../tool.ts";
import type { PaneInfo } from "../tmux/objects/panes.ts";
import { type Resource, type ResourceArguments, type ResourceInstance, wholeNumber } from "./resource.ts";

const LINES = 200;
const ABOUT_PANE = { changes: "pane", targets: paneTarget } as const;
/** Common to resources with what a pane shows. */
const TEXT = { ...ABOUT_PANE, mimeType: "text/plain", groups: ["capture"] } as const;
/** Common to resources with a pane's properties. */
const PROPERTIES = { ...ABOUT_PANE, mimeType: "application/json", groups: ["list"] } as const;

export const paneText: Resource = {
  name: "resource-pane",
  title: "Pane text",
  description: `The last ${LINES} lines of a pane`,
  uri: "tmux://pane/{paneId}",
  ...TEXT,
  async read({ paneId }, { tmux }) {
    return (await tmux.capture.lastLines(paneId!, LINES)).join("\n");
  },
  list: ({ panes }) => panes.map((pane) => instance(pane, "Text")),
};

export const paneInfo: Resource = {
  name: "resource-pane-info",
  title: "Pane info",
  description: "One pane: place, size, program, history, mode",
  uri: "tmux://pane/{paneId}/info",
  ...PROPERTIES,
  read: ({ paneId }, { tmux }) => tmux.panes.info(paneId!),
  list: ({ panes }) => panes.map((pane) => instance(pane, "Info")),
};

export const paneTail: Resource = {
  name: "resource-pane-tail",
  title: "Pane tail",
  description: "The last lines of a pane",
  uri: "tmux://pane/{paneId}/tail/{lines}",
  ...TEXT,
  async read({ paneId, lines }, { tmux }) {
    return (await tmux.capture.lastLines(paneId!, wholeNumber("lines", lines!))).join("\n");
  },
};

export const paneTailAnsi: Resource = {
  ...paneTail,
  name: "resource-pane-tail-ansi",
  title: "Pane tail in color",
  description: "The last lines of a pane with color escape sequences",
  uri: "tmux://pane/{paneId}/tail/{lines}/ansi",
  async read({ paneId, lines }, { tmux }) {
    const count = wholeNumber("lines", lines!);
    return (await tmux.capture.lastLines(paneId!, count, { colors: true })).join("\n");
  },
};

export const pane: Resource = {
  name: "resource-panes",
  title: "Pane",
  description: "One pane, in short",
  uri: "tmux://panes/{paneId}",
  ...PROPERTIES,
  async read({ paneId }, { tmux }) {
    const { id, title, index, active, width, height, ...info } = await tmux.panes.info(paneId!);
    const { currentCommand, currentPath, pid, windowId, sessionId, isCaller } = info;
    const rest = { windowId, sessionId, ...(isCaller && { isCaller }) };
    return { id, title, index, active, width, height, currentCommand, currentPath, pid, ...rest };
  },
};

export const paneContent: Resource = {
  name: "resource-panes-content",
  title: "Pane screen",
  description: "The content that a pane shows",
  uri: "tmux://panes/{paneId}/content",
  ...TEXT,
  async read({ paneId }, { tmux }) {
    return (await tmux.capture.lines(paneId!)).join("\n");
  },
};

function paneTarget({ paneId }: ResourceArguments): Target[] {
  return [{ kind: "pane", id: paneId! }];
}

function instance({ id, sessionName, windowName, currentCommand }: PaneInfo, what: string): ResourceInstance {
  return {
    args: { paneId: id },
    title: `${what} of ${id} (${sessionName}: ${windowName}, ${currentCommand})`,
    id,
  };
}
