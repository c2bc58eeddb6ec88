// `~` at the start of a path.

/** True for `~` and what begins with `~/`. */
export function isFromHome(path: string): boolean {
  return /^~(\/|$)/.test(path);
}

/** Returns a path with the home folder, if it is known, in place of `~`; other texts as they are. */
export function expandHome(path: string, home: string | undefined): string {
  return home !== undefined && isFromHome(path) ? home + path.slice(1) : path;
}
