// One option: its flag, environment name, file key, validity, default and help.
import type { Kind } from "./kinds.ts";
import type { OptionName, Options } from "./types.ts";

export interface OptionRow<T> {
  /** Its place in the file: `server.scope`. */
  readonly key: string;
  /** `--NAME`, and `TMUX_MCP_NAME`. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly default: T;
  readonly help: string;
}

/** An option as the table has it: without a name, that is the one in code, as `tmux-bin` is `tmuxBin`. */
export type DeclaredRow<T> = Omit<OptionRow<T>, "name"> & Partial<Pick<OptionRow<T>, "name">>;

export type DeclaredRows = { readonly [K in OptionName]: DeclaredRow<Options[K]> };

/** The flag of an option: `--safety`. */
export function flagOf(row: { readonly name: string }): string {
  return `--${row.name}`;
}

/** The variable of an option: `TMUX_MCP_SAFETY`. */
export function environmentNameOf(row: { readonly name: string }): string {
  return `TMUX_MCP_${row.name.toUpperCase().replaceAll("-", "_")}`;
}
