// Versions of tmux, as `tmux -V` and `#{version}` spell them (`3.3a`, `next-3.8`, `openbsd-7.4`), and the oldest that
// is supported.
import { AppError } from "../errors.ts";

/** First version whose control clients have the flags that watches need. */
const OLDEST = { major: 3, minor: 2 };

export const INSTALL_HINT = "Install a newer tmux (apt install tmux, dnf install tmux, brew install tmux)";

/** True if a version is at least this one; a spelling without numbers counts as new. */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, first, second] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (first === undefined) return true;
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}

/**
 * Refuses a version that is too old.
 * @throws {AppError} `unsupported`, with `hint` as the next step
 */
export function checkVersion(version: string, hint: string): void {
  const { major, minor } = OLDEST;
  if (isAtLeast(version, major, minor)) return;
  throw new AppError("unsupported", `tmux ${version} is too old: ${major}.${minor} or newer is needed`, {
    hint,
  });
}
