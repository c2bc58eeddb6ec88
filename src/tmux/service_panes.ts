// Panes that run named services, and the options by which a later server finds them.
import { isObject, parseJson } from "../json.ts";
import type { Command } from "../tmux_exec/exec.ts";
import { flag, type RowOf } from "./columns.ts";
import { claimPane, SERVICE_OPTION, SERVICE_START_OPTION } from "./pane_claims.ts";
import { ifTrue } from "./conditions.ts";
import type { Tmux } from "./tmux.ts";
import { unmarkClaimed } from "./unclaimed_panes.ts";

/** Parameters that a service was started with. */
export interface ServiceStart {
  command: string;
  startDirectory?: string | undefined;
  environment?: Readonly<Record<string, string>> | undefined;
  /** Signs of readiness: the output to match, and the port to listen on. */
  pattern?: string | undefined;
  port?: number | undefined;
  /** Epoch seconds. */
  startedAt: number;
  /** Id that no other start has; absent from those of earlier versions. */
  id?: string | undefined;
  /** Stamp of the process that starts it, where other processes can check that. */
  by?: string | undefined;
  /** True once its command has been typed. */
  begun?: true;
  /** Record of its command, once that has been typed. */
  commandId?: string | undefined;
  /** True once its command has been seen to return; programs of it may run in the background. */
  ended?: true;
  /** True once it has been seen to be ready. */
  ready?: true;
}

const SERVICE = {
  name: `#{${SERVICE_OPTION}}`,
  start: { format: `#{${SERVICE_START_OPTION}}`, read: parseStart },
  paneId: "#{pane_id}",
  sessionId: "#{session_id}",
  sessionName: "#{session_name}",
  dead: flag("#{pane_dead}"),
};

export type ServicePane = RowOf<typeof SERVICE>;

/** Returns the panes of services, oldest first; none if no server runs. */
export async function listServicePanes(tmux: Tmux): Promise<ServicePane[]> {
  const panes = await tmux.rows.list(SERVICE, ["list-panes", "-a", "-f", `#{!=:#{${SERVICE_OPTION}},}`]);
  const each = tmux.rows.named(panes.map((pane) => ({ ...pane, id: pane.paneId })));
  return each.sort((a, b) => numberOf(a.paneId) - numberOf(b.paneId));
}

/** Notes in a pane's options that it runs a service, and the parameters that this was started with. */
export async function noteService(
  tmux: Tmux,
  { paneId, name }: Pick<ServicePane, "paneId" | "name">,
  start: ServiceStart,
): Promise<void> {
  await tmux.run([["has-session", "-t", paneId], ...optionCommands(paneId, name, start)]);
}

/** Notes a start in place of an earlier one, unless another call has done so since. Returns true if it is noted. */
export async function replaceStart(
  tmux: Tmux,
  { paneId, name, start }: Pick<ServicePane, "paneId" | "name" | "start">,
  next: ServiceStart,
): Promise<boolean> {
  const taken = `#{?${isStill(start)},0,1}`;
  if (await claimPane(tmux, paneId, { taken, options: optionCommands(paneId, name, next) })) return true;
  // A person can have written the options in another way, which is read alike.
  const now = (await listServicePanes(tmux)).find((pane) => pane.paneId === paneId);
  if (JSON.stringify(now?.start) !== JSON.stringify(start)) return false;
  await noteService(tmux, { paneId, name }, next);
  return true;
}

/** Returns a format that is true of a pane whose options are those of a start, or can't be read. */
function isStill({ id, commandId, startedAt }: ServiceStart): string {
  if (startedAt === 0) return "1";
  // Until its command is noted, no other call starts the service in the same second.
  const older = commandId === undefined ? `"startedAt":${startedAt}` : `"commandId":"${commandId}"`;
  return `#{m:*${id === undefined ? older : `"id":"${id}"`}*,#{${SERVICE_START_OPTION}}}`;
}

/** Adds what was seen of a service to the options, unless it was started again since these were last written. */
export async function updateService(
  tmux: Tmux,
  { paneId, name }: Pick<ServicePane, "paneId" | "name">,
  start: ServiceStart,
  written: ServiceStart,
): Promise<void> {
  const then = optionCommands(paneId, name, start);
  await tmux.run([["has-session", "-t", paneId], ifTrue(paneId, isStill(written), { then })]);
}

/** Makes a pane that of a service, unless another pane is. Returns true if it is. */
export async function claimService(
  tmux: Tmux,
  { paneId, name }: Pick<ServicePane, "paneId" | "name">,
  start: ServiceStart,
): Promise<boolean> {
  const taken = `#{m:*1*,#{S:#{W:#{P:#{==:#{${SERVICE_OPTION}},${name}}}}}}`;
  const options = [...optionCommands(paneId, name, start), unmarkClaimed(paneId)];
  return await claimPane(tmux, paneId, { taken, options });
}

function optionCommands(paneId: string, name: string, start: ServiceStart): Command[] {
  return [
    ["set-option", "-p", "-t", paneId, SERVICE_START_OPTION, JSON.stringify(start)],
    ["set-option", "-p", "-t", paneId, SERVICE_OPTION, name],
  ];
}

function numberOf(paneId: string): number {
  return Number(paneId.slice(1));
}

/** Reads the start parameters, defensively: a person can write anything into an option. */
function parseStart(text: string): ServiceStart {
  const start = parseJson(text);
  // An unknown command makes the next call restart the service.
  return isStart(start) ? start : { command: "", startedAt: 0 };
}

function isStart(value: unknown): value is ServiceStart {
  if (!isObject(value)) return false;
  const {
    command,
    startDirectory = "",
    environment = {},
    pattern = "",
    port = 0,
    commandId = "",
    by = "",
    id = "0",
    startedAt,
  } = value;
  return isObject(environment) &&
    [command, startDirectory, pattern, commandId, by, ...Object.values(environment)].every((each) =>
      typeof each === "string"
    ) && /^[\w-]+$/.test(`${id}${commandId}`) &&
    [port, startedAt].every(Number.isSafeInteger);
}
