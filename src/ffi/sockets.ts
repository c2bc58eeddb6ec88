// Sockets and files of the C library, for talking to a tmux server without starting a client.

import { cString } from "./c_string.ts";
import { ERRNO_SYMBOLS, readErrno } from "./errno.ts";
import { type PlatformConstants, platformConstants } from "./platform.ts";

/** One stream to a tmux server. Only `wait` blocks, in a separate thread. */
export interface Connection {
  readonly fd: number;
  /** Pid of the process on the other side when it began to listen; 0 if it is unknown or can't be seen from here. */
  readonly peerPid: number;
  /** Returns the number of bytes that the socket took: 0 if it is full or broken. */
  send(bytes: Uint8Array<ArrayBuffer>): number;
  /** Does the same, and passes a descriptor of this process to the other side (unix(7), `SCM_RIGHTS`). */
  pass(bytes: Uint8Array<ArrayBuffer>, fd: number): number;
  /** Returns the number of bytes received: 0 if the other side has closed, `reset` if it left what we sent unread. */
  receive(into: Uint8Array<ArrayBuffer>): number | "none yet" | "reset";
  /** Settles when there is something to read, room to send (if `forRoom`), an end, or `ms` have passed. */
  wait(ms: number, options: { forRoom: boolean }): Promise<void>;
  /** Ends the stream in both directions, which wakes a pending wait. */
  shutdown(): void;
  /** Frees the descriptor; no wait may be pending. */
  close(): void;
}

/** Another user's process that accepts connections: what it does with them is unknown. */
export interface ForeignListener {
  readonly foreignUid: number;
  /** As in a `Connection`. */
  readonly peerPid: number;
}

/** A file descriptor, or the error number of the attempt to open it. */
export type Opened = { fd: number } | { errno: number };

/** File access of a tmux client on the server's behalf (`source-file`, `save-buffer`). */
export interface Files {
  openRead(path: string): Opened;
  /** `flags` as for open(2): the file is truncated unless they say to append. */
  openWrite(path: string, flags: number): Opened;
  /** Returns the number of bytes read: 0 at the end or on an error. */
  read(fd: number, into: Uint8Array<ArrayBuffer>): number;
  write(fd: number, bytes: Uint8Array<ArrayBuffer>): void;
  closeFile(fd: number): void;
}

