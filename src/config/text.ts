// Writes the option table out: help, the configuration in force, the JSON Schema of the file.
import { z } from "zod";
import { environmentNameOf, flagOf, type Row, ROWS, TABLE } from "./table.ts";
import type { ResolvedConfig, Source } from "./types.ts";

const WIDTH = 100;

const USAGE = `tmux-mcp: an MCP server for tmux

USAGE
  tmux-mcp [OPTIONS]                        serve on stdin and stdout
  tmux-mcp doctor                           say what works on this machine, and how to mend what does not
  tmux-mcp config [--schema]                print what is in force and where it was set; or the file's JSON Schema
  tmux-mcp init CLIENT [--write] [OPTIONS]  print a client's entry for this server with these options, or add it
  tmux-mcp watch PANE [--triggers LIST]     wait for an event in a pane and print it as a line of JSON; with
           [--timeout SECONDS] [--mode MODE]  --mode also progress, as often as that mode tells of it
  tmux-mcp --help | --version

  CLIENT is claude-code, claude-desktop, codex, gemini, cursor, vscode or opencode.
  PANE is an id such as %3. LIST is exit, shell, user_input, error, bell, idle:SECONDS, pattern:REGEX (RE2),
  with commas between (default exit,user_input,error). MODE is quick, medium, slow, line, bunch or screen.`;

const NOTES = `ENVIRONMENT
  Each option can be given as a variable too: TMUX_MCP_ and its name in capitals, --tmux-bin as
  TMUX_MCP_TMUX_BIN. A flag wins over the environment, the environment over the file.

FILES
  $XDG_CONFIG_HOME/tmux-mcp/config.toml, or ~/.config/tmux-mcp/config.toml: read if it exists and no other
  is named. The key of each option stands after its text, [table] first.

EXIT CODES
  0 done   1 failed   2 a flag, key or value is wrong: one line on stderr says which
  watch: 0 an event came   1 none came in time, or it was interrupted   2 it could not watch
  doctor: 0 the server can work here   1 it cannot`;

/** The manual page printed by --help. */
export function helpText(): string {
  const sections = [...Map.groupBy(ROWS, ([, row]) => row.key.split(".")[0]!.toUpperCase())];
  const options = sections.map(([title, rows]) =>
    [title, ...rows.map(([, row]) => optionHelp(row))].join("\n")
  );
  const config = optionHelp({ name: "config", placeholder: "FILE", help: "The configuration file to read" });
  return [USAGE, `OPTIONS\n${config}`, ...options, NOTES].join("\n\n") + "\n";
}

interface HelpRow {
  readonly name: string;
  readonly placeholder: string;
  readonly help: string;
}

function optionHelp(row: Row<unknown> | HelpRow): string {
  if (!("kind" in row)) return `  ${flagOf(row)} ${row.placeholder}\n${wrap(row.help)}`;
  const { placeholder } = row.kind;
  const flag = placeholder === "" ? `--[no-]${row.name}` : `${flagOf(row)} ${placeholder}`;
  const standard = isShort(row.default) ? ` (default ${show(row.default)})` : "";
  return `  ${flag}\n${wrap(`${row.help}${standard} [${row.key}]`)}`;
}

function isShort(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value) && String(value).length < 40;
}

function wrap(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1)!.length + word.length > WIDTH - 8) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines.map((line) => `        ${line}`).join("\n");
}

/** What is in force, one option a line, and where it was set: `server.scope = "all"  # --scope`. */
export function describeConfig(config: ResolvedConfig): string {
  const lines = ROWS.map(([name, row]) => {
    const value = config.options[name];
    const shown = value === undefined ? `# ${row.key} is not set` : `${row.key} = ${show(value)}`;
    return `${shown}${origin(config.sources[name], config.file)}`;
  });
  return [`# file: ${config.file ?? "none"}`, ...lines].join("\n") + "\n";
}

function origin(source: Source, file: string | undefined): string {
  if (source.kind === "default") return "  # default";
  return source.kind === "file" ? `  # ${file}` : `  # ${source.name}`;
}

/** TOML, inline. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => ` ${JSON.stringify(key)} = ${show(field)}`).join(",")} }`;
}

interface Schema {
  type: "object";
  properties: Record<string, Schema | Record<string, unknown>>;
  additionalProperties: false;
  [key: string]: unknown;
}

/** The JSON Schema of the configuration file. */
export function configSchema(): Record<string, unknown> {
  const root = emptySchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "tmux-mcp configuration",
  });
  for (const row of Object.values(TABLE) as Row<unknown>[]) {
    const words = row.key.split(".");
    const table = words.slice(0, -1).reduce(childSchema, root);
    const { $schema: _, ...schema } = z.toJSONSchema(row.kind.schema, { io: "input" });
    const standard = row.default === undefined ? {} : { default: row.default };
    table.properties[words.at(-1)!] = {
      ...schema,
      description: `${row.help} (${environmentNameOf(row)})`,
      ...standard,
    };
  }
  return root;
}

function emptySchema(head: Record<string, unknown>): Schema {
  return { ...head, type: "object", properties: {}, additionalProperties: false };
}

function childSchema(parent: Schema, word: string): Schema {
  return (parent.properties[word] ??= emptySchema({})) as Schema;
}
