// Recognizes a client's entries that start this program, in every way that docs/running.md names.
import { basename, dirname, join, resolve } from "@std/path";
import { commandOf } from "./clients.ts";
import { findOwnFile } from "./own_command.ts";
import { stat } from "../stat.ts";

/** The launcher, or a release's binary such as `tmux-mcp-1.0.0-linux-x64`. */
const PROGRAM = /^tmux-mcp(-\d[\w.-]*)?$/;
/** This program's package, as an argument of npx or deno. */
const PACKAGE = /^(jsr:)?@tmux-mcp\/server([@/]|$)/;
/** The image that packages/Containerfile builds, of any version. */
const IMAGE = /^(localhost\/)?tmux-mcp(:[\w.-]+)?$/;
/** Options of `docker run` that take no value from the next word. */
const SWITCH = /^--?\w.*=|^-[dit]+$|^--(detach|init|interactive|privileged|quiet|read-only|rm|tty)$/;

/** True if an entry starts any copy of this program. */
export function startsThisProgram(entry: unknown): boolean {
  const [program = "", ...args] = commandOf(entry);
  const name = basename(program);
  if (PROGRAM.test(name) || args.some((arg) => PACKAGE.test(arg)) || isOwnFile(program)) return true;
  const [command, ...words] = args;
  if (command !== "run") return false;
  if (name === "docker" || name === "podman") return IMAGE.test(imageOf(words));
  return name === "deno" && isMain(words.find((word) => /\.[jt]s$/.test(word)) ?? "");
}

/** True for the file that runs now, whatever its name. */
function isOwnFile(program: string): boolean {
  if (!program.includes("/")) return false;
  try {
    return Deno.realPathSync(program) === Deno.realPathSync(findOwnFile());
  } catch {
    return false;
  }
}

/** Returns the image that `docker run` starts, from its words; empty if they name none. */
function imageOf([word = "", ...rest]: readonly string[]): string {
  if (!word.startsWith("-")) return word;
  return imageOf(SWITCH.test(word) ? rest : rest.slice(1));
}

/** True for the main.ts of a checkout, which has its launcher beside it. */
function isMain(script: string): boolean {
  return basename(script) === "main.ts" &&
    stat(join(dirname(resolve(script)), "scripts/tmux-mcp"))?.isFile === true;
}
