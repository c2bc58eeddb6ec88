// Pace of a watch's progress reports. The pace never delays a trigger.
import type { Mode } from "../vocabulary.ts";
import type { Pace } from "./protocol.ts";

export const PACES: Record<Mode, Pace> = {
  quick: { minMs: 500, everyMs: 1000, everyLines: 10 },
  medium: { minMs: 1000, everyMs: 5000, everyLines: 40 },
  slow: { minMs: 2000, everyMs: 30000, everyLines: 100 },
  line: { minMs: 200, everyLines: 1 },
  bunch: { minMs: 500, everyLines: 10 },
  screen: { minMs: 1000, everyLines: 40 },
};
