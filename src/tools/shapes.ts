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

export const paneState = z.strictObject({
  panePid: z.int(),
  foregroundPid: z.int(),
  foregroundCmd: z.string(),
  isAlive: z.boolean(),
  waitingForInput: z.boolean(),
  inputKind: z.enum(["none", "line", "password", "raw"]),
  exitCode: z.int().optional(),
  exitSignal: z.string().optional(),
  shell: z.string().optional(),
  evidence: z.string(),
});

export const watchResult = z.strictObject({
  paneId: z.string(),
  paneIds: z.array(z.string()).optional(),
  watchId: z.string().optional(),
  event: z.string().optional(),
  detail: z.string().optional(),
  elapsed: z.number().optional(),
  output: z.string().optional(),
  outputTruncated: z.boolean().optional(),
  totalLines: z.int().optional(),
  totalBytes: z.int().optional(),
  cursor: z.string().optional(),
  paneState: paneState.optional(),
  exitCode: z.int().optional(),
  exitSignal: z.string().optional(),
  sessionId: z.string().optional(),
  commandId: z.string().optional(),
});
