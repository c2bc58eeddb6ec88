// Arguments for the program of a new pane: its command, folder and variables.
import { AppError } from "../errors.ts";
import { literal } from "./row_codec.ts";
import type { Machine } from "./machine.ts";

/** The program of a new pane. */
export interface NewProgram {
  /** Folder in which it starts. */
  startDirectory?: string | undefined;
  /** Shell command, or the words of a program; if left out, the user's shell is started. */
  command?: string | readonly string[] | undefined;
  /** Variables in addition to those of the tmux server. */
  environment?: Readonly<Record<string, string>> | undefined;
}

/** A pane that is to be claimed for a service. */
export interface Unclaimed {
  /** Stamp of the process that creates it, by which a later one finds the pane if that is killed before it claims it. */
  createdBy?: string | undefined;
}

/**
 * Returns the last arguments of a tmux command that starts the program.
 * @throws {AppError} `invalid-argument` for a missing folder
 */
export async function programFlags(machine: Machine, program: NewProgram): Promise<string[]> {
  const { startDirectory, environment = {}, command } = program;
  return [
    ...(startDirectory === undefined ? [] : ["-c", literal(await checkStartFolder(machine, startDirectory))]),
    ...Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    ...(command === undefined ? [] : ["--", ...[command].flat()]),
  ];
}

/**
 * Returns the folder's absolute path: tmux silently starts in another folder if this one is missing.
 * @throws {AppError} `invalid-argument` for a missing folder
 */
export async function checkStartFolder(machine: Machine, path: string): Promise<string> {
  const absolute = await machine.folder(path);
  if (absolute !== undefined) return absolute;
  throw new AppError("invalid-argument", `Cannot start in "${path}": the folder does not exist`, {
    hint: "Give the absolute path of a folder that exists and may be opened",
  });
}
