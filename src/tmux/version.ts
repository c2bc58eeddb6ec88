// tmux versions as `tmux -V` and `#{version}` spell them (`3.3a`, `next-3.8`, `openbsd-7.4`), and which are
// supported.
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { type ProcessTarget, runProgram } from "./spawn.ts";

/** First version whose control clients have the flags that watches need. */
const OLDEST = { major: 3, minor: 2 };

/** Longest part of tmux's output (characters) that an error repeats. */
const MAX_REASON = 200;

/** How to get a newer tmux. */
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

/**
 * Returns the version that `tmux -V` prints, without the word "tmux".
 * @throws {AppError} `tmux-unavailable`
 */
export async function readVersion({ bin, env }: Pick<ProcessTarget, "bin" | "env">): Promise<string> {
  const { code, stdout, stderr } = await runProgram({ bin, args: ["-V"], env });
  const output = new TextDecoder().decode(stdout).trim();
  const [, version] = /^tmux (\S+)/.exec(output) ?? [];
  if (code === 0 && version !== undefined) return version;
  const reason = excerpt(output || stderr.trim(), MAX_REASON) || `exit code ${code}`;
  throw new AppError("tmux-unavailable", `Cannot use "${bin}": ${bin} -V reports no version: ${reason}`, {
    hint: "Install tmux again, or name a working one with --tmux-bin",
  });
}

/**
 * Returns the version of the program after checking it.
 * @throws {AppError} `unsupported`, `tmux-unavailable`
 */
export async function checkProgram(target: Pick<ProcessTarget, "bin" | "env">): Promise<string> {
  const version = await readVersion(target);
  checkVersion(version, INSTALL_HINT);
  return version;
}
