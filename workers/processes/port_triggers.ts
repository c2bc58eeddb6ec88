// Finds the port triggers of a pane that have become true.
import { AppError } from "../../src/errors.ts";
import { describeListening, type ListeningPort, type PortMonitor } from "../../src/process/listening.ts";
import type { PaneProcess, Probe } from "../../src/process/probe.ts";
import type { Trigger } from "../../src/watch/protocol.ts";

export interface PortTriggersOptions {
  pane: PaneProcess;
  probe: Probe;
  triggers: readonly Trigger[];
  /** Count only ports that are opened from now on, or that were not open before. */
  onlyNew: boolean;
  before?: readonly ListeningPort[] | undefined;
}

/** Polling interval (ms) of ports; output makes a worker inspect every 25 ms. */
const POLL_EVERY_MS = 50;

export class PortTriggers {
  readonly isNeeded: boolean;
  readonly #monitor: PortMonitor | undefined;
  readonly #onlyNew: boolean;
  readonly #before: readonly ListeningPort[] | undefined;
  #ports: readonly ListeningPort[] = [];
  #polledAt = -Infinity;

  /** @throws {AppError} `unsupported` */
  constructor({ pane, probe, triggers, onlyNew, before }: PortTriggersOptions) {
    this.isNeeded = triggers.some(({ kind }) => kind === "port");
    this.#monitor = this.isNeeded ? startMonitor(probe, pane) : undefined;
    this.#onlyNew = onlyNew;
    this.#before = before;
    this.#poll(performance.now());
  }

  /** The ports that were open before; undefined if none are looked for, or another machine has yet to reply. */
  get before(): readonly ListeningPort[] | undefined {
    return this.#before ?? this.#monitor?.first;
  }

  /** Describes a listener on the trigger's port, or on any port if it names none; undefined if there is no listener. */
  find({ port }: Trigger & { kind: "port" }, now: number): string | undefined {
    this.#poll(now);
    const before = new Set(this.#onlyNew ? this.before?.map(keyOf) : []);
    const match = this.#ports.find((each) =>
      (port === undefined || each.port === port) && !before.has(keyOf(each))
    );
    return match && describeListening(match);
  }

  close(): void {
    this.#monitor?.close();
  }

  #poll(now: number): void {
    if (now - this.#polledAt < POLL_EVERY_MS) return;
    this.#polledAt = now;
    this.#ports = this.#monitor?.poll(now) ?? [];
  }
}

function startMonitor(probe: Probe, pane: PaneProcess): PortMonitor {
  const monitor = probe.ports?.(pane);
  if (monitor) return monitor;
  const what = "Cannot watch ports on this system: the server finds them on Linux only";
  throw new AppError("unsupported", what, {
    hint: "Watch for the line that the program prints when it is ready: pattern:REGEX",
  });
}

function keyOf({ pid, port, address }: ListeningPort): string {
  return `${pid} ${port} ${address}`;
}
