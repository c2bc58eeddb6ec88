// Device numbers of terminals, as `/proc/PID/stat` prints them.

/** Joins major and minor in the number that `/proc/PID/stat` prints for a terminal. */
export function deviceNumber(major: number, minor: number): number {
  return ((minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12)) >>> 0;
}

/** Majors of Unix98 pseudo-terminals (Linux `Documentation/admin-guide/devices.txt`). */
const FIRST_PTS_MAJOR = 136;
const LAST_PTS_MAJOR = 143;

/** Number of `/dev/tty`. */
export const DEV_TTY = deviceNumber(5, 0);

/** Returns the device number of a terminal by its path; 0 for other files. */
export function deviceOfTerminal(path: string): number {
  const index = /^\/dev\/pts\/(\d+)$/.exec(path)?.[1];
  if (index !== undefined) return deviceNumber(FIRST_PTS_MAJOR, Number(index));
  return path === "/dev/tty" ? DEV_TTY : 0;
}

/** Returns the path of a pseudo-terminal by its device number, such as `/dev/pts/4`; undefined for other devices. */
export function findPtsPath(device: number): string | undefined {
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  if (major < FIRST_PTS_MAJOR || major > LAST_PTS_MAJOR) return undefined;
  return `/dev/pts/${(major - FIRST_PTS_MAJOR) * 256 + minor}`;
}
