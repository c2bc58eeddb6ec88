// Expands what tmuxp expands first: `~`, `$NAME` and `${NAME}`, and paths relative to the file.
import { expandHome } from "../home_folder.ts";

export interface Expansion {
  /** Environment of the tmux server. */
  variables: Readonly<Record<string, string>>;
  /** Folder of the file; undefined for a workspace without a file. */
  base?: string | undefined;
}

/** Expands text; an unset variable stays as written, for the pane's shell. */
export function expandText(text: string, { variables }: Expansion): string {
  return expandHome(text, variables["HOME"]).replace(
    /\$(?:(\w+)|\{([^}]*)\})/g,
    (written, plain?: string, braced?: string) => {
      const name = plain ?? braced ?? "";
      return Object.hasOwn(variables, name) ? variables[name]! : written;
    },
  );
}

/** Joins a path to a folder, and resolves `.` and `..` if the folder is known. */
export function joinFolder(path: string, under: string | undefined): string {
  if (path.startsWith("/") || under === undefined) return path;
  const parts: string[] = [];
  for (const part of `${under}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
