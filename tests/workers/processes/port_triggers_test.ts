import { assertEquals } from "@std/assert";
import type { ListeningPort } from "../../../src/process/listening.ts";
import type { Probe } from "../../../src/process/probe.ts";
import { PortTriggers } from "../../../workers/processes/port_triggers.ts";

const OLD: ListeningPort = { port: 3000, address: "127.0.0.1", pid: 1, command: "old" };
const NEW: ListeningPort = { port: 8000, address: "127.0.0.1", pid: 2, command: "new" };
const TRIGGER = { kind: "port", event: "port" } as const;

/** A watch on ports of a pane in which these listen from its beginning on. */
function watched(ports: readonly ListeningPort[], before?: readonly ListeningPort[]): PortTriggers {
  const monitor = { poll: () => ports, first: ports, close: () => {} };
  const probe = { ports: () => monitor } as unknown as Probe;
  const pane = { panePid: 1, tty: "" };
  return new PortTriggers({ pane, probe, triggers: [TRIGGER], onlyNew: true, before });
}

Deno.test("a port is new that was not open before the command, though it was before its follow began again", () => {
  assertEquals(watched([OLD]).find(TRIGGER, 1000), undefined);
  const { before } = watched([OLD]);
  assertEquals(watched([OLD, NEW], before).find(TRIGGER, 1000), "new listens on 127.0.0.1:8000");
  assertEquals(watched([OLD], before).find(TRIGGER, 1000), undefined);
});
