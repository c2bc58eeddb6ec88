// One recording of a pane: its bytes are written to an asciicast file as they arrive.
import { writeAllSync } from "../bytes.ts";
import { AppError, messageOf } from "../errors.ts";
import { AsciicastEncoder } from "../terminal/asciicast.ts";
import { MaskStream } from "../masking/mask_stream.ts";
import type { Masks } from "../masking/masks.ts";
import type { CapturedScreen } from "../terminal/screen.ts";
import { drawFollowedScreen } from "./followed_screen.ts";
import type { PaneRef } from "./protocol.ts";
import type { ReleaseLease } from "./remain_on_exit_leases.ts";
import type { FollowHandle, FollowHandlers } from "./follow.ts";
import { bestEffort } from "../promises.ts";

const encoder = new TextEncoder();

export class Recording {
  readonly paneId: string;
  /** Key of the tmux server that the pane belongs to. */
  readonly serverKey: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** Bytes of the lines written so far. */
  bytes = 0;
  readonly #file: Deno.FsFile;
  readonly #release: ReleaseLease | undefined;
  readonly #masks: Masks | undefined;
  #cast: AsciicastEncoder | undefined;
  #handle: FollowHandle | undefined;
  #startedAt = 0;
  #size = "";
  /** The last redraw, until it is drawn. */
  #redrawing: symbol | undefined;
  #ended = false;
  #failure: unknown;

  /** `release` releases the lease on the pane once the recording is over. */
  constructor(
    { paneId, serverKey }: Pick<PaneRef, "paneId" | "serverKey">,
    path: string,
    { file, release, masks }: {
      file: Deno.FsFile;
      release: ReleaseLease | undefined;
      masks?: Masks | undefined;
    },
  ) {
    this.#masks = masks;
    this.paneId = paneId;
    this.serverKey = serverKey;
    this.path = path;
    this.#file = file;
    this.#release = release;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Begins with what the pane shows; every later byte is recorded.
   * @throws {AppError} `gone` if the file can't take even that
   */
  async begin(follow: (handlers: FollowHandlers) => FollowHandle): Promise<void> {
    try {
      const handle = this.#handle = follow(this.#handlers());
      await handle.ready;
      await drawFollowedScreen(handle, this.paneId, (...screen) => this.#draw(...screen));
    } catch (error) {
      this.finish();
      throw error;
    }
    if (this.#failure !== undefined) await this.end();
  }

  /**
   * Ends the recording with everything that was printed so far.
   * @throws {AppError} `gone` if the recording had failed before
   */
  async end(): Promise<void> {
    if (!this.#ended) await bestEffort(this.#handle?.report());
    this.finish({ alive: true });
    if (this.#failure === undefined) return;
    const reason = messageOf(this.#failure);
    throw new AppError("gone", `The recording of pane "${this.paneId}" ended early: ${reason}`, {
      hint: `The recording up to then is in ${this.path}; start another recording`,
    });
  }

  /** Ends the recording as it is; the file is complete. `alive`: its pane is still there. */
  finish({ alive = false }: { alive?: boolean } = {}): void {
    this.#write(this.#cast?.finish(this.#elapsed, { alive }) ?? "");
    this.#close();
  }

  #handlers(): FollowHandlers {
    return {
      bytes: ({ bytes }) => this.#write(this.#cast?.output(bytes, this.#elapsed) ?? ""),
      sized: ({ columns, rows }) => this.#resize(columns, rows),
      gap: () => void this.#redraw(),
      ended: () => this.finish(),
      failed: (error) => this.#fail(error),
    };
  }

  #draw(screen: CapturedScreen, isLate: boolean): void {
    const { columns, rows } = screen;
    this.#startedAt = performance.now();
    this.#size = `${columns}x${rows}`;
    const title = `tmux pane ${this.paneId}`;
    this.#cast = new AsciicastEncoder({
      columns,
      rows,
      startedAt: Date.now() / 1000,
      title,
      ...(this.#masks && { masked: new MaskStream(this.#masks) }),
    });
    this.#write(this.#cast.header() + this.#cast.screen(screen));
    if (isLate) this.#cast.missing();
  }

  /** Redraws the screen after a loss, or has it marked. */
  async #redraw(): Promise<void> {
    const [cast, handle] = [this.#cast, this.#handle];
    if (!cast || !handle) return;
    cast.lost();
    const redraw = this.#redrawing = Symbol();
    const draw = (screen: CapturedScreen, isLate: boolean): void => {
      this.#write(cast.screen(screen, this.#elapsed));
      if (isLate) cast.missing();
      if (this.#redrawing === redraw) this.#redrawing = undefined;
      else cast.lost();
    };
    await bestEffort(handle.ready.then(() => drawFollowedScreen(handle, this.paneId, draw)));
    if (this.#redrawing !== redraw) return;
    this.#redrawing = undefined;
    cast.unshown();
  }

  #resize(columns: number, rows: number): void {
    const size = `${columns}x${rows}`;
    if (!this.#cast || size === this.#size) return;
    this.#size = size;
    this.#write(this.#cast.resize(columns, rows, this.#elapsed));
  }

  /** Writes at once: output that waited for a slow disk would be held in memory. */
  #write(lines: string): void {
    if (this.#ended || lines === "") return;
    const bytes = encoder.encode(lines);
    try {
      writeAllSync(this.#file, bytes);
      this.bytes += bytes.length;
    } catch (error) {
      this.#cutTorn();
      this.#fail(error);
    }
  }

  /** Cuts off the beginning of a line that the disk had no room for: players refuse a file that ends with one. */
  #cutTorn(): void {
    try {
      this.#file.truncateSync(this.bytes);
    } catch {
      // The disk takes nothing any more.
    }
  }

  #fail(error: unknown): void {
    if (!this.#ended) this.#failure = error;
    this.#close();
  }

  #close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#handle?.stop();
    bestEffort(this.#release?.());
    this.#file.close();
  }

  get #elapsed(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }
}
