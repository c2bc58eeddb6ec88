// tmux versions, as `tmux -V` and `#{version}` spell them: `3.3a`, `next-3.8`, `openbsd-7.4`.

/** Whether a version is at least this one; a spelling without numbers is taken for a new one. */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, first, second] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (first === undefined) return true;
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}
