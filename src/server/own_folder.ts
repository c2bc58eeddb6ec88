// This server's folder in the temporary folder. Another user may have created one of that name first.
import { AppError } from "../errors.ts";

/** True if the path is a folder that only this user can enter, or doesn't exist yet. */
export function isOwnFolder(path: string, uid: number): boolean {
  try {
    const found = Deno.lstatSync(path);
    return found.isDirectory && found.uid === uid && ((found.mode ?? 0) & 0o077) === 0;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}

/** @throws {AppError} `denied` for a folder that others can enter, or a link */
export function checkOwnFolder(path: string, uid: number): void {
  if (isOwnFolder(path, uid)) return;
  const what = `Cannot write into "${path}": it is not a folder that only this user can enter`;
  throw new AppError("denied", what, {
    hint: "Ask the person who runs this server to remove it, or to set security.allowed_output_paths",
  });
}
