// The C library's sockets and files, for talking to a tmux server without starting a client.

/** One stream to a tmux server. Nothing here blocks but the wait, and that in a thread of its own. */
export interface Connection {
  /** How many bytes the socket took: none when it is full or broken. */
  send(bytes: Uint8Array<ArrayBuffer>): number;
  /** How many bytes came: 0 when the other side has closed; `reset` when it left what we sent unread. */
  receive(into: Uint8Array<ArrayBuffer>): number | "none yet" | "reset";
  /** Settles when there is something to read, room to send if that is asked for, an end, or `ms` have passed. */
  wait(ms: number, forRoom: boolean): Promise<void>;
  /** Ends the stream both ways, which wakes a pending wait. */
  shutdown(): void;
  /** Frees the descriptor; no wait may be pending. */
  close(): void;
}

/** A file descriptor, or the error number that opening it gave. */
export type Opened = { fd: number } | { errno: number };

/** What a tmux client does with files that the server asks it to read or write (`source-file`, `save-buffer`). */
export interface Files {
  openRead(path: string): Opened;
  /** `flags` as for open(2): truncates unless they say to append. */
  openWrite(path: string, flags: number): Opened;
  /** How many bytes came; none at the end or on an error. */
  read(fd: number, into: Uint8Array<ArrayBuffer>): number;
  write(fd: number, bytes: Uint8Array<ArrayBuffer>): void;
  closeFile(fd: number): void;
}

