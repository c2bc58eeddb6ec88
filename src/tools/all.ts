// All tools except those of prompts, in the order clients see them. A family has one file and one page of the
// reference.
import type { Tool } from "../tool.ts";
import * as arrangement from "./arrangement.ts";
import * as buffers from "./buffers.ts";
import { searchBuffer, subsearchBuffer } from "./buffer_search.ts";
import * as capture from "./capture.ts";
import { callTools } from "./call_tools.ts";
import * as commands from "./commands.ts";
import * as channels from "./channels.ts";
import * as display from "./display.ts";
import { askPersonTool } from "./handover.ts";
import * as input from "./input.ts";
import * as options from "./options.ts";
import * as panes from "./panes.ts";
import { paneStateTool } from "./pane_state.ts";
import { recordPane } from "./recording.ts";
import * as servers from "./servers.ts";
import { openLiveView } from "./live_view.ts";
import { runInRepl } from "./repl.ts";
import * as services from "./services.ts";
import * as sessions from "./sessions.ts";
import { screenshotPane } from "./picture.ts";
import { searchPanes } from "./search_panes.ts";
import { startAndWatch } from "./start_and_watch.ts";
import { snapshotPane } from "./snapshot.ts";
import { specialKeys } from "./special_keys.ts";
import { stopWatch, watchEvents, watchPane } from "./watch.ts";
import * as waiting from "./waiting.ts";
import * as windows from "./windows.ts";
import * as workspaces from "./workspaces.ts";

export const families: Readonly<Record<string, readonly Tool[]>> = {
  watch: [startAndWatch, watchPane, watchEvents, stopWatch],
  repl: [runInRepl],
  "pane-state": [paneStateTool],
  handover: [askPersonTool],
  commands: Object.values(commands),
  calls: [callTools],
  services: Object.values(services),
  workspaces: Object.values(workspaces),
  display: Object.values(display),
  sessions: Object.values(sessions),
  servers: Object.values(servers),
  windows: Object.values(windows),
  panes: Object.values(panes),
  arrangement: Object.values(arrangement),
  capture: [...Object.values(capture), snapshotPane, searchPanes],
  picture: [screenshotPane],
  "live-view": [openLiveView],
  recording: [recordPane],
  input: Object.values(input),
  "special-keys": specialKeys,
  waiting: Object.values(waiting),
  channels: Object.values(channels),
  buffers: [...Object.values(buffers), searchBuffer, subsearchBuffer],
  options: Object.values(options),
};

export const tools: readonly Tool[] = Object.values(families).flat();
