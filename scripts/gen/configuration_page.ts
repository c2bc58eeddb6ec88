// The configuration reference, from the option table.
import { environmentNameOf, flagOf } from "../../src/config/option_row.ts";
import { ROWS } from "../../src/config/table.ts";
import { table } from "./schema_text.ts";

/** Longest default (characters) that the table shows. */
const MAX_DEFAULT = 80;

const INTRO = `# Configuration

Set an option with a flag, an environment variable or in a TOML file. A flag overrides the variable, and the
variable overrides the file. \`--config\` or \`TMUX_MCP_CONFIG\` names the file; the default is
\`$XDG_CONFIG_HOME/tmux-mcp/config.toml\` (\`~/.config/tmux-mcp/config.toml\`), if it exists. After an unknown flag,
variable, key or value, the server doesn't start, and the error lists the valid ones. In a flag or variable,
a list is a JSON array or items separated by commas; patterns may contain commas, so several need an array. Some
clients pass on only a few variables: prefer flags or the file. \`~/\` in a path is your home folder. \`tmux-mcp config\` prints
every option with its value and where it was set; \`tmux-mcp config --schema\` prints the JSON Schema of the file. This page is written by
\`deno task gen\`.`;

export function configurationPage(): string {
  const sections = Map.groupBy(ROWS, ([, row]) => row.key.split(".").slice(0, -1).join(".") || row.key);
  return [INTRO, ...[...sections].map(([name, rows]) => section(name, rows))].join("\n\n") + "\n";
}

function section(name: string, rows: typeof ROWS): string {
  const cells = rows.map(([, row]) => [
    `\`${row.key.split(".").at(-1)}\``,
    `\`${flagOf(row)}\` \`${environmentNameOf(row)}\``,
    row.kind.expects,
    describeDefault(row.default),
    row.help,
  ]);
  return `## \`[${name}]\`\n\n${table(["Key", "Flag, variable", "Must be", "Default", "Meaning"], cells)}`;
}

/** A pattern of 2,500 characters would make the table unreadable. */
function describeDefault(value: unknown): string {
  if (value === undefined) return "";
  const text = JSON.stringify(value);
  return text.length > MAX_DEFAULT ? "see `tmux-mcp config`" : `\`${text}\``;
}
