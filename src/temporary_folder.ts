// The folder for temporary files.

/** `TMPDIR` if it is an absolute path, else `/tmp`; so too if it is gone, as that of a `nix-shell` or a job that has ended. */
export function temporaryFolder({ TMPDIR = "" }: Readonly<Record<string, string>>): string {
  return TMPDIR.startsWith("/") && !isGone(TMPDIR) ? TMPDIR : "/tmp";
}

/** False for a folder that this process may not inspect. */
function isGone(folder: string): boolean {
  try {
    return !Deno.statSync(folder).isDirectory;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}
