// Reads the descriptors that a call waits for from the bytes of poll, select and epoll sets.

/** POLLIN and POLLRDNORM; a terminal has no urgent data (POLLPRI) for its programs. epoll uses the same bits. */
const READABLE = 0x1 | 0x40;

/** Descriptors that a `struct pollfd[]` waits to read; ignored entries are negative. */
export function parsePollSet(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: number[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const fd = view.getInt32(at, true);
    if (fd >= 0 && (view.getInt16(at + 4, true) & READABLE) !== 0) found.push(fd);
  }
  return found;
}

/** Descriptors that are set in the first `count` bits of an `fd_set`. */
export function parseSelectSet(bytes: Uint8Array, count: number): number[] {
  const found: number[] = [];
  for (let fd = 0; fd < count && fd >> 3 < bytes.length; fd++) {
    if (((bytes[fd >> 3] ?? 0) & (1 << (fd & 7))) !== 0) found.push(fd);
  }
  return found;
}

/** Descriptors that `/proc/PID/fdinfo/EPFD` lists with an interest in reading (a spent one-shot has none). */
export function parseEpollMembers(fdinfo: string): number[] {
  const found: number[] = [];
  for (const [, fd, events] of fdinfo.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)) {
    if ((Number.parseInt(events ?? "", 16) & READABLE) !== 0) found.push(Number(fd));
  }
  return found;
}

/** Size in bytes of an `fd_set` for `count` descriptors: whole longs, as the kernel reads them. */
export function selectSetSize(count: number): number {
  return Math.ceil(count / 64) * 8;
}
