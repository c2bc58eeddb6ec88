// Pace of a watch's progress reports. Pacing never delays a trigger.
import type { Mode } from "../vocabulary.ts";
import type { Pace } from "./protocol.ts";

export const PACES: Record<Mode, Pace> = {
  quick: { lookMs: 500, everyMs: 1000, everyLines: 10 },
  medium: { lookMs: 1000, everyMs: 5000, everyLines: 40 },
  slow: { lookMs: 2000, everyMs: 30000, everyLines: 100 },
  line: { lookMs: 200, everyLines: 1 },
  bunch: { lookMs: 500, everyLines: 10 },
  screen: { lookMs: 1000, everyLines: 40 },
};
