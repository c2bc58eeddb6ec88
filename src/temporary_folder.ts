// The folder for temporary files.

/** `TMPDIR` if it is an absolute path, else `/tmp`. */
export function temporaryFolder({ TMPDIR = "" }: Readonly<Record<string, string>>): string {
  return TMPDIR.startsWith("/") ? TMPDIR : "/tmp";
}
