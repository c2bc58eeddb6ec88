// The recordings of this server, one per pane.
import { AppError } from "../errors.ts";
import { settled } from "../promises.ts";
import { within } from "../timer.ts";
import type { Masks } from "../masking/masks.ts";
import type { OutputFiles } from "../terminal/output_files.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { findPanes, streamOf } from "./pane_refs.ts";
import type { RemainOnExitLeases } from "./remain_on_exit_leases.ts";
import { Recording } from "./recording.ts";
import type { Supervisor } from "./supervisor.ts";

/** Time (ms) for the last output at the end of the server, which clients soon kill. */
const LAST_MS = 500;

export interface RecordingsOptions {
  supervisor: Supervisor;
  leases: RemainOnExitLeases;
  files: OutputFiles;
  masks?: Masks | undefined;
}

export class Recordings {
  readonly #options: RecordingsOptions;
  /** Recordings by pane id. One that ended with its pane stays until it is asked for. */
  readonly #recordings: Map<string, Recording> = new Map();
  /** Recordings that are being started, by pane. */
  readonly #starting: Map<string, Pick<Recording, "paneId" | "path">> = new Map();

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  /**
   * Starts to record a pane to a file. Settles when nothing can be missed any more.
   * @throws {AppError} `busy`, naming the recording in progress of this pane or to this file; `gone` for a dead pane;
   * errors of `OutputFiles.create`
   */
  async start(tmux: Tmux, paneId: string, path: string): Promise<void> {
    const key = keyOf(tmux, paneId);
    this.#checkFree(key, path);
    this.#starting.set(key, { paneId, path });
    try {
      const [pane] = await findPanes(tmux, [paneId]);
      if (pane!.dead) throw dead(paneId);
      const file = await this.#options.files.create(path, "cast");
      const { supervisor, leases, masks } = this.#options;
      const release = await leases.lease(tmux, pane!).catch((error) => {
        file.close();
        throw error;
      });
      const recording = new Recording(pane!, path, { file, release, masks });
      const isHeld = release !== undefined || pane!.stays;
      const spec = { ...streamOf(tmux, pane!), ...(isHeld && { held: true as const }) };
      await recording.begin((handlers) => supervisor.follow(spec, handlers));
      this.#recordings.set(key, recording);
    } finally {
      this.#starting.delete(key);
    }
  }

  /**
   * Ends the recording of a pane, or returns the one that ended with its pane.
   * @throws {AppError} `not-found`, `gone` if it ended for another reason or was of a pane of an earlier tmux server,
   * `invalid-argument` for another path
   */
  async stop(tmux: Tmux, paneId: string, path: string | undefined): Promise<Recording> {
    const serverKey = await tmux.servers.key().catch(() => undefined);
    const key = keyOf(tmux, paneId);
    const recording = this.#recordings.get(key);
    if (!recording) throw notRecorded(paneId);
    if (path !== undefined && path !== recording.path) throw otherFile(recording, path);
    this.#recordings.delete(key);
    await recording.end();
    if (serverKey !== undefined && serverKey !== recording.serverKey) throw ofEarlierServer(recording);
    return recording;
  }

  #checkFree(key: string, path: string): void {
    const live = [...this.#recordings].filter(([, { ended }]) => !ended);
    const busy = new Map([...live, ...this.#starting]);
    const known = busy.get(key) ?? [...busy.values()].find((each) => each.path === path);
    if (known !== undefined) throw alreadyRecorded(known);
  }

  /** Finishes every file, with what was printed so far where the pane's worker still says so in time. */
  async close(): Promise<void> {
    const open = [...this.#recordings.values()].filter(({ ended }) => !ended);
    const finishAll = (): void => open.forEach((recording) => recording.finish({ alive: true }));
    await within(Promise.all(open.map((recording) => settled(recording.end()))), {
      ms: LAST_MS,
      late: finishAll,
    });
  }
}

function keyOf(tmux: Tmux, paneId: string): string {
  return `${tmux.address} ${paneId}`;
}

function alreadyRecorded({ paneId, path }: Pick<Recording, "paneId" | "path">): AppError {
  return new AppError("busy", `Pane "${paneId}" is being recorded to ${path}`, {
    hint: 'Call record-pane with action "stop" first, or record another pane to another file',
  });
}

function dead(paneId: string): AppError {
  return new AppError("gone", `Cannot record pane "${paneId}": its program has ended`, {
    hint: "Call respawn-pane to start it again",
  });
}

function notRecorded(paneId: string): AppError {
  return new AppError("not-found", `Pane "${paneId}" is not being recorded`, {
    hint: 'Call record-pane with action "start" first',
  });
}

function ofEarlierServer({ paneId, path }: Recording): AppError {
  return new AppError("gone", `The recording of pane "${paneId}" ended with the pane's tmux server`, {
    hint: `The recording is in ${path}; pane ids begin again at %0 on a new tmux server`,
  });
}

function otherFile({ paneId, path: recorded }: Recording, path: string): AppError {
  return new AppError("invalid-argument", `Pane "${paneId}" is not being recorded to ${path}`, {
    hint: `It is being recorded to ${recorded}`,
  });
}
