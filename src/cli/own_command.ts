// The command with which a client starts this program.
import { basename, dirname, fromFileUrl, join } from "@std/path";
import { AppError } from "../errors.ts";
import { readableWord } from "../shell/quoting.ts";
import { stat } from "../stat.ts";
import { withoutProgramFolders } from "../tmux/server_environment.ts";
import { VERSION } from "../version.ts";

export interface LaunchCommand {
  /** Absolute path of the program, or the name of a package manager's. */
  command: string;
  args: readonly string[];
  /** Names of variables that the server needs in addition to those of tmux clients. */
  variables?: readonly string[];
}

/** Caches that a package manager may empty, and the program that fills them again. */
const RUNNERS: readonly [cache: RegExp, words: readonly string[]][] = [
  [/\/_npx\//, ["npx", "-y"]],
  [/\/pnpm\/dlx[^/]*\//, ["pnpm", "dlx"]],
  [/\/\.?bunx-\d+[-/]/, ["bunx"]],
];

/**
 * Returns the command that starts this program, also after an update.
 * @throws {AppError} `unsupported` if this process runs from neither a checkout nor a package nor a binary
 */
export function findOwnCommand(args: readonly string[], path = ""): LaunchCommand {
  return commandOfFile(findOwnFile(), { args, path });
}

/** Returns the command for one of this program's files. */
export function commandOfFile(
  file: string,
  { args, path }: { args: readonly string[]; path: string },
): LaunchCommand {
  const [, [command, ...words] = []] = RUNNERS.find(([cache]) => cache.test(file)) ?? [];
  if (command !== undefined) return { command, args: [...words, `@tmux-mcp/server@${VERSION}`, ...args] };
  return { command: findLink(file, path) ?? file, args };
}

/** Finds this program on the PATH: the file's own path may have its version in it, as Homebrew's do. */
function findLink(file: string, path: string): string | undefined {
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  const names = new Set(["tmux-mcp", basename(file)]);
  return folders.flatMap((folder) => [...names].map((name) => join(folder, name))).find((candidate) =>
    stat(candidate)?.isFile && Deno.realPathSync(candidate) === Deno.realPathSync(file)
  );
}

/** Returns what a person types to run this program here. */
export function ownWords(path = ""): string {
  try {
    const { command, args } = findOwnCommand([], path);
    const folders = withoutProgramFolders(path).split(":");
    const isOnPath = basename(command) === "tmux-mcp" && folders.includes(dirname(command));
    return isOnPath ? "tmux-mcp" : [command, ...args].map(readableWord).join(" ");
  } catch {
    return "tmux-mcp";
  }
}

/**
 * Returns the compiled binary, or the launcher of this checkout or package.
 * @throws {AppError} `unsupported` if this process runs from none of them
 */
export function findOwnFile(): string {
  if (Deno.build.standalone) return Deno.execPath();
  const launcher = new URL("../../scripts/tmux-mcp", import.meta.url);
  if (launcher.protocol === "file:" && stat(launcher)?.isFile) return fromFileUrl(launcher);
  throw new AppError("unsupported", "Cannot find the command that starts this program", {
    hint: "Run it from a checkout (scripts/tmux-mcp) or as a compiled binary",
  });
}
