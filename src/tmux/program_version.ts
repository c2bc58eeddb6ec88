// Version of a tmux program.
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { checkVersion, INSTALL_HINT } from "../tmux_exec/version.ts";
import { type ProcessTarget, runProgram } from "./spawn.ts";

/** Longest part of tmux's output (characters) that an error repeats. */
const MAX_REASON = 200;

/**
 * Returns the version that `tmux -V` prints, without the word "tmux".
 * @throws {AppError} `tmux-unavailable`
 */
export async function readVersion({ bin, env }: Pick<ProcessTarget, "bin" | "env">): Promise<string> {
  const { code, stdout, stderr } = await runProgram({ bin, args: ["-V"], env });
  const output = new TextDecoder().decode(stdout).trim();
  // Some builds print the name of the file, which a link may have given them.
  const [name, version] = output.split(/\s+/);
  if (code === 0 && version && (name === "tmux" || name === bin.replace(/.*\//s, ""))) return version;
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
