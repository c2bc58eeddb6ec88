// Parameters of a service's start: of a new one, and compared with those of the running service.
import type { ServiceStart } from "../tmux/service_panes.ts";

export type StartParameters = Omit<ServiceStart, "startedAt" | "begun" | "ended" | "ready" | "commandId">;

/** Returns the start that begins now. */
export function newStart(
  { command, startDirectory, environment, pattern, port }: StartParameters,
): ServiceStart {
  return { command, startDirectory, environment, pattern, port, startedAt: Math.floor(Date.now() / 1000) };
}

/** True if a call describes the running service; omitted fields count as equal. */
export function isSame(
  { command, startDirectory, environment }: StartParameters,
  start: ServiceStart,
): boolean {
  const text = (variables: ServiceStart["environment"]) =>
    JSON.stringify(Object.entries(variables ?? {}).sort());
  return command === start.command &&
    (startDirectory === undefined || startDirectory === start.startDirectory) &&
    (environment === undefined || text(environment) === text(start.environment));
}
