// `~/` in settings that are paths. A shell expands it only at the start of a word, and never in a file.
import { expandHome } from "../home_folder.ts";
import type { OptionRow } from "./option_row.ts";
import { ROWS } from "./table.ts";
import type { ResolvedConfig } from "./types.ts";

/** Options for this machine also where tmux is on another (`--ssh`), whose paths stay as they are. */
const ALWAYS_HERE: readonly string[] = ["audit-path", "durable-path"];

/** True if an option's values are paths on this machine, or names without a slash. */
export function isPathHere({ name, kind }: OptionRow<unknown>, { isRemote }: { isRemote: boolean }): boolean {
  return /^(FILE|DIR|PATH)\b/.test(kind.placeholder) && (!isRemote || ALWAYS_HERE.includes(name));
}

/** Returns the configuration with the home folder in its paths. */
export function withHome<T extends Pick<ResolvedConfig, "options">>(config: T, home: string | undefined): T {
  if (!home) return config;
  const isRemote = config.options.ssh !== undefined;
  const expanded = ROWS.filter(([, row]) => isPathHere(row, { isRemote })).map(([name]) => {
    const value = config.options[name];
    if (Array.isArray(value)) return [name, value.map((path) => expandHome(path, home))];
    return [name, typeof value === "string" ? expandHome(value, home) : value];
  });
  return { ...config, options: { ...config.options, ...Object.fromEntries(expanded) } };
}