export interface SocketLibc extends Files {
  readonly uid: number;
  cwd(): string;
  /** Leaves a working folder that has been removed: neither Deno nor a child process works in one. */
  leaveRemovedFolder(): void;
  /**
   * Connects to a server of this user; undefined if no process accepts connections there, for whatever reason.
   * `full`: one does, but its queue of connections is full.
   */
  connect(path: string): Connection | ForeignListener | "full" | undefined;
  /** True if this system can pass descriptors on. */
  readonly passesDescriptors: boolean;
  /** Returns two connected ends; undefined if no descriptors are left. */
  pair(): [Connection, Connection] | undefined;
  /** poll(2) in a separate thread; `fds` is an array of `struct pollfd`. */
  poll(fds: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Ends a stream and frees its descriptor, whichever part of this process opened it. */
  endSocket(fd: number): void;
}

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  socketpair: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  sendmsg: { parameters: ["i32", "buffer", "i32"], result: "isize" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
  getuid: { parameters: [], result: "u32" },
  getcwd: { parameters: ["buffer", "usize"], result: "usize" },
  chdir: { parameters: ["buffer"], result: "i32" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  // open(2) is called without a mode and creat(2) with one, so no argument is variadic: their place differs on arm64
  // macOS.
  open: { parameters: ["buffer", "i32"], result: "i32" },
  creat: { parameters: ["buffer", "u32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  ...ERRNO_SYMBOLS,
} as const;

const AF_UNIX = 1;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
/** Sizes of `struct msghdr`, and of `struct cmsghdr` with one descriptor, on 64-bit Linux. */
const MSGHDR_BYTES = 56;
const CMSG_BYTES = 24;
const CMSG_LENGTH = 20;
const NO_TIMEOUT = -1;
const SHUT_RDWR = 2;
const POLLIN = 1;
const POLLOUT = 4;
const WRITE_ONLY = 1;
const NEW_FILE_MODE = 0o644;
const MAX_POLL_MS = 0x7fffffff;

/**
 * Loads the C library from its full path, which is all that `--allow-ffi` has to allow.
 * @throws if it can't be loaded or the system is unknown
 */
export function openSocketLibc(libcPath: string): SocketLibc & Disposable {
  return new LoadedLibc(Deno.dlopen(libcPath, SYMBOLS), platformConstants());
}

type Library = Deno.DynamicLibrary<typeof SYMBOLS>;

class LoadedLibc implements SocketLibc, Disposable {
  readonly #library: Library;
  readonly #platform: PlatformConstants;
  readonly #path = new Uint8Array(4096);
  readonly uid: number;
  readonly passesDescriptors: boolean;

  constructor(library: Library, platform: PlatformConstants) {
    this.#library = library;
    this.#platform = platform;
    this.uid = library.symbols.getuid();
    this.passesDescriptors = platform.passesDescriptors;
  }

  connect(path: string): Connection | ForeignListener | "full" | undefined {
    const { symbols } = this.#library;
    const address = socketAddress(path, this.#platform);
    if (address === undefined) return undefined;
    const fd = symbols.socket(AF_UNIX, this.#platform.streamType, 0);
    if (fd < 0) return undefined;
    const option = this.#platform.noSignalOption;
    if (option !== undefined) symbols.setsockopt(fd, option[0], option[1], new Int32Array([1]), 4);
    const failed = symbols.connect(fd, address, address.length) !== 0;
    const isFull = failed && readErrno(symbols) === this.#platform.full;
    const peer = failed ? undefined : this.#peer(fd);
    if (peer?.uid === this.uid) return new LibcConnection(symbols, this.#platform, { fd, peerPid: peer.pid });
    symbols.close(fd);
    if (peer !== undefined) return { foreignUid: peer.uid, peerPid: peer.pid };
    return isFull ? "full" : undefined;
  }

  pair(): [Connection, Connection] | undefined {
    const { symbols } = this.#library;
    const fds = new Int32Array(2);
    if (symbols.socketpair(AF_UNIX, this.#platform.streamType, 0, fds) !== 0) return undefined;
    return [
      new LibcConnection(symbols, this.#platform, { fd: fds[0]!, peerPid: 0 }),
      new LibcConnection(symbols, this.#platform, { fd: fds[1]!, peerPid: 0 }),
    ];
  }

  async poll(fds: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#library.symbols.poll(fds, BigInt(fds.length / 8), NO_TIMEOUT);
  }

  endSocket(fd: number): void {
    this.#library.symbols.shutdown(fd, SHUT_RDWR);
    this.#library.symbols.close(fd);
  }

  #peer(fd: number): { uid: number; pid: number } | undefined {
    const { peerUser: [level, name, uid], peerPid } = this.#platform;
    const credentials = new Uint32Array(32);
    const size = new Uint32Array([credentials.byteLength]);
    const failed = this.#library.symbols.getsockopt(fd, level, name, credentials, size) !== 0;
    return failed ? undefined : { uid: credentials[uid]!, pid: credentials[peerPid ?? -1] ?? 0 };
  }

  cwd(): string {
    const path = this.#path;
    if (this.#library.symbols.getcwd(path, BigInt(path.length)) === 0n) return "/";
    return new TextDecoder().decode(path.subarray(0, path.indexOf(0)));
  }

  leaveRemovedFolder(): void {
    const { symbols } = this.#library;
    if (symbols.getcwd(this.#path, BigInt(this.#path.length)) === 0n) symbols.chdir(cString("/"));
  }

  openRead(path: string): Opened {
    return this.#opened(this.#library.symbols.open(cString(path), this.#platform.nonBlock));
  }

  openWrite(path: string, flags: number): Opened {
    const { append, truncate, nonBlock } = this.#platform;
    const mode = (flags & append) === 0 ? truncate : append;
    const fd = this.#library.symbols.open(cString(path), WRITE_ONLY | nonBlock | mode);
    return this.#opened(fd >= 0 ? fd : this.#library.symbols.creat(cString(path), NEW_FILE_MODE));
  }

  read(fd: number, into: Uint8Array<ArrayBuffer>): number {
    return Math.max(0, Number(this.#library.symbols.read(fd, into, BigInt(into.length))));
  }

  write(fd: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#library.symbols.write(fd, bytes, BigInt(bytes.length));
  }

  closeFile(fd: number): void {
    this.#library.symbols.close(fd);
  }

  #opened(fd: number): Opened {
    return fd >= 0 ? { fd } : { errno: readErrno(this.#library.symbols) };
  }

  [Symbol.dispose](): void {
    this.#library.close();
  }
}

type Ends = Pick<Connection, "fd" | "peerPid">;

class LibcConnection implements Connection {
  readonly #symbols: Library["symbols"];
  readonly #platform: PlatformConstants;
  readonly fd: number;
  readonly peerPid: number;
  /** `struct pollfd`, outside V8's heap because another thread writes it. */
  readonly #pollFd = new DataView(new ArrayBuffer(8));

  constructor(symbols: Library["symbols"], platform: PlatformConstants, { fd, peerPid }: Ends) {
    this.#symbols = symbols;
    this.#platform = platform;
    this.fd = fd;
    this.peerPid = peerPid;
    this.#pollFd.setInt32(0, fd, true);
  }

  send(bytes: Uint8Array<ArrayBuffer>): number {
    const { dontWait, noSignal } = this.#platform;
    return Math.max(0, Number(this.#symbols.send(this.fd, bytes, BigInt(bytes.length), dontWait | noSignal)));
  }

  pass(bytes: Uint8Array<ArrayBuffer>, fd: number): number {
    const control = new Uint8Array(CMSG_BYTES);
    const header = new DataView(control.buffer);
    header.setBigUint64(0, BigInt(CMSG_LENGTH), true);
    header.setInt32(8, SOL_SOCKET, true);
    header.setInt32(12, SCM_RIGHTS, true);
    header.setInt32(16, fd, true);
    const vector = new BigUint64Array([this.#address(bytes), BigInt(bytes.length)]);
    const message = new BigUint64Array(MSGHDR_BYTES / 8);
    message.set([0n, 0n, this.#address(vector), 1n, this.#address(control), BigInt(CMSG_BYTES)]);
    const { dontWait, noSignal } = this.#platform;
    return Math.max(0, Number(this.#symbols.sendmsg(this.fd, message, dontWait | noSignal)));
  }

  /** Address of a buffer: memcpy(3), which copies nothing here, returns its destination. */
  #address(buffer: Uint8Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>): bigint {
    return BigInt(this.#symbols.memcpy(buffer, 0n, 0n));
  }

  receive(into: Uint8Array<ArrayBuffer>): number | "none yet" | "reset" {
    const count = Number(this.#symbols.recv(this.fd, into, BigInt(into.length), this.#platform.dontWait));
    if (count >= 0) return count;
    return readErrno(this.#symbols) === this.#platform.reset ? "reset" : "none yet";
  }

  async wait(ms: number, { forRoom }: { forRoom: boolean }): Promise<void> {
    this.#pollFd.setInt16(4, forRoom ? POLLIN | POLLOUT : POLLIN, true);
    await this.#symbols.poll(this.#pollFd, 1n, Math.min(Math.ceil(ms), MAX_POLL_MS));
  }

  shutdown(): void {
    this.#symbols.shutdown(this.fd, SHUT_RDWR);
  }

  close(): void {
    // The server sees the end even if a child has inherited the descriptor.
    this.shutdown();
    this.#symbols.close(this.fd);
  }
}

/** Returns a `struct sockaddr_un`; undefined for a path that is too long for one. */
function socketAddress(path: string, platform: PlatformConstants): Uint8Array<ArrayBuffer> | undefined {
  const name = cString(path);
  if (name.length > platform.pathBytes) return undefined;
  const address = new Uint8Array(2 + name.length);
  address.set(platform.addressHasLength ? [address.length, AF_UNIX] : [AF_UNIX, 0]);
  address.set(name, 2);
  return address;
}
