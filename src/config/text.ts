// Text forms of the option table: the current configuration, and the JSON Schema of the file.
import { environmentNameOf } from "./option_row.ts";
import { ROWS } from "./table.ts";
import type { ResolvedConfig, Source } from "./types.ts";

/** The current options, one per line, with their origin: `server.scope = "all" # --scope`. */
export function describeConfig(config: ResolvedConfig): string {
  const lines = ROWS.map(([name, row]) => {
    const value = name === "mask" ? config.options.mask.map(withoutSecret) : config.options[name];
    const shown = value === undefined ? `# ${row.key} is not set` : `${row.key} = ${show(value)}`;
    return `${shown}${origin(config.sources[name], config.file)}`;
  });
  return [`# file: ${inComment(config.file ?? "none")}`, ...lines].join("\n") + "\n";
}

function origin(source: Source, file: string | undefined): string {
  if (source.kind === "default") return "  # default";
  return `  # ${source.kind === "file" ? inComment(file!) : source.name}`;
}

/** The mask as it may be shown: a literal mask is itself a secret. */
function withoutSecret(mask: string): string {
  return mask.replace(/^literal:.*/s, "literal:***");
}

/** TOML, inline. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (typeof value !== "object" || value === null) return literal(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => ` ${literal(key)} = ${show(field)}`).join(",")} }`;
}

/** JSON is TOML but for one character. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

function inComment(path: string): string {
  return /\p{Cc}/u.test(path) ? literal(path) : path;
}

interface Schema {
  type: "object";
  properties: Record<string, Schema | Record<string, unknown>>;
  additionalProperties: false;
  [key: string]: unknown;
}

export function configSchema(): Record<string, unknown> {
  const root = emptySchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "tmux-mcp configuration",
  });
  for (const [, row] of ROWS) {
    const words = row.key.split(".");
    const table = words.slice(0, -1).reduce(childSchema, root);
    const standard = row.default === undefined ? {} : { default: row.default };
    table.properties[words.at(-1)!] = {
      ...row.kind.schema,
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
