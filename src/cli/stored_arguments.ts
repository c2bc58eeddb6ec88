// Options as a client's entry stores them: the client starts the server in a folder of its own.
import { resolve } from "@std/path";
import { ROWS } from "../config/table.ts";

/** Options for this machine also where tmux is on another (`--ssh`), whose relative paths stay as they are. */
const ALWAYS_HERE = ["config", "audit-path", "durable-path"];

export interface TypedArguments {
  /** Options as `--NAME=VALUE`. */
  args: readonly string[];
  cwd: string;
  isRemote: boolean;
}

/** Returns the options with absolute paths. */
export function storedArguments({ args, cwd, isRemote }: TypedArguments): string[] {
  return args.map((arg) => {
    const [, name = "", value = ""] = /^--([^=]*)=(.*)$/s.exec(arg) ?? [];
    if (isRemote && !ALWAYS_HERE.includes(name)) return arg;
    const kind = ROWS.find(([, row]) => row.name === name)?.[1].kind;
    const placeholder = name === "config" ? "FILE" : kind?.placeholder.replace(/,…$/, "") ?? "";
    const read = kind?.read([value]) ?? value;
    const isList = Array.isArray(read);
    const given = [read].flat() as string[];
    const paths = given.map((path) => isRelative(path, placeholder) ? resolve(cwd, path) : path);
    return paths.every((path, at) => path === given[at])
      ? arg
      : `--${name}=${isList ? listText(paths) : paths[0]}`;
  });
}

function isRelative(value: string, placeholder: string): boolean {
  const isPath = placeholder === "FILE" || placeholder === "DIR" ||
    placeholder === "PATH|NAME" && value.includes("/");
  return isPath && !value.startsWith("/") && !/^~(\/|$)/.test(value);
}

function listText(items: readonly string[]): string {
  return items.some((item) => item.includes(",")) ? JSON.stringify(items) : items.join(",");
}
