// The tool reference, from what tools/list sends.
import type { Tool } from "../../src/tool.ts";
import { type RegisteredTool, Registry } from "../../src/server/registry.ts";
import { type ObjectSchema, parameterSchema } from "../../src/server/wire.ts";
import { fieldNames, table, typeText } from "./schema_text.ts";

/** The tools as seen by a client whose scope and tier hide nothing, without hosts. */
export function registered(tools: readonly Tool[]): RegisteredTool[] {
  return new Registry(tools, { hosts: [], removedBy: () => undefined }).visible();
}

/** Parameter of every tool, described once per page. */
const COMMON = "socket";

const INTRO =
  `Every tool also takes \`${COMMON}\`: the tmux server to use, a path (\`-S\`) or a name (\`-L\`). ` +
  "This page is written by `deno task gen` from what the server sends.";

/** The page of one family. */
export function familyPage(family: string, entries: readonly RegisteredTool[]): string {
  return [`# ${capitalised(family)}`, INTRO, ...entries.map(section)].join("\n\n") + "\n";
}

function section({ tool, input, wire }: RegisteredTool): string {
  const scope = tool.scope ? "agentic (the default)" : "primitives";
  const groups = tool.groups.map((group) => `\`@${group}\``).join(" ");
  return [
    `## \`${wire.name}\``,
    wire.description,
    `Effect: ${tool.effect}. Scope: ${scope}.${groups === "" ? "" : ` Groups: ${groups}.`}`,
    parameters(parameterSchema(input)),
    wire.outputSchema === undefined ? "Answers text." : answers(wire.outputSchema),
  ].filter((part) => part !== "").join("\n\n");
}

function parameters(schema: ObjectSchema): string {
  const required = new Set(schema.required);
  const own = Object.entries(schema.properties).filter(([name]) => name !== COMMON);
  const rows = own.map(([name, property]) => [
    `\`${name}\``,
    typeText(property),
    required.has(name) ? "required" : property.default === undefined ? "" : JSON.stringify(property.default),
    String(property.description ?? ""),
  ]);
  return table(["Parameter", "Type", "Default", "Meaning"], rows);
}

function answers(schema: ObjectSchema): string {
  const names = fieldNames(schema);
  const rows = Object.values(schema.properties).map((property, index) => [
    `\`${names[index]}\``,
    typeText(property),
    String(property.description ?? ""),
  ]);
  return table(["Answer", "Type", "Meaning"], rows);
}

/** The reference's first page: every tool in one table. */
export function indexPage(families: ReadonlyMap<string, readonly RegisteredTool[]>): string {
  const rows = [...families].flatMap(([family, entries]) =>
    entries.map(({ tool, wire }) => [
      `[\`${wire.name}\`](${family}.md#${wire.name})`,
      firstSentence(wire.description),
      tool.effect,
      tool.scope ? "agentic" : "primitives",
    ])
  );
  return `# Tools\n\n${INTRO}\n\n${table(["Tool", "What it does", "Effect", "Scope"], rows)}\n`;
}

/** The README's table: the tools that a client sees by default. */
export function agenticTable(families: ReadonlyMap<string, readonly RegisteredTool[]>): string {
  const rows = [...families].flatMap(([family, entries]) =>
    entries.filter(({ tool }) => tool.scope).map(({ wire }) => [
      `[\`${wire.name}\`](docs/tools/${family}.md#${wire.name})`,
      firstSentence(wire.description),
    ])
  );
  return table(["Tool", "What it does"], rows);
}

function firstSentence(text: string): string {
  return /^.*?[.;](?=\s|$)/s.exec(text)?.[0].replace(/;$/, ".") ?? text;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
}
