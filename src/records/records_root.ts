// The folder in which records are kept on disk.
import { isAbsolute, join, resolve } from "@std/path";
import { stat } from "../stat.ts";

/** Returns the folder of records; undefined if there is no home to keep them in. */
export function findRecordsRoot(
  { durablePath }: { durablePath: string | undefined },
  env: Readonly<Record<string, string>>,
): string | undefined {
  const { HOME: home, XDG_STATE_HOME: state } = env;
  if (durablePath !== undefined) return resolve(durablePath);
  // The XDG specification says to ignore a relative path here.
  if (state !== undefined && isAbsolute(state)) return join(state, "tmux-mcp");
  // A home folder that does not exist is the user's choice, so it is not created.
  return home !== undefined && isAbsolute(home) && isFolder(home)
    ? join(home, ".local/state/tmux-mcp")
    : undefined;
}

export function isFolder(path: string): boolean {
  return stat(path)?.isDirectory === true;
}
