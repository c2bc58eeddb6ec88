// The measures by name.
import { execute, longOutput, primitives, workflows } from "./calls.ts";
import { decode } from "./decode.ts";
import { idle, servers, steady } from "./footprint.ts";
import { ssh } from "./hosts.ts";
import type { Measure } from "./measure.ts";
import { modern } from "./modern.ts";
import { flood, manyPanes, watches } from "./scale.ts";
import { coldStart, toolList } from "./start.ts";
import { processEvents, triggers } from "./watching.ts";

export const MEASURES: Readonly<Record<string, Measure>> = {
  start: coldStart,
  list: toolList,
  idle,
  servers,
  steady,
  primitives,
  ssh,
  execute,
  output: longOutput,
  workflows,
  triggers,
  events: processEvents,
  modern,
  decode,
  watches,
  flood,
  panes: manyPanes,
};