export interface SocketLibc extends Files {
  readonly uid: number;
  /** This process's working folder. */
  cwd(): string;
  /** Undefined when no server of this user listens there, for whatever reason: another's may be an impostor. */
  connect(path: string): Connection | undefined;
}

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  send: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
  getuid: { parameters: [], result: "u32" },
  getcwd: { parameters: ["buffer", "usize"], result: "usize" },
  shutdown: { parameters: ["i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  // open(2) is called without a mode and creat(2) with one: no variadic argument, whose place differs on arm64 macOS.
  open: { parameters: ["buffer", "i32"], result: "i32" },
  creat: { parameters: ["buffer", "u32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  errno: {
    name: Deno.build.os === "darwin" ? "__error" : "__errno_location",
    parameters: [],
    result: "usize",
  },
  memcpy: { parameters: ["buffer", "usize", "usize"], result: "usize" },
} as const;

interface Platform {
  /** SOCK_STREAM, and where they exist SOCK_CLOEXEC and SOCK_NONBLOCK: a full backlog must not block connect(2). */
  streamType: number;
  dontWait: number;
  noSignal: number;
  /** setsockopt(SOL_SOCKET, …) against SIGPIPE, where send(2) has no flag for it. */
  noSignalOption?: readonly [level: number, name: number];
  /** getsockopt(…) for the other side's user, and which 32-bit word of the answer it is. */
  peerUser: readonly [level: number, name: number, word: number];
  /** ECONNRESET. */
  reset: number;
  nonBlock: number;
  append: number;
  truncate: number;
  pathBytes: number;
  /** Whether `struct sockaddr_un` begins with its own length, in the upper half of the family elsewhere. */
  addressHasLength: boolean;
}

const LINUX: Platform = {
  streamType: 1 | 0o2000000 | 0o4000,
  dontWait: 0x40,
  noSignal: 0x4000,
  peerUser: [1, 17, 1], // SOL_SOCKET, SO_PEERCRED: struct ucred { pid, uid, gid }
  reset: 104,
  nonBlock: 0o4000,
  append: 0o2000,
  truncate: 0o1000,
  pathBytes: 108,
  addressHasLength: false,
};

const DARWIN: Platform = {
  streamType: 1,
  dontWait: 0x80,
  noSignal: 0,
  noSignalOption: [0xffff, 0x1022],
  peerUser: [0, 1, 1], // SOL_LOCAL, LOCAL_PEERCRED: struct xucred { version, uid, … }
  reset: 54,
  nonBlock: 0x4,
  append: 0x8,
  truncate: 0x400,
  pathBytes: 104,
  addressHasLength: true,
};

const AF_UNIX = 1;
const SHUT_RDWR = 2;
const POLLIN = 1;
const POLLOUT = 4;
const WRITE_ONLY = 1;
const NEW_FILE_MODE = 0o644;
const MAX_POLL_MS = 0x7fffffff;

/**
 * Opens the C library at its full path, which is all that `--allow-ffi` has to allow.
 * @throws when it can't be loaded or this system is not known here
 */
export function openSocketLibc(libcPath: string): SocketLibc & Disposable {
  return new LoadedLibc(Deno.dlopen(libcPath, SYMBOLS), findPlatform());
}

function findPlatform(): Platform {
  const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  if (littleEndian && Deno.build.os === "linux") return LINUX;
  if (littleEndian && Deno.build.os === "darwin") return DARWIN;
  throw new Error(`No socket calls for ${Deno.build.target}`);
}

type Library = Deno.DynamicLibrary<typeof SYMBOLS>;

class LoadedLibc implements SocketLibc, Disposable {
  readonly #library: Library;
  readonly #platform: Platform;
  readonly uid: number;

  constructor(library: Library, platform: Platform) {
    this.#library = library;
    this.#platform = platform;
    this.uid = library.symbols.getuid();
  }

  connect(path: string): Connection | undefined {
    const { symbols } = this.#library;
    const address = socketAddress(path, this.#platform);
    if (address === undefined) return undefined;
    const fd = symbols.socket(AF_UNIX, this.#platform.streamType, 0);
    if (fd < 0) return undefined;
    const option = this.#platform.noSignalOption;
    if (option !== undefined) symbols.setsockopt(fd, option[0], option[1], new Int32Array([1]), 4);
    if (symbols.connect(fd, address, address.length) === 0 && this.#peerUid(fd) === this.uid) {
      return new LibcConnection(symbols, this.#platform, fd);
    }
    symbols.close(fd);
    return undefined;
  }

  #peerUid(fd: number): number | undefined {
    const [level, name, at] = this.#platform.peerUser;
    const credentials = new Uint32Array(32);
    const size = new Uint32Array([credentials.byteLength]);
    const failed = this.#library.symbols.getsockopt(fd, level, name, credentials, size) !== 0;
    return failed ? undefined : credentials[at];
  }

  cwd(): string {
    const path = new Uint8Array(4096);
    if (this.#library.symbols.getcwd(path, BigInt(path.length)) === 0n) return "/";
    return new TextDecoder().decode(path.subarray(0, path.indexOf(0)));
  }

  openRead(path: string): Opened {
    return this.#opened(this.#library.symbols.open(cString(path), this.#platform.nonBlock));
  }

  openWrite(path: string, flags: number): Opened {
    const { append, truncate, nonBlock } = this.#platform;
    const how = (flags & append) === 0 ? truncate : append;
    const fd = this.#library.symbols.open(cString(path), WRITE_ONLY | nonBlock | how);
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

class LibcConnection implements Connection {
  readonly #symbols: Library["symbols"];
  readonly #platform: Platform;
  readonly #fd: number;
  /** `struct pollfd`, outside of V8's heap: another thread writes it. */
  readonly #pollFd = new DataView(new ArrayBuffer(8));

  constructor(symbols: Library["symbols"], platform: Platform, fd: number) {
    this.#symbols = symbols;
    this.#platform = platform;
    this.#fd = fd;
    this.#pollFd.setInt32(0, fd, true);
  }

  send(bytes: Uint8Array<ArrayBuffer>): number {
    const { dontWait, noSignal } = this.#platform;
    return Math.max(
      0,
      Number(this.#symbols.send(this.#fd, bytes, BigInt(bytes.length), dontWait | noSignal)),
    );
  }

  receive(into: Uint8Array<ArrayBuffer>): number | "none yet" | "reset" {
    const count = Number(this.#symbols.recv(this.#fd, into, BigInt(into.length), this.#platform.dontWait));
    if (count >= 0) return count;
    return readErrno(this.#symbols) === this.#platform.reset ? "reset" : "none yet";
  }

  async wait(ms: number, forRoom: boolean): Promise<void> {
    this.#pollFd.setInt16(4, forRoom ? POLLIN | POLLOUT : POLLIN, true);
    await this.#symbols.poll(this.#pollFd, 1n, Math.min(Math.ceil(ms), MAX_POLL_MS));
  }

  shutdown(): void {
    this.#symbols.shutdown(this.#fd, SHUT_RDWR);
  }

  close(): void {
    // Should a child have inherited the descriptor, the server still sees the end.
    this.shutdown();
    this.#symbols.close(this.#fd);
  }
}

/** Why the call just made failed. */
function readErrno(symbols: Library["symbols"]): number {
  const errno = new Int32Array(1);
  symbols.memcpy(errno, symbols.errno(), 4n);
  return errno[0] ?? 0;
}

function socketAddress(path: string, platform: Platform): Uint8Array<ArrayBuffer> | undefined {
  const name = cString(path);
  if (name.length > platform.pathBytes) return undefined;
  const address = new Uint8Array(2 + name.length);
  address.set(platform.addressHasLength ? [address.length, AF_UNIX] : [AF_UNIX, 0]);
  address.set(name, 2);
  return address;
}

function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}
