// A control client that is this process: one socket speaks tmux's protocol, one is its input, one its output.

import type { ClientHandle, ControlChannel } from "../tmux/control_channel.ts";
import { MESSAGE, MessageReader } from "./imsg.ts";
import type { Connection } from "../ffi/sockets.ts";
import type { Poller } from "../ffi/poller.ts";
import { concatBytes } from "../bytes.ts";

export interface ChannelEnds {
  /** Carries the exit message of the server. */
  connection: Connection;
  input: Connection;
  output: Connection;
}

export interface ChannelOptions {
  poller: Poller;
  /** Room for what is read at once, shared: it is passed on before anyone reads again. */
  buffer: Uint8Array<ArrayBuffer>;
  release(fds: readonly number[]): void;
}

/** Number of reads after which other streams have their turn. */
const MAX_READS = 8;
/** More than sockets hold. */
const MAX_LAST_READS = 64;
/** Messages other than the one that ends the client. */
const REMARKS: ReadonlySet<number> = new Set([MESSAGE.flags, MESSAGE.readCancel]);

export class SocketChannel implements ControlChannel {
  readonly handle: ClientHandle & { kind: "socket" };
  readonly #ends: ChannelEnds;
  readonly #options: ChannelOptions;
  readonly #messages = new MessageReader();
  readonly #gone: PromiseWithResolvers<void> = Promise.withResolvers();
  #unsent: Uint8Array<ArrayBuffer>[] = [];
  #finishing = false;
  #ended = false;
  #take: (bytes: Uint8Array) => void = () => {};
  #leave: () => void = () => {};

  constructor(ends: ChannelEnds, options: ChannelOptions) {
    this.#ends = ends;
    this.#options = options;
    this.handle = { kind: "socket", pid: Deno.pid, fds: Object.values(ends).map(({ fd }) => fd) };
  }

  write(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#ended || this.#finishing) return;
    // Lines of one turn go together: each send wakes tmux, which answers it alone.
    if (this.#unsent.push(bytes) === 1) queueMicrotask(() => this.#sendTogether());
  }

  finish(): void {
    this.#finishing = true;
    if (!this.#ended) this.#send();
  }

  read(take: (bytes: Uint8Array) => void): Promise<void> {
    this.#take = take;
    const { connection, input, output } = this.#ends;
    const wantsRoom = (): boolean => this.#unsent.length > 0;
    const streams = [
      { fd: output.fd, wantsRoom: () => false, ready: () => this.#receive() },
      { fd: connection.fd, wantsRoom: () => false, ready: () => (this.#listen(), 0) },
      { fd: input.fd, wantsRoom, ready: () => (wantsRoom() ? this.#send() : this.#feel(), 0) },
    ];
    const { poller } = this.#options;
    this.#leave = () => streams.forEach((stream) => poller.leave(stream));
    if (!streams.every((stream) => poller.follow(stream))) this.#end();
    return this.#gone.promise;
  }

  end(): Promise<void> {
    this.#end();
    return this.#gone.promise;
  }

  #receive(): number {
    const { buffer } = this.#options;
    let bytes = 0;
    for (let reads = 0; reads < MAX_READS && !this.#ended; reads++) {
      const count = this.#ends.output.receive(buffer);
      if (count === "none yet") break;
      if (count === "reset" || count === 0) {
        this.#end();
        break;
      }
      bytes += count;
      this.#deliver(buffer.subarray(0, count));
      // The socket becomes readable again if more comes behind a short read.
      if (count < buffer.length) break;
    }
    return bytes;
  }

  /** A listener that fails needs no more, and must not affect others that share the poller. */
  #deliver(bytes: Uint8Array): void {
    try {
      this.#take(bytes);
    } catch {
      this.#take = () => {};
      this.#end();
    }
  }

  #listen(): void {
    const count = this.#ends.connection.receive(this.#messages.space);
    if (count === "none yet") return;
    if (count === "reset" || count === 0) return this.#end();
    this.#messages.filled(count);
    if (!this.#mayStay()) this.#end();
  }

  /** True if the server has sent only remarks; an unknown message ends the client. */
  #mayStay(): boolean {
    try {
      for (let message = this.#messages.next(); message; message = this.#messages.next()) {
        if (!REMARKS.has(message.type)) return false;
      }
      return true;
    } catch {
      return false;
    }
  }

  #sendTogether(): void {
    if (this.#ended || this.#unsent.length === 0) return;
    if (this.#unsent.length > 1) this.#unsent = [concatBytes(this.#unsent)];
    this.#send();
  }

  #send(): void {
    for (let first = this.#unsent[0]; first; first = this.#unsent[0]) {
      const count = this.#ends.input.send(first);
      if (count < first.length) {
        this.#unsent[0] = first.subarray(count);
        return this.#options.poller.changed();
      }
      this.#unsent.shift();
    }
    if (this.#finishing) this.#ends.input.shutdown();
  }

  /** Nothing ever comes on the input; only its end is noticed. */
  #feel(): void {
    if (this.#ends.input.receive(this.#options.buffer) !== "none yet") this.#end();
  }

  /** tmux tells a client to exit after everything else, which can then be read here. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { buffer, release } = this.#options;
    for (let reads = 0; reads < MAX_LAST_READS; reads++) {
      const count = this.#ends.output.receive(buffer);
      if (typeof count === "string" || count === 0) break;
      this.#deliver(buffer.subarray(0, count));
    }
    this.#leave();
    for (const end of Object.values(this.#ends)) end.shutdown();
    release(this.handle.fds);
    this.#gone.resolve();
  }
}
