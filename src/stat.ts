// Facts about the file or folder at a path.

/** Returns undefined if nothing is there, or nothing that can be inspected. Links are followed. */
export function stat(path: string | URL): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}

/** False if nothing is at the path; one that this process is not permitted to inspect may hold something. */
export function mayExist(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.NotCapable;
  }
}
