// Result shapes that many tools share.
import * as z from "zod";

export const session = z.strictObject({
  id: z.string(),
  name: z.string(),
  windows: z.int(),
  attached: z.boolean(),
  created: z.int(),
  /** Absent if that pane is out of scope. */
  activePaneId: z.string().optional(),
});

export const window = z.strictObject({
  id: z.string(),
  name: z.string(),
  index: z.int(),
  active: z.boolean(),
  panes: z.int(),
  sessionId: z.string(),
  sessionName: z.string(),
  /** Absent if a pane of the window is out of scope. */
  layout: z.string().optional(),
  width: z.int(),
  height: z.int(),
  zoomed: z.boolean(),
  /** Absent if that pane is out of scope. */
  activePaneId: z.string().optional(),
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

/** TCP ports that programs of a pane listen on. */
export const listening = z.array(z.strictObject({
  port: z.int(),
  address: z.string(),
  pid: z.int(),
  command: z.string(),
  /** Network namespace of the port, if it can't be reached from this machine's own. */
  namespace: z.string().optional(),
}));

/** Input that a program waits for. */
export const waiting = z.strictObject({
  inputKind: z.enum(["line", "password", "raw"]),
  foregroundCmd: z.string(),
  /** Absent if policy forbids reading pane contents. */
  prompt: z.string().optional(),
});

/** The questions that a person was asked to answer. */
export const handedOver = z.array(z.strictObject({
  inputKind: waiting.shape.inputKind,
  prompt: waiting.shape.prompt,
  seconds: z.number(),
  outcome: z.enum(["answered", "declined", "timeout"]),
}));

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
  /** Process ids and evidence are present only with `verbose`; the kind of input also if the program waits for input. */
  paneState: paneState.partial({ panePid: true, foregroundPid: true, inputKind: true, evidence: true })
    .optional(),
  exitCode: z.int().optional(),
  exitSignal: z.string().optional(),
  sessionId: z.string().optional(),
  commandId: z.string().optional(),
});

/** Result of a watch during which a person may have answered the program. */
export const answeredResult = watchResult.extend({
  handedOver: handedOver.optional(),
  hint: z.string().optional(),
});

export const paneInfo = pane.extend({
  windowName: z.string(),
  sessionName: z.string(),
  left: z.int(),
  top: z.int(),
  right: z.int(),
  bottom: z.int(),
  atLeft: z.boolean(),
  atRight: z.boolean(),
  atTop: z.boolean(),
  atBottom: z.boolean(),
  tty: z.string(),
  dead: z.boolean(),
  deadStatus: z.int().optional(),
  deadSignal: z.int().optional(),
  inMode: z.boolean(),
  mode: z.string().optional(),
  alternateOn: z.boolean(),
  historySize: z.int(),
  historyLimit: z.int(),
  startCommand: z.string().optional(),
});

/** Result of tools that type into a pane. */
export const typed = z.strictObject({
  paneId: z.string(),
  alsoTyped: z.array(z.string()).optional(),
  hint: z.string().optional(),
});

export function typedAnswer(paneId: string, alsoTyped: string[]): z.input<typeof typed> {
  return { paneId, ...(alsoTyped.length === 0 ? {} : { alsoTyped }) };
}

/** An error or warning in a tool's own format. */
const finding = z.strictObject({
  file: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
  severity: z.enum(["error", "warning", "info"]),
  message: z.string(),
  code: z.string().optional(),
  source: z.string(),
  offset: z.int(),
});

export const commandResult = z.strictObject({
  /** Absent if there is no record. */
  commandId: z.string().optional(),
  paneId: z.string(),
  status: z.enum(["running", "waiting", "completed", "lost", "cancelled"]),
  waiting: waiting.optional(),
  handedOver: handedOver.optional(),
  /** Set if Ctrl-Z has stopped the command, which has not ended. */
  stopped: z.literal(true).optional(),
  exitCode: z.int().optional(),
  /** Absent if policy forbids reading pane contents. */
  output: z.string().optional(),
  outputTruncated: z.boolean().optional(),
  nextOffset: z.int().optional(),
  /** Only with `grep`. */
  matches: z.int().optional(),
  findings: z.array(finding).optional(),
  findingsTotal: z.int().optional(),
  totalLines: z.int(),
  totalBytes: z.int(),
  elapsed: z.number(),
  paneAlive: z.boolean(),
  alternateScreen: z.boolean().optional(),
  /** Reason why the result is lost. */
  reason: z.string().optional(),
  hint: z.string().optional(),
});

export const server = z.strictObject({
  alive: z.boolean(),
  version: z.string(),
  pid: z.int().optional(),
  socketPath: z.string(),
  /** Absent if policy forbids listing. */
  sessions: z.int().optional(),
  host: z.string().optional(),
});
