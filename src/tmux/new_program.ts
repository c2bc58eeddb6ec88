// Program of a new pane as tmux takes it: the command, its folder and its variables.
import { AppError } from "../errors.ts";
import { literal } from "./record_codec.ts";
import type { Machine } from "./machine.ts";

/** The program of a new pane. */
export interface NewProgram {
  /** The folder it starts in. */
  startDirectory?: string | undefined;
  /** Shell text; the user's shell when left out. */
  command?: string | undefined;
  /** Variables in addition to those of the tmux server. */
  environment?: Readonly<Record<string, string>> | undefined;
}

/**
 * The last arguments of a tmux command that starts it.
 * @throws {AppError} `invalid-argument` for a folder that is not there
 */
export async function programFlags(machine: Machine, program: NewProgram): Promise<string[]> {
  const { startDirectory, environment = {}, command } = program;
  return [
    ...(startDirectory === undefined ? [] : ["-c", await existingFolder(machine, startDirectory)]),
    ...Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    ...(command === undefined ? [] : ["--", command]),
  ];
}

/** tmux silently starts in another folder where this one is missing. */
async function existingFolder(machine: Machine, path: string): Promise<string> {
  const absolute = await machine.folder(path);
  if (absolute !== undefined) return literal(absolute);
  throw new AppError("invalid-argument", `Cannot start in "${path}": there is no such folder`, {
    hint: "Give the absolute path of a folder that exists",
  });
}
