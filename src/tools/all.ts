// Every tool there is, in the order clients see them; a family is a file, and a page of the reference.
import type { Tool } from "../tool.ts";
import * as arrangement from "./arrangement.ts";
import * as capture from "./capture.ts";
import * as commands from "./commands.ts";
import * as input from "./input.ts";
import * as panes from "./panes.ts";
import { paneStateTool } from "./pane_state.ts";
import { recordPane } from "./recording.ts";
import * as sessions from "./sessions.ts";
import { screenshotPane } from "./picture.ts";
import { searchPanes } from "./search_panes.ts";
import { specialKeys } from "./special_keys.ts";
import { stopWatch, watchEvents, watchPane } from "./watch.ts";
import * as windows from "./windows.ts";

export const families: Readonly<Record<string, readonly Tool[]>> = {
  watch: [watchPane, watchEvents, stopWatch],
  "pane-state": [paneStateTool],
  commands: Object.values(commands),
  sessions: Object.values(sessions),
  windows: Object.values(windows),
  panes: Object.values(panes),
  arrangement: Object.values(arrangement),
  capture: [...Object.values(capture), searchPanes],
  picture: [screenshotPane],
  recording: [recordPane],
  input: Object.values(input),
  "special-keys": specialKeys,
};

export const tools: readonly Tool[] = Object.values(families).flat();
