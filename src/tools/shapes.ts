// Result shapes that many tools answer with.
import { z } from "zod";

export const session = z.strictObject({
  id: z.string(),
  name: z.string(),
  windows: z.int(),
  attached: z.boolean(),
  created: z.int(),
  activePaneId: z.string(),
});

export const pane = z.strictObject({
  id: z.string(),
  title: z.string(),
  index: z.int(),
  active: z.boolean(),
  width: z.int(),
  height: z.int(),
  currentCommand: z.string(),
  currentPath: z.string(),
  pid: z.int(),
  windowId: z.string(),
  sessionId: z.string(),
  isCaller: z.boolean().optional(),
});
