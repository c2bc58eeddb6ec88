// Every tool there is, in the order clients see them.
import type { Tool } from "../tool.ts";
import * as panes from "./panes.ts";
import * as sessions from "./sessions.ts";

export const tools: readonly Tool[] = [sessions, panes].flatMap((family) => Object.values(family));
