// Folder of the records on disk.
import { isAbsolute, join, resolve } from "@std/path";

export interface RecordsRootOptions {
  durableEnabled: boolean;
  durablePath: string | undefined;
}

/** The folder of records; undefined where they are kept in memory: by choice, or for want of a home. */
export function findRecordsRoot(
  { durableEnabled, durablePath }: RecordsRootOptions,
  env: Readonly<Record<string, string>>,
): string | undefined {
  if (!durableEnabled) return undefined;
  const { HOME: home, XDG_STATE_HOME: state } = env;
  if (durablePath !== undefined) {
    return durablePath.startsWith("~/") && home !== undefined
      ? join(home, durablePath.slice(2))
      : resolve(durablePath);
  }
  // A relative path there is to be ignored, says the XDG specification.
  if (state !== undefined && isAbsolute(state)) return join(state, "tmux-mcp");
  return home !== undefined && isAbsolute(home) && isFolder(home)
    ? join(home, ".local/state/tmux-mcp")
    : undefined;
}

/** A home that does not exist is somebody's choice, and not made by us. */
function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
