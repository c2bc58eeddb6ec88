// All resources, in the order clients see them.
import { commandResult } from "./commands.ts";
import { liveView } from "./live_view.ts";
import * as objects from "./objects.ts";
import * as panes from "./panes.ts";
import type { Resource } from "./resource.ts";
import { skill } from "./skills.ts";

export const resources: readonly Resource[] = [
  objects.serverInfo,
  objects.sessions,
  objects.session,
  objects.sessionWindows,
  objects.sessionWindow,
  objects.sessionTree,
  objects.windowInfo,
  panes.paneText,
  panes.paneInfo,
  panes.paneTail,
  panes.paneTailAnsi,
  panes.pane,
  panes.paneContent,
  objects.clients,
  commandResult,
  liveView,
  skill,
];
