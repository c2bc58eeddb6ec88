// Readiness of a running service, by its pane's options and its open ports.
import type { ListeningPort } from "../process/listening.ts";
import type { ServiceStart } from "../tmux/service_panes.ts";

/** Signs of readiness: the output to match, and the port to listen on. Without them, any port is one. */
type Signs = Pick<ServiceStart, "pattern" | "port">;

/**
 * Readiness by the signs that a call names, or those of the start. Open ports can be checked at any time. A pattern is
 * only looked for while the start is waited for. `ready` is absent later, and if the ports are unknown (undefined).
 */
export function readiness(
  start: ServiceStart,
  ports: readonly ListeningPort[] | undefined,
  signs: Signs = start,
): { ready?: boolean } {
  const { pattern, port } = signs;
  const wasSeen = start.ready === true && pattern === start.pattern && port === start.port;
  const listens = ports?.some((each) => port === undefined ? pattern === undefined : each.port === port);
  if (wasSeen || listens) return { ready: true };
  return pattern !== undefined || ports === undefined ? {} : { ready: false };
}
