// Options as a client's entry stores them: the client starts the server in a folder of its own.
import { resolve } from "@std/path";
import { isPathHere } from "../config/home_paths.ts";
import { ROWS } from "../config/table.ts";
import { isFromHome } from "../home_folder.ts";

export interface TypedArguments {
  /** Options as `--NAME=VALUE`. */
  args: readonly string[];
  cwd: string;
  isRemote: boolean;
}

/** Returns the options with absolute paths; `~` stays, for the server knows it. */
export function storedArguments({ args, cwd, isRemote }: TypedArguments): string[] {
  return args.map((arg) => {
    const [, name = "", value = ""] = /^--([^=]*)=(.*)$/s.exec(arg) ?? [];
    if (name === "config") return `--config=${absolute(value, cwd)}`;
    const row = ROWS.find(([, row]) => row.name === name)?.[1];
    if (row === undefined || !isPathHere(row, { isRemote })) return arg;
    const read = row.kind.read([value]);
    const given = [read].flat() as string[];
    const paths = given.map((path) =>
      row.kind.placeholder.startsWith("PATH|NAME") && !path.includes("/") ? path : absolute(path, cwd)
    );
    return paths.every((path, at) => path === given[at])
      ? arg
      : `--${name}=${Array.isArray(read) ? listText(paths) : paths[0]}`;
  });
}

function absolute(path: string, cwd: string): string {
  return path.startsWith("/") || isFromHome(path) ? path : resolve(cwd, path);
}

function listText(items: readonly string[]): string {
  return items.some((item) => item.includes(",")) ? JSON.stringify(items) : items.join(",");
}
