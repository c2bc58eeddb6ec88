// The exit statuses that shells leave beside their commands' records, in the names of empty files.
import { basename, dirname } from "@std/path";
import { listNames, statIfThere } from "./files.ts";

/** Longest time (ms) by which the clock of a file system is behind: a later change may leave the same time until then. */
const CLOCK_MS = 50;

interface Listing {
  /** Time at which the folder had changed. */
  readonly changed: number;
  readonly names: readonly string[];
}

/** True for the file of an exit status, which belongs to root if the shell does (`sudo -s`); nothing in it is read. */
export function isExitStatus(name: string, { isFile, size }: Deno.FileInfo): boolean {
  return isFile && size === 0 && /^c\d+\.json\.\d+$/.test(name);
}

export class ExitStatusFiles {
  /** Listings by folder, each renewed once its folder has changed: with 5,000 records, that takes 12 ms in each poll. */
  readonly #listings: Map<string, Listing> = new Map();

  /** Returns the exit status beside a record; undefined if there is none. */
  read(path: string): number | undefined {
    const start = `${basename(path)}.`;
    const name = this.#names(dirname(path)).find((each) => each.startsWith(start));
    return name === undefined ? undefined : Number(name.slice(start.length));
  }

  #names(folder: string): readonly string[] {
    const now = Date.now();
    const changed = statIfThere(folder)?.mtime?.getTime() ?? now;
    const known = this.#listings.get(folder);
    if (known?.changed === changed) return known.names;
    const names = listNames(folder);
    if (changed < now - CLOCK_MS) this.#listings.set(folder, { changed, names });
    else this.#listings.delete(folder);
    return names;
  }
}
