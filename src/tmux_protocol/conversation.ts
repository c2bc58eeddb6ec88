// Conversation of a command client with a tmux server; the caller transports the bytes.

import type { Reply } from "../tmux_exec/exec.ts";
import {
  decodeIntegers,
  encodeMessage,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  MESSAGE,
  type Message,
  MessageReader,
  ProtocolError,
} from "./imsg.ts";
import type { Files } from "../ffi/sockets.ts";
import { concatBytes } from "../bytes.ts";
import { BoundedOutput } from "../tmux_exec/bounded_output.ts";

/** Destination of the server's writes to one stream. */
interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

const EBADF = 9;
const BY_PATH = -1;
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const MAX_READ_BYTES = MAX_MESSAGE_BYTES - HEADER_BYTES - 4;

export class Conversation {
  readonly #reader = new MessageReader();
  readonly #outbox: Uint8Array<ArrayBuffer>[];
  readonly #stdin: Uint8Array;
  readonly #files: Files;
  readonly #stdout = new BoundedOutput();
  readonly #stderr = new BoundedOutput();
  readonly #sinks = new Map<number, Sink>();
  /** Standard streams not opened yet: tmux closes each after it has been opened, so that it serves one command. */
  readonly #unopened = new Set([STDIN, STDOUT, STDERR]);
  #begun = false;
  #reply: Reply | undefined;

  /** `opening` is everything that is sent before the server replies: the client's identity and the command. */
  constructor(opening: Uint8Array<ArrayBuffer>, stdin: Uint8Array, files: Files) {
    this.#outbox = [opening];
    this.#stdin = stdin;
    this.#files = files;
  }

  /** Set when the server has finished. */
  get reply(): Reply | undefined {
    return this.#reply;
  }

  /** True if the server has sent anything. */
  get begun(): boolean {
    return this.#begun;
  }

  /** The bytes to send next, if any. */
  get pending(): Uint8Array<ArrayBuffer> | undefined {
    return this.#outbox[0];
  }

  sent(count: number): void {
    const [first] = this.#outbox;
    if (first === undefined) return;
    if (count < first.length) this.#outbox[0] = first.subarray(count);
    else this.#outbox.shift();
  }

  /** Buffer for received bytes. */
  get space(): Uint8Array<ArrayBuffer> {
    return this.#reader.space;
  }

  /**
   * Handles the bytes that were put into `space`.
   * @throws {ProtocolError} if this is no tmux that we know
   * @throws {AppError} `tmux-error` if it printed too much
   */
  received(count: number): void {
    this.#begun = true;
    this.#reader.filled(count);
    while (this.#reply === undefined) {
      const message = this.#reader.next();
      if (message === undefined) return;
      this.#handle(message);
    }
  }

  /** Ends the way tmux's own client does when its server is suddenly gone. */
  lost(): void {
    this.#end(1, "server exited unexpectedly");
  }

  /** Closes the files that the server left open. */
  close(): void {
    for (const sink of this.#sinks.values()) sink.close();
    this.#sinks.clear();
  }

  #handle({ type, payload }: Message): void {
    switch (type) {
      case MESSAGE.writeOpen:
        return this.#openForWriting(payload);
      case MESSAGE.write:
        return this.#sink(payload).write(payload.slice(4));
      case MESSAGE.writeClose:
        return this.#closeSink(payload);
      case MESSAGE.readOpen:
        return this.#openForReading(payload);
      case MESSAGE.exit:
      case MESSAGE.shutdown:
        return this.#exit(payload);
      case MESSAGE.detach:
      case MESSAGE.detachKill:
        return void this.#outbox.push(encodeMessage(MESSAGE.exiting));
      case MESSAGE.exited:
        return this.#exit(new Uint8Array());
      case MESSAGE.flags:
      // A read is answered completely at once, so there is nothing left to cancel.
      case MESSAGE.readCancel:
        return;
      default:
        throw new ProtocolError(`An unexpected message of type ${type}`);
    }
  }

  #openForWriting(payload: Uint8Array): void {
    const [stream = 0, fd, flags = 0] = decodeIntegers(payload, 3);
    const opened = fd === BY_PATH ? this.#fileSink(stringAfter(payload, 3), flags) : this.#standardSink(fd);
    if (typeof opened !== "number") this.#sinks.set(stream, opened);
    this.#outbox.push(encodeMessage(MESSAGE.writeReady, stream, typeof opened === "number" ? opened : 0));
  }

  #standardSink(fd: number | undefined): Sink | number {
    if (fd !== STDOUT && fd !== STDERR || !this.#unopened.delete(fd)) return EBADF;
    const output = fd === STDOUT ? this.#stdout : this.#stderr;
    return { write: (bytes) => output.push(bytes), close: () => {} };
  }

  #fileSink(path: string, flags: number): Sink | number {
    const opened = this.#files.openWrite(path, flags);
    if ("errno" in opened) return opened.errno;
    return {
      write: (bytes) => this.#files.write(opened.fd, bytes),
      close: () => this.#files.closeFile(opened.fd),
    };
  }

  #sink(payload: Uint8Array): Sink {
    const [stream = 0] = decodeIntegers(payload, 1);
    const sink = this.#sinks.get(stream);
    if (sink === undefined) throw new ProtocolError(`A write to stream ${stream}, which is not open`);
    return sink;
  }

  #closeSink(payload: Uint8Array): void {
    this.#sink(payload).close();
    this.#sinks.delete(decodeIntegers(payload, 1)[0]!);
  }

  #openForReading(payload: Uint8Array): void {
    const [stream = 0, fd] = decodeIntegers(payload, 2);
    const content = fd === BY_PATH ? this.#readFile(stringAfter(payload, 2)) : this.#readStandard(fd);
    const failed = typeof content === "number";
    if (!failed) this.#sayContent(stream, content);
    this.#outbox.push(encodeMessage(MESSAGE.readDone, stream, failed ? content : 0));
  }

  #readStandard(fd: number | undefined): Uint8Array | number {
    return fd === STDIN && this.#unopened.delete(fd) ? this.#stdin : EBADF;
  }

  #readFile(path: string): Uint8Array | number {
    const opened = this.#files.openRead(path);
    if ("errno" in opened) return opened.errno;
    const content = new BoundedOutput();
    try {
      for (;;) {
        const chunk = new Uint8Array(MAX_MESSAGE_BYTES);
        const count = this.#files.read(opened.fd, chunk);
        if (count === 0) return content.bytes();
        content.push(chunk.subarray(0, count));
      }
    } finally {
      this.#files.closeFile(opened.fd);
    }
  }

  #sayContent(stream: number, content: Uint8Array): void {
    const messages: Uint8Array[] = [];
    for (let at = 0; at < content.length; at += MAX_READ_BYTES) {
      messages.push(encodeMessage(MESSAGE.read, stream, content.subarray(at, at + MAX_READ_BYTES)));
    }
    if (messages.length > 0) this.#outbox.push(concatBytes(messages));
  }

  #exit(payload: Uint8Array): void {
    const [code = 0] = payload.length >= 4 ? decodeIntegers(payload, 1) : [];
    this.#end(code, stringAfter(payload, 1));
  }

  #end(code: number, words: string): void {
    const stderr = this.#stderr.text() + (words === "" ? "" : `${words}\n`);
    this.#reply = { code, stdout: this.#stdout.bytes(), stderr };
  }
}

/** Returns the string that ends a payload after `count` integers. */
function stringAfter(payload: Uint8Array, count: number): string {
  const text = new TextDecoder().decode(payload.subarray(count * 4));
  return text.endsWith("\0") ? text.slice(0, -1) : text;
}
