// The program in front of a watched pane, by which a later server sees that it has ended.
import { isObject } from "../json.ts";
import type { PaneProcess } from "../process/probe.ts";
import type { Tmux } from "../tmux/tmux.ts";

export interface StoredForeground {
  pid: number;
  /** Identifies the process together with the pid. */
  startTime: string;
  group: number;
}

/** Returns the program in front; undefined if that is unknown, or the pane's own process, whose end tmux reports. */
export async function readForeground(
  { machine: { inspector } }: Tmux,
  pane: PaneProcess,
): Promise<StoredForeground | undefined> {
  const { foregroundPid: pid, foregroundGroup: group } = await inspector.inspect(pane);
  const startTime = pid === pane.panePid ? undefined : await inspector.startTime(pid);
  return startTime === undefined ? undefined : { pid, startTime, group };
}

/** True if the program has ended and another is in front, other than the pane's own process. */
export async function isFollowed(
  { pid, startTime, group }: StoredForeground,
  pane: PaneProcess,
  { machine: { inspector } }: Tmux,
): Promise<boolean> {
  const { foregroundGroup } = await inspector.inspect(pane);
  if (foregroundGroup === group || foregroundGroup === pane.panePid) return false;
  return await inspector.startTime(pid) !== startTime;
}

export function isForeground(front: unknown): boolean {
  return isObject(front) && Number.isSafeInteger(front["pid"]) && Number.isSafeInteger(front["group"]) &&
    typeof front["startTime"] === "string";
}
