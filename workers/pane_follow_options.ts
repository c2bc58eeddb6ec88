// Options of a followed pane, which its watch sets.
import type { Poller } from "../src/ffi/poller.ts";
import type { Probe } from "../src/process/probe.ts";
import type { FollowSpec, PaneMessage } from "../src/watch/protocol.ts";
import type { PaneStreamOptions } from "./sources/pane_stream.ts";
import type { Patterns } from "./text/patterns.ts";

export interface PaneFollowOptions extends Pick<PaneStreamOptions, "pane" | "sourceOf"> {
  spec: FollowSpec;
  probe: Probe;
  /** Reports the ends of processes. */
  poller: Poller;
  patterns: Patterns;
  post(message: PaneMessage): void;
  /** Returns the place that another follow of the pane has reached; undefined if there is no other. */
  placeOfOther(): number | undefined;
  /** Called when the follow can't continue. */
  failed(error: unknown): void;
  /** Called when the next tick may find something. */
  pollSoon(): void;
}
