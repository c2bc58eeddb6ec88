// Invocation of a subcommand: facts about its process, and its output.
import type { ResolvedConfig } from "../config.ts";

export interface Invocation {
  config: ResolvedConfig;
  /** The working folder; absolute. */
  cwd: string;
  /** The environment tmux clients are run with. */
  environment: Readonly<Record<string, string>>;
  /** A variable of the environment, where this process may read it. */
  variable(name: string): string | undefined;
  /** Writes text to stdout, and a final newline where it has none. */
  print(text: string): void;
  /** Writes a line for a person to stderr. */
  complain(message: string): void;
}
