// Files that calls may read and write.
import { AppError } from "../errors.ts";
import { expandHome } from "../home_folder.ts";
import { denial } from "./denial.ts";
import type { PolicySettings } from "./types.ts";

/** Returns the absolute path with symlinks and `..` resolved; parts that don't exist yet are kept. */
export type ResolvePath = (path: string) => Promise<string>;

export interface PathRules {
  readonly settings: Pick<PolicySettings, "allowedBufferPaths" | "allowedOutputPaths">;
  /** Default folders for files: the working directory and our own folder. */
  standardPaths(): readonly string[];
  /** The user's home folder. */
  readonly home: string | undefined;
  readonly resolvePath: ResolvePath;
  /** Paths that no call may touch, wherever they are: the audit log, the configuration and the folder of records. */
  readonly ownPaths: readonly string[];
  /** Returns the identity of a file, which all its names share; undefined if the file does not exist. */
  fileId(path: string): Promise<string | undefined>;
  /** Throws if the path isn't a regular file, or could mean two files. */
  checkFile(path: string): Promise<void>;
}

export interface AskedPath {
  readonly path: string;
  readonly list: "buffer" | "output";
  /** True for a path on another machine, which can't be resolved here: only listed paths are allowed, as written. */
  readonly remote: boolean;
}

const KEYS = { buffer: "security.allowed_buffer_paths", output: "security.allowed_output_paths" } as const;

/** @throws {AppError} `denied` for a path outside the folders of its list, or what `resolvePath` throws for an impossible one */
export async function checkPath(asked: AskedPath, rules: PathRules): Promise<void> {
  const { settings, resolvePath } = rules;
  if (!asked.remote && await isOwn(asked.path, rules)) {
    throw new AppError("denied", `Cannot use the path "${asked.path}": this server uses that file itself`, {
      hint: "Use another file",
    });
  }
  const listed = asked.list === "buffer" ? settings.allowedBufferPaths : settings.allowedOutputPaths;
  const folders = listed ?? (asked.remote ? [] : rules.standardPaths());
  const home = listed === undefined ? rules.home : undefined;
  const inside = asked.remote
    ? isPlainlyInside(asked.path, folders)
    : await isReallyInside(asked.path, folders.map((folder) => expandHome(folder, rules.home)), {
      home,
      resolvePath,
    });
  if (inside) return asked.remote ? undefined : await rules.checkFile(asked.path);
  if (!asked.remote) await checkPossible(asked.path, resolvePath);
  throw denial(`Cannot use the path "${asked.path}"`, `${KEYS[asked.list]} = ${JSON.stringify(folders)}`);
}

async function isOwn(
  path: string,
  { ownPaths, resolvePath, fileId }: Pick<PathRules, "ownPaths" | "resolvePath" | "fileId">,
): Promise<boolean> {
  const real = await tryResolve(path, resolvePath);
  if (real === undefined) return false;
  const own = await Promise.all(ownPaths.map((each) => tryResolve(each, resolvePath)));
  if (own.some((each) => each !== undefined && isUnder(real, each))) return true;
  // A hard link is another name for the same file.
  const id = await fileId(real);
  return id !== undefined && (await Promise.all(ownPaths.map(fileId))).includes(id);
}

async function isReallyInside(
  path: string,
  folders: readonly string[],
  { home, resolvePath }: Pick<PathRules, "home" | "resolvePath">,
): Promise<boolean> {
  const real = await tryResolve(path, resolvePath);
  const roots = await Promise.all(folders.map((folder) => tryResolve(folder, resolvePath)));
  return real !== undefined &&
    roots.some((root) =>
      root !== undefined && isUnder(real, root) &&
      (!isReadByPrograms(real, home) || isReadByPrograms(root, home))
    );
}

/** True if the folder that a server runs in may be a default folder for files. Without `home`, it might be the home folder. */
export function isStandardFolder(folder: string, home: string | undefined): boolean {
  if (home === undefined) return false;
  const holdsHome = folder === "/" || home !== folder && isUnder(home, folder);
  return !holdsHome && !isReadByPrograms(folder, home);
}

/** True if shells and other programs take instructions from there: `~/.bashrc`, `~/.config/fish`, `~/bin`. */
function isReadByPrograms(path: string, home: string | undefined): boolean {
  if (home === undefined || !isUnder(path, home)) return false;
  return /^\/+(?:\.|bin(?:\/|$)|Library(?:\/|$))/.test(path.slice(home.replace(/\/+$/, "").length));
}

/** Resolves a path; undefined, and so not allowed, if that fails (a loop of links, an unreadable folder, `/proc`). */
async function tryResolve(path: string, resolvePath: ResolvePath): Promise<string | undefined> {
  return await resolvePath(path).catch(() => undefined);
}

/** Throws if no setting could allow the path, because no file can have it. */
async function checkPossible(path: string, resolvePath: ResolvePath): Promise<void> {
  await resolvePath(path).catch((error: unknown) => {
    if (error instanceof AppError) throw error;
  });
}

function isPlainlyInside(path: string, folders: readonly string[]): boolean {
  const plain = path.startsWith("/") && !path.split("/").some((part) => part === ".." || part === ".");
  return plain && folders.some((folder) => isUnder(path, folder));
}

function isUnder(path: string, folder: string): boolean {
  const root = folder.replace(/\/+$/, "");
  return path === root || path.startsWith(`${root}/`);
}
