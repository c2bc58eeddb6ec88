// `tmux-mcp watch PANE`: a watch from a shell, with one line of JSON per event.
import { ConfigError, type WatchCommand } from "../config.ts";
import { Engine } from "../engine.ts";
import { AppError, oneLine } from "../errors.ts";
import { END_SIGNALS } from "../process/signals.ts";
import type { InboxEvent } from "../watch/inbox.ts";
import type { WatchProgress } from "../watch/watch.ts";
import type { Invocation } from "./invocation.ts";

/** Exit codes: after an event; without one in time, or after an interruption; if it couldn't watch. */
const EXIT = { event: 0, timeout: 1, failure: 2 };

/** Replaces hints that name tools, which a person can't call. */
const NOT_FOUND = "tmux list-panes -a lists panes; --socket names another tmux server";

/** @throws {ConfigError} for a host that is not configured */
export async function runWatch(invocation: Invocation, command: WatchCommand): Promise<number> {
  checkHost(invocation, command);
  const { config: { options }, environment: env, sshEnvironment: sshEnv, complain } = invocation;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  for (const signal of END_SIGNALS) Deno.addSignalListener(signal, interrupt);
  const print = (event: object): void => {
    try {
      invocation.print(JSON.stringify(event));
    } catch {
      // The reader of stdout is gone.
      interrupt();
    }
  };
  const engine = new Engine({ options, env, sshEnv });
  try {
    const event = await watchPane(engine, command, { print, signal: interrupted.signal });
    print(event);
    return event.event === "timeout" || interrupted.signal.aborted ? EXIT.timeout : EXIT.event;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    complain(error.code === "not-found" ? `${error.message}. ${NOT_FOUND}` : oneLine(error));
    return EXIT.failure;
  } finally {
    await engine.close();
    for (const signal of END_SIGNALS) Deno.removeSignalListener(signal, interrupt);
  }
}

async function watchPane(
  engine: Engine,
  { paneId, triggers, timeout, mode, host }: WatchCommand,
  { print, signal }: { print(event: object): void; signal: AbortSignal },
): Promise<InboxEvent> {
  const { watches } = engine;
  const tmux = engine.connect({ host });
  const request = {
    tmux,
    triggers: await watches.triggers(triggers),
    mode: mode ?? "medium",
    timeout,
    ...(mode === undefined ? {} : {
      progress: ({ paneId, elapsed, newLines, lastLine }: WatchProgress) =>
        print({ at: Date.now() / 1000, paneId, event: "progress", elapsed, newLines, lastLine }),
    }),
  };
  const { cursor } = watches.inbox;
  await watches.run(await watches.paneSource(tmux, [paneId]), request, signal);
  return watches.inbox.read(cursor, 1).events[0]!;
}

function checkHost({ config }: Invocation, { host }: WatchCommand): void {
  if (host === undefined) return;
  const known = Object.keys(config.options.hosts);
  if (!known.includes(host)) {
    throw new ConfigError(
      `Unknown host "${host}". ${known.length === 0 ? "No host is configured" : `Valid: ${known}`}`,
    );
  }
}
