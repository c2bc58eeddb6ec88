// Readiness of a running service, by its pane's options, its open ports and what its command has printed.
import type { Commands } from "../commands/commands.ts";
import { compileRegex } from "../regex.ts";
import { TimeSlice } from "../timer.ts";
import type { ServiceStart } from "../tmux/service_panes.ts";
import type { ServiceActivity } from "./service_activity.ts";

/** Signs of readiness: the output to match, and the port to listen on. Without them, any port is one. */
type Signs = Pick<ServiceStart, "pattern" | "port">;

/** Characters of the output in which a pattern is looked for, at each call: a quarter of a second for RE2. */
const MAX_SEARCHED = 2 * 1024 * 1024;
/** Number of lines between checks of the clock. */
const LINES_PER_CHECK = 500;

/**
 * Readiness by the signs that a call names, or those of the start. Open ports can be checked at any time. Without a match
 * of the pattern, `ready` is absent: a line that was overwritten is not in the output. So it is if the ports are unknown.
 */
export async function readiness(
  start: ServiceStart,
  { ports }: Pick<ServiceActivity, "ports">,
  { commands, signs: { pattern, port } = start }: { commands: Commands; signs?: Signs },
): Promise<{ ready?: boolean }> {
  const wasSeen = start.ready === true && pattern === start.pattern && port === start.port;
  const listens = ports?.some((each) => port === undefined ? pattern === undefined : each.port === port);
  if (wasSeen || listens) return { ready: true };
  if (pattern === undefined) return ports === undefined ? {} : { ready: false };
  return await hasPrinted(pattern, start, commands).catch(() => false) ? { ready: true } : {};
}

/** True if the kept output of a service's command matches, whether a call waited for that or not. */
async function hasPrinted(
  pattern: string,
  { commandId }: ServiceStart,
  commands: Commands,
): Promise<boolean> {
  const tracked = commandId === undefined ? undefined : await commands.find(commandId);
  if (tracked === undefined) return false;
  const regex = await compileRegex(pattern);
  await tracked.output.flush();
  const slice = new TimeSlice();
  let room = MAX_SEARCHED;
  for (const { text, offset } of tracked.output.lines.forward()) {
    if (regex.test(text)) return true;
    room -= text.length;
    if (room < 0) return false;
    if (offset % LINES_PER_CHECK === 0 && slice.over) await slice.pass();
  }
  return false;
}
