// A control client within this process: one socket carries tmux's protocol, one its input, one its output.

import type { ClientHandle, ControlChannel } from "../tmux_exec/control_channel.ts";
import { MESSAGE, MessageReader } from "./imsg.ts";
import type { Connection } from "../ffi/sockets.ts";
import type { Poller } from "../ffi/poller.ts";
import { concatBytes } from "../bytes.ts";

export interface ChannelEnds {
  /** Receives the server's exit message. */
  connection: Connection;
  input: Connection;
  output: Connection;
}

export interface ChannelOptions {
  poller: Poller;
  /** Shared buffer for what is read at once; its contents are passed on before anything else is read. */
  buffer: Uint8Array<ArrayBuffer>;
  release(fds: readonly number[]): void;
}

/** Number of reads after which other streams get their turn. */
const MAX_READS = 8;
/** Number of last reads: more than the sockets can hold. */
const MAX_LAST_READS = 64;
/** Messages that do not end the client. */
const REMARKS: ReadonlySet<number> = new Set([MESSAGE.flags, MESSAGE.readCancel]);

export class SocketChannel implements ControlChannel {
  readonly handle: ClientHandle & { kind: "socket" };
  readonly #ends: ChannelEnds;
  readonly #options: ChannelOptions;
  readonly #messages = new MessageReader();
  readonly #gone: PromiseWithResolvers<void> = Promise.withResolvers();
  #unsent: Uint8Array<ArrayBuffer>[] = [];
  #ended = false;
  #take: (bytes: Uint8Array) => void = () => {};
  #leave: () => void = () => {};

  constructor(ends: ChannelEnds, options: ChannelOptions) {
    this.#ends = ends;
    this.#options = options;
    this.handle = { kind: "socket", pid: Deno.pid, fds: Object.values(ends).map(({ fd }) => fd) };
  }

  write(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#ended) return;
    // Lines of one turn are sent together: each send wakes tmux, which would reply to it separately.
    if (this.#unsent.push(bytes) === 1) queueMicrotask(() => this.#sendTogether());
  }

  read(take: (bytes: Uint8Array) => void): Promise<void> {
    this.#take = take;
    const { connection, input, output } = this.#ends;
    const wantsRoom = (): boolean => this.#unsent.length > 0;
    const streams = [
      { fd: output.fd, wantsRoom: () => false, ready: () => this.#receive() },
      { fd: connection.fd, wantsRoom: () => false, ready: () => (this.#listen(), 0) },
      { fd: input.fd, wantsRoom, ready: () => (wantsRoom() ? this.#send() : this.#checkInput(), 0) },
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
      // The socket becomes readable again if more follows a short read.
      if (count < buffer.length) break;
    }
    return bytes;
  }

  /** Passes bytes on. A listener that fails gets no more, and must not affect others that share the poller. */
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

  /** True if the server has sent only such messages; an unknown message ends the client. */
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
  }

  /** Notices the end of the input, on which nothing ever arrives. */
  #checkInput(): void {
    if (this.#ends.input.receive(this.#options.buffer) !== "none yet") this.#end();
  }

  /** Ends the client. tmux sends the exit message after everything else, so the rest can be read here. */
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
