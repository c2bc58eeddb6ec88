// Where a path really leads, also when its end does not exist yet.
import { dirname, join, resolve } from "@std/path";

/** The absolute path with symbolic links and `..` resolved; of a file that is not there, through the folders that are. */
export async function resolveRealPath(path: string): Promise<string> {
  const absolute = resolve(path);
  const missing: string[] = [];
  for (let at = absolute;; at = dirname(at)) {
    try {
      return join(await Deno.realPath(at), ...missing);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || at === dirname(at)) throw error;
      missing.unshift(at.slice(dirname(at).length).replace(/^\//, ""));
    }
  }
}
