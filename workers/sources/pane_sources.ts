// Sources of a worker's panes: one control client per session, or the panes' pipes where no client may attach.
import { AppError } from "../../src/errors.ts";
import type { Libc } from "../../src/ffi/libc.ts";
import { Attacher } from "../../src/tmux_protocol/attacher.ts";
import { withoutHookFailures } from "../../src/tmux/batch_end.ts";
import { createExec } from "../../src/tmux/client.ts";
import type { ClientHandle } from "../../src/tmux_exec/control_channel.ts";
import { FIFO_BYTES, type Fifos, openFifos } from "../../src/ffi/fifos.ts";
import type { SocketLibc } from "../../src/ffi/sockets.ts";
import { Poller } from "../../src/ffi/poller.ts";
import { CLIENT_OF, type ServerRef } from "../../src/watch/protocol.ts";
import type { PipeReaderContext } from "./pipe_pane_reader.ts";
import { UnattachedPaneSources } from "./unattached_pane_sources.ts";
import { PipeProcesses } from "./pipe_processes.ts";
import type { PaneLocation, PaneSource } from "./pane_source.ts";
import { SharedControlClient } from "./shared_control_client.ts";
import { temporaryFolder } from "../../src/temporary_folder.ts";
import { getOrCreate } from "../../src/maps.ts";

export interface PaneSourcesOptions {
  libc: Libc;
  socketLibc: SocketLibc;
  /** A client began, or a pipe in its place. */
  began(handle: ClientHandle): void;
  ended(handle: ClientHandle): void;
}

/**
 * Pause (ms) between reads. A flood fills a fifo in 10 to 30 ms but never makes tmux wait: `seq` cost us 0.43 s of
 * CPU with a pause of 2 ms, 0.25 s with 8 ms.
 */
const PIPE_REST_MS = 8;

export class PaneSources {
  readonly #options: PaneSourcesOptions;
  readonly #attacher: Attacher;
  readonly #poller: Poller;
  readonly #processes: PipeProcesses;
  readonly #links: Map<string, SharedControlClient> = new Map();
  readonly #unattached: Map<string, UnattachedPaneSources> = new Map();
  #fifos: Fifos | undefined;
  readonly #buffer = new Uint8Array(FIFO_BYTES);

  constructor(options: PaneSourcesOptions) {
    this.#options = options;
    const { libc, socketLibc } = options;
    // The host frees what an ended client held, because only the host outlives this worker.
    this.#attacher = new Attacher(socketLibc, () => {});
    this.#poller = new Poller(socketLibc, { restMs: PIPE_REST_MS });
    this.#processes = new PipeProcesses(libc);
  }

  /** Settles when nothing is being read any more. */
  get idle(): Promise<void> {
    return this.#poller.idle;
  }

  /** Ends each control client once nothing follows a pane through it. */
  endUnused(): void {
    for (const link of this.#links.values()) link.endUnused();
  }

  of(server: ServerRef, { paneId, sessionId, commandSpool }: PaneLocation): PaneSource {
    const key = [...(server.via?.args ?? []), server.bin, ...server.socketArgs].join("\0");
    if (server.unattached && server.via) throw tooFar(server.via.host);
    return server.unattached
      ? this.#unattachedOf(key, server).of(paneId, commandSpool)
      : this.#link(key, server, sessionId);
  }

  #link(place: string, server: ServerRef, sessionId: string): SharedControlClient {
    const key = `${place}\0${sessionId}`;
    const open = this.#links.get(key);
    if (open && !open.closed) return open;
    const { began, ended } = this.#options;
    const pipeContext = server.via ? undefined : this.#pipeContext(server);
    const link = new SharedControlClient({
      server,
      attacher: this.#attacher,
      sessionId,
      ...(pipeContext && { pipeContext }),
      began,
      ended: (handle) => {
        if (this.#links.get(key) === link) this.#links.delete(key);
        ended(handle);
      },
    });
    this.#links.set(key, link);
    return link;
  }

  #unattachedOf(key: string, server: ServerRef): UnattachedPaneSources {
    return getOrCreate(this.#unattached, key, () => {
      const { libc: files, socketLibc } = this.#options;
      const { exec } = createExec({ ...server, protocol: server.verified !== undefined }, socketLibc);
      const pipeContext = this.#pipeContext(server);
      return new UnattachedPaneSources({ exec: withoutHookFailures(exec), pipeContext, files });
    });
  }

  #pipeContext(server: ServerRef): PipeReaderContext {
    const { libc, began, ended } = this.#options;
    return {
      fifos: this.#fifos ??= openFifos(libc.path),
      buffer: this.#buffer,
      poller: this.#poller,
      stamp: server.env[CLIENT_OF] ?? "",
      folder: temporaryFolder(server.env),
      processes: this.#processes,
      signal: (pid, signal) => void libc.kill(pid, signal),
      began,
      ended,
    };
  }
}

function tooFar(host: string): AppError {
  return new AppError("unsupported", `Cannot follow panes of host "${host}" without attaching`, {
    hint: "Run tmux-mcp on that machine, or let clients attach",
  });
}
