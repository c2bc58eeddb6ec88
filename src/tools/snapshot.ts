// Snapshots of a pane, taken at once or when its content has changed.
import * as z from "zod";
import { sha256Of } from "../bytes.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { count, paneId } from "./params.ts";
import { type PaneWait, untilTrigger } from "./pane_wait.ts";
import { paneInfo } from "./shapes.ts";

const output = paneInfo.omit({ id: true }).extend({
  paneId: z.string(),
  content: z.string(),
  contentTruncated: z.literal(true).optional(),
  cursorX: z.int(),
  cursorY: z.int(),
  cursorHidden: z.literal(true).optional(),
  scrollPosition: z.int().optional(),
  version: z.string(),
});

type PaneSnapshot = z.input<typeof output>;

/** Callers that wait for changes ask repeatedly, and attaching to tmux each time would cost more than the snapshot. */
const LINGER_MS = 2000;

export const snapshotPane = defineTool({
  name: "snapshot-pane",
  description:
    "Read what a pane shows together with its cursor, size, program and mode, all from the same moment. " +
    "With seen and waitSeconds it returns as soon as the content differs. " +
    "Use capture-pane for the text alone, get-pane-info for everything else.",
  groups: ["capture"],
  effect: "read",
  readsOn: "Call snapshot-pane with a smaller maxLines, or capture-pane with start and end.",
  input: z.strictObject({
    paneId,
    maxLines: count.default(500).describe("Maximum rows; the last ones are kept"),
    colors: z.boolean().default(false).describe("Keep color escape sequences and trailing blanks"),
    seen: z.string().optional().describe("Version from an earlier call"),
    waitSeconds: z.number().min(0).default(0).describe(
      "Maximum seconds to wait for content that differs from seen",
    ),
  }),
  output,
  targets: ({ paneId, seen }) => [{ kind: "pane", id: paneId, seen: seen !== undefined }],
  async run({ paneId, seen, waitSeconds, ...how }, context) {
    const take = (): Promise<PaneSnapshot> => snapshot(paneId, how, context);
    const shown = await take();
    return shown.version === seen ? await nextAfter(shown, { take, waitSeconds, context }) : shown;
  },
});

/** The pane's next screen that differs from `seen`; after `waitSeconds`, or for a dead pane, the current one. */
async function nextAfter(seen: PaneSnapshot, { take, waitSeconds, context }: {
  take(): Promise<PaneSnapshot>;
  waitSeconds: number;
  context: ToolContext;
}): Promise<PaneSnapshot> {
  const deadline = performance.now() + waitSeconds * 1000;
  let shown = seen;
  const differs = async (): Promise<boolean> => (shown = await take()).version !== seen.version;
  const triggers = [{ kind: "output", event: "output" } as const];
  const wait: Omit<PaneWait, "timeout"> = { triggers, lingerMs: LINGER_MS, context, recheck: differs };
  while (!shown.dead && shown.version === seen.version) {
    const timeout = (deadline - performance.now()) / 1000;
    if (timeout <= 0) break;
    if (await untilTrigger(seen.paneId, { ...wait, timeout }, differs)) await differs();
  }
  return shown;
}

async function snapshot(
  paneId: string,
  how: { maxLines: number; colors: boolean },
  { tmux }: ToolContext,
): Promise<PaneSnapshot> {
  const { lines, isCut, info: { id, ...info }, ...cursor } = await tmux.capture.snapshot(paneId, how);
  const screen = {
    content: lines.join("\n"),
    ...(isCut ? { contentTruncated: true as const } : {}),
    ...cursor,
  };
  const { width, height, inMode, dead } = info;
  const version = await digest({ ...screen, width, height, inMode, dead });
  return { paneId: id, ...screen, version, ...info };
}

async function digest(shown: unknown): Promise<string> {
  return (await sha256Of(JSON.stringify(shown))).slice(0, 16);
}
