// The programs that tests find.

/**
 * PATH with the system's programs before those of version managers: pyenv's python3 starts eleven scripts before the
 * program, 0.13 s of CPU instead of 0.02.
 */
export const PATH: string = (Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(":")
  .toSorted((one, other) => Number(isOfShims(one)) - Number(isOfShims(other))).join(":");

function isOfShims(folder: string): boolean {
  return /\/shims\/?$/.test(folder);
}
