// The command with which a client starts this program.
import { fromFileUrl } from "@std/path";
import { AppError } from "../errors.ts";
import { stat } from "../stat.ts";

/** A program and its arguments, for a client's configuration. */
export interface LaunchCommand {
  /** Absolute path of the program. */
  command: string;
  args: readonly string[];
  /** Names of variables that the server needs, apart from those that tmux clients do. */
  variables?: readonly string[];
}

/**
 * Returns the compiled binary or this checkout's launcher.
 * @throws {AppError} `unsupported` if this process runs from neither
 */
export function findOwnCommand(args: readonly string[]): LaunchCommand {
  if (Deno.build.standalone) return { command: Deno.execPath(), args };
  const launcher = new URL("../../scripts/tmux-mcp", import.meta.url);
  if (launcher.protocol === "file:" && stat(launcher)?.isFile) {
    return { command: fromFileUrl(launcher), args };
  }
  throw new AppError("unsupported", "Cannot find the command that starts this program", {
    hint: "Run it from a checkout (scripts/tmux-mcp) or as a compiled binary",
  });
}
