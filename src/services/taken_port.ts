// Finds the program that already listens on a port.
import { AppError } from "../errors.ts";
import type { ListeningPort, TakenPort } from "../process/listening.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { pollUntil } from "../timer.ts";

/** Time for the program of a service that has just ended to release its port (ms). */
const FREE_MS = 2000;
const POLL_MS = 100;

/** Local addresses that a server may bind if it names none, or `localhost`; a port of any other address is free for it. */
const USUAL = new Set(["0.0.0.0", "::", "127.0.0.1", "::1"]);

interface WantedPort {
  port: number;
  /** Ports of the service's own pane, which it releases before it starts again. */
  own?: readonly ListeningPort[] | undefined;
}

/** @throws {AppError} `busy` naming the program that listens on the port */
export async function checkPort(tmux: Tmux, service: string, { port, own = [] }: WantedPort): Promise<void> {
  let taken: TakenPort | undefined;
  const isFree = async (): Promise<boolean> => {
    const all = await tmux.machine.inspector.taken?.(port) ?? [];
    taken = all.find(({ address }) => USUAL.has(address) && !own.some((each) => isAt(each, port, address)));
    return taken === undefined;
  };
  if (await pollUntil(isFree, { ms: FREE_MS, pauseMs: POLL_MS })) return;
  throw await portTaken(tmux, service, taken!);
}

/** True for a port of this machine's own network. */
function isAt(each: ListeningPort, port: number, address: string): boolean {
  return each.port === port && each.address === address && each.namespace === undefined;
}

async function portTaken(tmux: Tmux, service: string, taken: TakenPort): Promise<AppError> {
  const { program, paneId } = await findListener(tmux, taken);
  const by = program === undefined ? "" : ` by ${program}`;
  const where = paneId === undefined ? "" : ` in pane ${paneId}`;
  const message = `Cannot start service "${service}": port ${taken.port} is taken${by}${where}`;
  const end = paneId === undefined ? "End that program" : `End it in pane ${paneId}`;
  return new AppError("busy", message, {
    hint: program === undefined
      ? "Give the service another port"
      : `${end}, or give the service another port`,
  });
}

/** Program that listens on a port, as a call may see it: `program` is undefined if its pane is out of scope. */
export async function findListener(
  tmux: Tmux,
  { pid, command }: TakenPort,
): Promise<{ program?: string; paneId?: string }> {
  if (pid === undefined) return { program: "a program of another user" };
  const program = `${command} (pid ${pid})`;
  const { panes, serverKey } = await tmux.snapshot();
  for (const pane of panes) {
    const ports = await tmux.machine.inspector.listening?.({ panePid: pane.pid, tty: pane.tty });
    if (!ports?.some((port) => port.pid === pid)) continue;
    return tmux.sees({ ...pane, serverKey }) ? { program, paneId: pane.paneId } : {};
  }
  return { program };
}
