// Where a new program starts, as tmux takes it.
import { resolve } from "@std/path";
import { AppError } from "../errors.ts";
import { literal } from "./format.ts";

/**
 * The `-c` flag for a folder; tmux starts elsewhere, and says nothing, where there is none.
 * @throws {AppError} `invalid-argument`
 */
export async function startDirectoryFlags(path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  const absolute = resolve(path);
  if (!await isFolder(absolute)) {
    throw new AppError("invalid-argument", `Cannot start in "${path}": there is no such folder`, {
      hint: "Give the absolute path of a folder that exists",
    });
  }
  return ["-c", literal(absolute)];
}

/** What may not be looked at is left for tmux to find out. */
async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}
