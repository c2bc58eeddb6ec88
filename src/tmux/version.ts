// tmux versions, as `tmux -V` and `#{version}` spell them: `3.3a`, `next-3.8`, `openbsd-7.4`; and which are served.
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { type ProcessTarget, runProgram } from "./spawn.ts";

/** The first version whose control clients have the flags that watches need. */
const OLDEST = { major: 3, minor: 2 };

/** Longest part of its output that an error repeats. */
const MAX_REASON = 200;

/** The way to get one. */
export const INSTALL_HINT = "Install a newer tmux (apt install tmux, dnf install tmux, brew install tmux)";

/** True if a version is at least this one; a spelling without numbers is taken for a new one. */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, first, second] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (first === undefined) return true;
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}

/**
 * Refuses a version that is too old.
 * @throws {AppError} `unsupported`, saying what to do
 */
export function checkVersion(version: string, hint: string): void {
  const { major, minor } = OLDEST;
  if (isAtLeast(version, major, minor)) return;
  throw new AppError("unsupported", `tmux ${version} is too old: ${major}.${minor} or newer is needed`, {
    hint,
  });
}

/** Version from `tmux -V`, without the word. @throws {AppError} `tmux-unavailable` */
export async function readVersion({ bin, env }: Pick<ProcessTarget, "bin" | "env">): Promise<string> {
  const { code, stdout, stderr } = await runProgram({ bin, args: ["-V"], env });
  const said = new TextDecoder().decode(stdout).trim();
  const [, version] = /^tmux (\S+)/.exec(said) ?? [];
  if (code === 0 && version !== undefined) return version;
  const reason = excerpt(said || stderr.trim(), MAX_REASON) || `exit code ${code}`;
  throw new AppError("tmux-unavailable", `Cannot use "${bin}": ${bin} -V reports no version: ${reason}`, {
    hint: "Install tmux again, or name a working one with --tmux-bin",
  });
}

/**
 * Asks the program itself, and returns its version.
 * @throws {AppError} `unsupported`, `tmux-unavailable`
 */
export async function checkProgram(target: Pick<ProcessTarget, "bin" | "env">): Promise<string> {
  const version = await readVersion(target);
  checkVersion(version, INSTALL_HINT);
  return version;
}
