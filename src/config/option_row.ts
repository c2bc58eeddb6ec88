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

export type OptionRows = { readonly [K in OptionName]: OptionRow<Options[K]> };

/** The flag of an option: `--safety`. */
export function flagOf(row: { readonly name: string }): string {
  return `--${row.name}`;
}

/** The variable of an option: `TMUX_MCP_SAFETY`. */
export function environmentNameOf(row: { readonly name: string }): string {
  return `TMUX_MCP_${row.name.toUpperCase().replaceAll("-", "_")}`;
}
