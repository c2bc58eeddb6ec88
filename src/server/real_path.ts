// Resolves paths whose last parts may not exist yet, and checks that tmux and Deno resolve them alike.
import { dirname, isAbsolute, join, resolve } from "@std/path";
import { AppError } from "../errors.ts";

/** Number of links that Linux follows before it gives up. */
const MAX_LINKS = 40;

/** Errors of the system about a path that no file can have. */
const IMPOSSIBLE: Readonly<Record<string, string>> = {
  ENAMETOOLONG: "a name in it is too long",
  EINVAL: "it contains a NUL",
};

/**
 * The absolute path with symbolic links and `..` resolved as the kernel does: `link/..` is the parent of the
 * link's target. Parts that don't exist yet are kept; a dangling link is followed.
 * @throws {AppError} `invalid-argument` for a path that no file can have
 */
export async function resolveRealPath(path: string, links = MAX_LINKS): Promise<string> {
  const [first = "", ...others] = path.split(/\/\.\.(?=\/|$)/);
  let at = resolve(first || "/");
  for (const rest of others) at = dirname(await followLinks(at, links)) + rest;
  return await followLinks(resolve(at), links);
}

/**
 * Checks that tmux and Deno open the same file. They disagree in two cases: for `link/../file`, tmux looks
 * beside the link's target and Deno beside the link; for a dangling link, tmux creates a file that everyone
 * may read, and Deno creates none.
 */
export async function checkOneMeaning(path: string): Promise<void> {
  if (await leadsNowhere(path)) {
    throw new AppError("invalid-argument", `Cannot use the path "${path}": it is a link to nothing`, {
      hint: `Give ${await resolveRealPath(path)}`,
    });
  }
  if (!path.split("/").includes("..")) return;
  const real = await resolveRealPath(path);
  if (real === await resolveRealPath(resolve(path))) return;
  throw new AppError("invalid-argument", `Cannot use the path "${path}": its ".." follows a symbolic link`, {
    hint: `Give ${real}`,
  });
}

/** Returns the device and inode of a file; undefined if it does not exist. */
export async function readFileId(path: string): Promise<string | undefined> {
  const found = await Deno.stat(path).catch(() => undefined);
  return found && `${found.dev} ${found.ino}`;
}

async function leadsNowhere(path: string): Promise<boolean> {
  const isLink = await Deno.readLink(path).then(() => true, () => false);
  return isLink && await Deno.stat(path).then(() => false, () => true);
}

/** @param path Absolute and without `..`, which Deno would remove from the text before it follows links */
async function followLinks(path: string, links: number): Promise<string> {
  const missing: string[] = [];
  for (let at = path;; at = dirname(at)) {
    try {
      return join(await Deno.realPath(at), ...missing);
    } catch (error) {
      checkPossible(path, error);
      if (!(error instanceof Deno.errors.NotFound) || at === dirname(at)) throw error;
      const leads = await Deno.readLink(at).catch(() => undefined);
      if (leads !== undefined && links > 0) {
        const target = isAbsolute(leads) ? leads : `${dirname(at)}/${leads}`;
        return await resolveRealPath([target, ...missing].join("/"), links - 1);
      }
      missing.unshift(at.slice(dirname(at).length).replace(/^\//, ""));
    }
  }
}

function checkPossible(path: string, error: unknown): void {
  const reason = IMPOSSIBLE[(error as { code?: string }).code ?? ""];
  if (reason === undefined) return;
  throw new AppError("invalid-argument", `Cannot use the path ${JSON.stringify(path)}: ${reason}`, {
    hint: "Give another path",
  });
}
