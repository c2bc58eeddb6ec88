// Options and services that a server is composed from.
import type { Options } from "./config.ts";
import { AppError } from "./errors.ts";
import type { Masks } from "./masking/masks.ts";

/** Options and services of a server. */
export interface TmuxMcpOptions {
  /** Options of the configuration file, by their names in code; those left out have their defaults. */
  options?: Partial<Options>;
  /** Complete environment for tmux clients; nothing else is passed on. */
  env: Readonly<Record<string, string>>;
  /** Environment for a tmux server that a tool starts, and so for all its panes; `env` if left out. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  /** Environment for ssh to hosts, beside `env`, for what its configuration names and starts. */
  sshEnv?: Readonly<Record<string, string>> | undefined;
  /** Result of `loadMasks` for `options.mask`; undefined if `mask` names only variables that are not set. */
  masks?: Masks | undefined;
  /** Absolute path of the folder that files may be written to by default; the working directory if left out. */
  cwd?: string;
  /** Receives messages outside the protocol; without it, they are dropped. */
  complain?(message: string): void;
  /** Path of the configuration file in use, which no call may write. */
  configFile?: string | undefined;
}

/** @throws {AppError} if texts are to be masked but no masks were loaded */
export function checkMasks(composition: TmuxMcpOptions, { mask }: Options): void {
  if (mask.length === 0 || "masks" in composition) return;
  throw new AppError("invalid-argument", "Invalid options: mask is set without masks", {
    hint: "Pass masks: await loadMasks(options.mask, variable)",
  });
}
