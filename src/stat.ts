// Facts about the file or folder at a path.

/** Returns undefined if nothing is there, or nothing that can be inspected. Links are followed. */
export function stat(path: string | URL): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
