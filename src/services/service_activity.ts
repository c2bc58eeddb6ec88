// Tells whether a service runs, or another program in its pane.
import { AppError } from "../errors.ts";
import type { ListeningPort } from "../process/listening.ts";
import type { ServicePane } from "../tmux/service_panes.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Commands } from "../commands/commands.ts";
import { readActivity } from "../watch/pane_activity.ts";

export interface ServiceActivity {
  running: boolean;
  /** Undefined if that machine doesn't show them. */
  ports: ListeningPort[] | undefined;
  /** The service's program, if that is in front. */
  front?: { pid: number; command: string };
  /** Program in front in the pane of a service that has ended, or that runs in the background. */
  stranger?: string;
}

export async function inspectService(
  tmux: Tmux,
  pane: ServicePane,
  commands: Commands,
): Promise<ServiceActivity> {
  const prompts = commands.prompts.of(tmux.machine);
  const { state, runsProgram } = await readActivity(tmux, pane.paneId, { ports: true, prompts });
  const { isAlive, listening, foregroundPid, foregroundCmd } = state;
  const listens = (ports: readonly ListeningPort[] = []): boolean => isAlive && ports.length > 0;
  if (!runsProgram()) return { running: listens(listening), ports: listening };
  const front = { pid: foregroundPid, command: foregroundCmd };
  if (!hasEnded(pane, commands)) return { running: true, ports: listening, front };
  const ports = listening && await startedBefore(tmux, foregroundPid, listening);
  return { running: listens(ports), ports, stranger: foregroundCmd };
}

/** True if the service's command has returned to its shell, though its programs may be in the background. */
function hasEnded({ start: { commandId, ended } }: ServicePane, commands: Commands): boolean {
  return ended === true || commandId !== undefined && commands.hasCompleted(commandId);
}

/** Ports of programs that are older than the one in front. */
async function startedBefore(
  { machine: { inspector } }: Tmux,
  pid: number,
  ports: readonly ListeningPort[],
): Promise<ListeningPort[]> {
  const ages = await Promise.all(ports.map((port) => inspector.ageMs(port.pid)));
  // Read last: the program in front is not older than itself.
  const age = await inspector.ageMs(pid) ?? 0;
  return ports.filter((_port, index) => (ages[index] ?? 0) > age);
}

/** @throws {AppError} `denied` if this server runs in the service's pane */
export async function checkNotOwn(tmux: Tmux, { name, paneId }: ServicePane): Promise<void> {
  const own = (await tmux.panes.list()).find((pane) => pane.id === paneId)?.isCaller;
  if (!own) return;
  throw new AppError("denied", `Cannot end service "${name}": this server runs in its pane ${paneId}`, {
    hint: "End it in a terminal of your own",
  });
}

/**
 * Checks that an act which ends what is in front in the pane ends nobody else's program.
 * @throws {AppError} `busy` naming the program that runs in the pane in place of the service
 */
export function checkNoStranger(
  act: "start" | "restart" | "stop",
  { name, paneId }: ServicePane,
  { running, stranger }: ServiceActivity,
): void {
  if (stranger === undefined) return;
  const how = running ? "it runs in the background" : "it has ended";
  const message = `Cannot ${act} service "${name}": ${how}, and ${stranger} now runs in its pane ${paneId}`;
  throw new AppError("busy", message, {
    hint: act === "stop"
      ? `End ${stranger} there first`
      : `End ${stranger} there, or call ensure-service with restart, which ends it`,
  });
}
