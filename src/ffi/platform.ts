// Constants of the C library, by system.

export interface PlatformConstants {
  /** SOCK_STREAM, with SOCK_CLOEXEC and SOCK_NONBLOCK where they exist: a full backlog must not block connect(2). */
  streamType: number;
  dontWait: number;
  noSignal: number;
  /** setsockopt(SOL_SOCKET, …) against SIGPIPE, where send(2) has no flag for that. */
  noSignalOption?: readonly [level: number, name: number];
  /** getsockopt(…) for the user of the other side; `word`: index of that 32-bit word in the result. */
  peerUser: readonly [level: number, name: number, word: number];
  /** Index of the word with its process id, where there is one. */
  peerPid?: number;
  /** ECONNRESET. */
  reset: number;
  /** EAGAIN, where connect(2) fails with it while too many others wait to be accepted. */
  full?: number;
  nonBlock: number;
  noCtty: number;
  closeOnExec: number;
  append: number;
  truncate: number;
  /** F_SETPIPE_SZ. */
  pipeSize?: number;
  pathBytes: number;
  /** True if descriptors can be passed on this system: the layout of `struct msghdr` is known. */
  passesDescriptors: boolean;
  /** True if `struct sockaddr_un` begins with its own length, in a byte that elsewhere is half of the family. */
  addressHasLength: boolean;
}

const LINUX: PlatformConstants = {
  streamType: 1 | 0o2000000 | 0o4000,
  dontWait: 0x40,
  noSignal: 0x4000,
  peerUser: [1, 17, 1], // SOL_SOCKET, SO_PEERCRED: struct ucred { pid, uid, gid }
  peerPid: 0,
  reset: 104,
  full: 11,
  nonBlock: 0o4000,
  noCtty: 0o400,
  closeOnExec: 0o2000000,
  append: 0o2000,
  truncate: 0o1000,
  pipeSize: 1031,
  pathBytes: 108,
  passesDescriptors: true,
  addressHasLength: false,
};

const DARWIN: PlatformConstants = {
  streamType: 1,
  dontWait: 0x80,
  noSignal: 0,
  noSignalOption: [0xffff, 0x1022],
  peerUser: [0, 1, 1], // SOL_LOCAL, LOCAL_PEERCRED: struct xucred { version, uid, … }
  reset: 54,
  nonBlock: 0x4,
  noCtty: 0x20000,
  closeOnExec: 0x1000000,
  append: 0x8,
  truncate: 0x400,
  pathBytes: 104,
  passesDescriptors: false,
  addressHasLength: true,
};

/** @throws on an unknown system */
export function platformConstants(): PlatformConstants {
  const { os } = Deno.build;
  const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  if (littleEndian && os === "linux") return LINUX;
  if (littleEndian && os === "darwin") return DARWIN;
  throw new Error(`No system calls are known for ${os}`);
}
