// Words that a shell can complete: commands and flags from the tables.
import { COMMAND_NAMES, type CommandName, commandRow } from "../../config/commands.ts";
import { ROWS } from "../../config/table.ts";

/** The value of a flag or command: one of some values, a path, something unknown, or nothing. */
export type FlagValue =
  | { readonly kind: "values"; readonly values: readonly string[] }
  | { readonly kind: "file" | "folder" | "pane" | "any" | "none" };

export interface CompletionFlag {
  /** Name with its dashes. */
  readonly flag: string;
  readonly help: string;
  readonly value: FlagValue;
}

export interface CommandWords {
  readonly name: CommandName;
  readonly help: string;
  readonly argument: FlagValue;
  readonly flags: readonly CompletionFlag[];
}

/** Flags of every command, and of the server. */
export function commonFlags(): CompletionFlag[] {
  const options = ROWS.flatMap(([, { name, help, kind }]) =>
    kind.placeholder === ""
      ? [toggle(`--${name}`, help), toggle(`--no-${name}`, help)]
      : [{ flag: `--${name}`, help, value: valueOf(kind) }]
  );
  return [
    ...options,
    { flag: "--config", help: "The configuration file to read", value: { kind: "file" } },
    toggle("--help", "Show the manual page"),
    toggle("--version", "Show the version"),
  ];
}

export function commandWords(): CommandWords[] {
  return COMMAND_NAMES.map((name) => {
    const { summary, argument, flags } = commandRow(name);
    return {
      name,
      help: summary,
      argument: argument === undefined ? { kind: "none" } : valueOf(argument),
      flags: Object.entries(flags).map(([flag, row]) =>
        row.placeholder === ""
          ? toggle(`--${flag}`, row.help)
          : { flag: `--${flag}`, help: row.help, value: valueOf(row) }
      ),
    };
  });
}

function toggle(flag: string, help: string): CompletionFlag {
  return { flag, help, value: { kind: "none" } };
}

function valueOf({ values, placeholder }: { values?: readonly string[]; placeholder: string }): FlagValue {
  if (values !== undefined) return { kind: "values", values };
  const kind = { FILE: "file", DIR: "folder", PANE: "pane", "PATH|NAME": "file" } as const;
  return { kind: kind[placeholder.replace(/,…$/, "") as keyof typeof kind] ?? "any" };
}
