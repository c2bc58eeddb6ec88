// A worker with one permission, libc by path: what it can learn there it posts back.

import { openLibc } from "../../src/ffi/libc.ts";
import type { PaneProcess } from "../../src/process/probe.ts";
import { createProbe } from "../../src/process/create_probe.ts";

self.onmessage = ({ data }: MessageEvent<{ libc: string; pane: PaneProcess }>) => {
  const probe = createProbe(openLibc(data.libc));
  self.postMessage(probe.inspect(data.pane));
};
