// One poll(2) for all streams that a thread follows; a separate wait for each would occupy a system thread for each.

import type { Connection, SocketLibc } from "./sockets.ts";
import { delay } from "../timer.ts";

export interface Followed {
  readonly fd: number;
  /** True if there is something to send that did not fit before. */
  wantsRoom(): boolean;
  /** Called when there is something to read, room to send, or an end; returns the number of bytes read. */
  ready(): number;
}

const POLLFD_BYTES = 8;
const POLLIN = 1;
const POLLOUT = 4;
const RING = new Uint8Array([1]);
/** Number of consecutive rounds, with `BUSY_BYTES` to read in each, after which the streams count as flooding. */
const BUSY_ROUNDS = 4;
const BUSY_BYTES = 4096;
/**
 * Pause (ms) between reads in a flood, because each wake-up takes CPU from the programs that print. With 8 ms, tmux
 * had filled a control client's socket and waited: `seq` took twice as long.
 */
const REST_MS = 2;

export class Poller {
  readonly #libc: Pick<SocketLibc, "pair" | "poll">;
  readonly #restMs: number;
  readonly #followed: Set<Followed> = new Set();
  /** Connected pair: a byte written to one end wakes a poll that began before the latest change to its descriptors. */
  #bell: [Connection, Connection] | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #scratch = new Uint8Array(64);

  constructor(libc: Pick<SocketLibc, "pair" | "poll">, { restMs = REST_MS } = {}) {
    this.#libc = libc;
    this.#restMs = restMs;
  }

  /** Follows a stream; returns false if no descriptor is left to do it with. */
  follow(stream: Followed): boolean {
    const idle = this.#bell === undefined;
    this.#bell ??= this.#libc.pair();
    if (!this.#bell) return false;
    this.#followed.add(stream);
    if (idle) this.#running = this.#run(this.#bell);
    else this.changed();
    return true;
  }

  leave(stream: Followed): void {
    if (this.#followed.delete(stream)) this.changed();
  }

  /** Settles when nothing is followed any more and no descriptor is held. */
  get idle(): Promise<void> {
    return this.#running;
  }

  /** Wakes the poll, because what a stream waits for has changed. */
  changed(): void {
    this.#bell?.[0].send(RING);
  }

  async #run(bell: [Connection, Connection]): Promise<void> {
    let busyRounds = 0;
    while (this.#followed.size > 0) {
      const streams = busyRounds > BUSY_ROUNDS
        ? await this.#afterPause(bell[1])
        : await this.#whenReady(bell[1]);
      let bytes = 0;
      for (const stream of streams) if (this.#followed.has(stream)) bytes += stream.ready();
      busyRounds = bytes >= BUSY_BYTES ? busyRounds + 1 : 0;
    }
    this.#bell = undefined;
    for (const end of bell) end.close();
  }

  /** In a flood, all streams are read without asking which of them have something. */
  async #afterPause(bell: Connection): Promise<Followed[]> {
    await delay(this.#restMs);
    this.#drain(bell);
    return [...this.#followed];
  }

  async #whenReady(bell: Connection): Promise<Followed[]> {
    const streams = [...this.#followed];
    const fds = pollFds([bell.fd, ...streams.map(({ fd }) => fd)]);
    streams.forEach((stream, at) => {
      const wishes = stream.wantsRoom() ? POLLIN | POLLOUT : POLLIN;
      fds.setInt16((at + 1) * POLLFD_BYTES + 4, wishes, true);
    });
    await this.#libc.poll(new Uint8Array(fds.buffer));
    const isReady = (at: number): boolean => fds.getInt16(at * POLLFD_BYTES + 6, true) !== 0;
    if (isReady(0)) this.#drain(bell);
    return streams.filter((_, at) => isReady(at + 1));
  }

  #drain(bell: Connection): void {
    while (typeof bell.receive(this.#scratch) === "number");
  }
}

/** Builds an array of `struct pollfd` (poll(2)). */
function pollFds(fds: readonly number[]): DataView<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fds.length * POLLFD_BYTES));
  fds.forEach((fd, at) => {
    view.setInt32(at * POLLFD_BYTES, fd, true);
    view.setInt16(at * POLLFD_BYTES + 4, POLLIN, true);
  });
  return view;
}
