// `~/` in settings that are paths. A shell expands it only at the start of a word, and never in a file.
import type { OptionRow } from "./option_row.ts";
import { ROWS } from "./table.ts";
import type { ResolvedConfig } from "./types.ts";

/** Options for this machine also where tmux is on another (`--ssh`), whose paths stay as they are. */
const ALWAYS_HERE: readonly string[] = ["audit-path", "durable-path"];

/** True if an option's values are paths on this machine, or names without a slash. */
export function isPathHere({ name, kind }: OptionRow<unknown>, { isRemote }: { isRemote: boolean }): boolean {
  return /^(FILE|DIR|PATH)\b/.test(kind.placeholder) && (!isRemote || ALWAYS_HERE.includes(name));
}

/** True for `~` and what begins with `~/`. */
export function isFromHome(path: string): boolean {
  return /^~(\/|$)/.test(path);
}

/** Returns the configuration with the home folder in its paths. */
export function withHome<T extends Pick<ResolvedConfig, "options">>(config: T, home: string | undefined): T {
  if (!home) return config;
  const isRemote = config.options.ssh !== undefined;
  const expanded = ROWS.filter(([, row]) => isPathHere(row, { isRemote })).map(([name]) => {
    const value = config.options[name];
    return [
      name,
      Array.isArray(value) ? value.map((path) => expandHome(path, home)) : expandHome(value, home),
    ];
  });
  return { ...config, options: { ...config.options, ...Object.fromEntries(expanded) } };
}

/** Returns a path with the home folder in place of `~`; other values as they are. */
export function expandHome<T>(value: T, home: string | undefined): T | string {
  return home && typeof value === "string" && isFromHome(value) ? home + value.slice(1) : value;
}
