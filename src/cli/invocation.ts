// Invocation of a subcommand: facts about its process, and its output.
import type { ResolvedConfig } from "../config.ts";

export interface Invocation {
  config: ResolvedConfig;
  /** Absolute path of the working folder. */
  cwd: string;
  /** Environment of tmux clients. */
  environment: Readonly<Record<string, string>>;
  /** Environment for ssh, beside that; undefined if this process may not read all of it. */
  sshEnvironment: Readonly<Record<string, string>> | undefined;
  /** Returns an environment variable, if this process may read it. */
  variable(name: string): string | undefined;
  /** Writes text to stdout, with a final newline. */
  print(text: string): void;
  /** Writes a line for people to stderr. */
  complain(message: string): void;
}
