// A program in a pid namespace of its own, as in a container.
const FLAGS = ["--pid", "--fork", "--mount-proc", "--kill-child"];

/** Returns the arguments with which `unshare` starts a program there; undefined if this user may not. */
export async function findUnshare(): Promise<readonly string[] | undefined> {
  for (const args of [FLAGS, ["--user", "--map-root-user", ...FLAGS]]) {
    const tried = new Deno.Command("unshare", { args: [...args, "true"], stdin: "null", stderr: "null" });
    const isAllowed = await tried.output().then(({ success }) => success, () => false);
    if (isAllowed) return args;
  }
  return undefined;
}
