// The folder for the sockets of ssh connections, which only this user can enter.
import { AppError, messageOf } from "../../errors.ts";
import { bestEffort } from "../../promises.ts";

/** Longest parent (characters): the path of a socket is limited, and ssh adds 17 characters while it creates one. */
const MAX_CHARS = 70;
/** Path that ssh takes as it is: in an option it ends at a blank or a colon, and `%`, `$` and quotes are replaced. */
const PLAIN = /^\/[^\s:%$#"'\\]*$/;
/** File in the folder with the stamp of the process that made it. */
export const OWNER_FILE = "owner";

/** Returns the folders in which the folder for sockets may be. */
export function socketParents(
  { XDG_RUNTIME_DIR, TMPDIR }: Readonly<Record<string, string>>,
): readonly string[] {
  return [XDG_RUNTIME_DIR, TMPDIR, "/tmp"].filter((parent) =>
    parent !== undefined && parent !== ""
  ) as string[];
}

export class PrivateFolder {
  readonly #parents: readonly string[];
  readonly #stamp: string | undefined;
  #made: { path: string; uid: number | null } | undefined;

  /** The folder is created in the first parent that takes it; `stamp` of this process lets others remove what it left. */
  constructor(parents: readonly string[], stamp?: string) {
    this.#stamp = stamp;
    this.#parents = parents.filter((parent) => parent.length < MAX_CHARS && PLAIN.test(parent));
  }

  /**
   * Returns the folder, and creates it if necessary: programs that clean temporary folders up may have removed it.
   * @throws {AppError} `tmux-unavailable` if no parent takes it
   */
  path(): string {
    if (this.#made === undefined || !isThere(this.#made)) this.#made = this.#make();
    return this.#made.path;
  }

  async remove(): Promise<void> {
    if (this.#made !== undefined) await bestEffort(Deno.remove(this.#made.path, { recursive: true }));
  }

  #make(): { path: string; uid: number | null } {
    let cause: unknown;
    for (const dir of this.#parents) {
      try {
        const path = Deno.makeTempDirSync({ prefix: "tmux-mcp-", dir });
        this.#note(path);
        return { path, uid: Deno.lstatSync(path).uid };
      } catch (error) {
        cause = error;
      }
    }
    const where = this.#parents.join(" or ");
    const what = `Cannot create a folder for ssh in ${where}: ${messageOf(cause)}`;
    const suitable = `a writable folder (up to ${MAX_CHARS - 1} characters, no blanks)`;
    const hint = `Make room there, or start the server with TMPDIR set to ${suitable}`;
    throw new AppError("tmux-unavailable", what, { hint, cause });
  }

  #note(path: string): void {
    if (this.#stamp === undefined) return;
    try {
      Deno.writeTextFileSync(`${path}/${OWNER_FILE}`, this.#stamp);
    } catch {
      // A full disk still takes sockets.
    }
  }
}

/** False also if another user has put something in its place. */
function isThere({ path, uid }: { path: string; uid: number | null }): boolean {
  try {
    const found = Deno.lstatSync(path);
    return found.isDirectory && found.uid === uid;
  } catch {
    return false;
  }
}
