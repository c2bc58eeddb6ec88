// Real path of a path, also when its end does not exist yet.
import { dirname, join, resolve } from "@std/path";

/** Links that Linux follows before it gives up. */
const MAX_LINKS = 40;

/**
 * The absolute path with symbolic links and `..` resolved; of a file that is not there, through the folders that are,
 * and through links that lead nowhere yet.
 */
export async function resolveRealPath(path: string, links = MAX_LINKS): Promise<string> {
  const absolute = resolve(path);
  const missing: string[] = [];
  for (let at = absolute;; at = dirname(at)) {
    try {
      return join(await Deno.realPath(at), ...missing);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || at === dirname(at)) throw error;
      const leads = await Deno.readLink(at).catch(() => undefined);
      if (leads !== undefined && links > 0) {
        return await resolveRealPath(join(resolve(dirname(at), leads), ...missing), links - 1);
      }
      missing.unshift(at.slice(dirname(at).length).replace(/^\//, ""));
    }
  }
}
