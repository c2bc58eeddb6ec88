// Expands what tmuxp expands before it creates anything: `~`, `$NAME` and `${NAME}`, and paths relative to the file.

export interface Expansion {
  /** The environment of the tmux server. */
  variables: Readonly<Record<string, string>>;
  /** Folder of the file; undefined for a workspace without one. */
  base?: string | undefined;
}

/** A variable that is not set stays as it is written, for the shell of the pane. */
export function expandText(text: string, { variables }: Expansion): string {
  const home = variables["HOME"];
  const rooted = home === undefined ? text : text.replace(/^~(?=\/|$)/, () => home);
  return rooted.replace(
    /\$(?:(\w+)|\{([^}]*)\})/g,
    (written, plain?: string, braced?: string) => {
      const name = plain ?? braced ?? "";
      return Object.hasOwn(variables, name) ? variables[name]! : written;
    },
  );
}

/** A path under a folder, without `.` and `..` where that folder is known. */
export function joinFolder(path: string, under: string | undefined): string {
  if (path.startsWith("/") || under === undefined) return path;
  const parts: string[] = [];
  for (const part of `${under}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
