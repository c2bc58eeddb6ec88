// Where a new program starts, as tmux takes it.
import { AppError } from "../errors.ts";
import { literal } from "./format.ts";
import type { Machine } from "./machine.ts";

/**
 * The `-c` flag for a folder; tmux starts elsewhere, and says nothing, where there is none.
 * @throws {AppError} `invalid-argument`
 */
export async function startDirectoryFlags(machine: Machine, path: string | undefined): Promise<string[]> {
  if (path === undefined) return [];
  const absolute = await machine.folder(path);
  if (absolute === undefined) {
    throw new AppError("invalid-argument", `Cannot start in "${path}": there is no such folder`, {
      hint: "Give the absolute path of a folder that exists",
    });
  }
  return ["-c", literal(absolute)];
}
