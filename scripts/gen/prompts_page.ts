// The prompt reference, from what prompts/list and prompts/get send.
import type { Prompt } from "../../src/prompts/prompt.ts";
import { Prompts } from "../../src/server/prompts.ts";
import { table } from "./schema_text.ts";

const INTRO = `# Prompts

Each is a short list of steps for the model. The text names only tools that the client sees; below is what it says
when every tool is in scope and only the required arguments are given, shown as \`<name>\`
and a pane as \`%5\`. A prompt without the tools it needs is not listed. For clients without prompts, \`--prompts-as-tools\` offers them as the tools
\`list-prompts\` and \`get-prompt\`. This page is written by \`deno task gen\`.`;

export function promptsPage(declared: readonly Prompt[]): string {
  const prompts = new Prompts(declared, { has: () => true });
  const sections = prompts.list().map(({ name, description, arguments: args }) => {
    const rows = args.map((each) => [
      `\`${each.name}\``,
      each.required ? "required" : "optional",
      each.description,
    ]);
    const required = args.filter((each) => each.required)
      .map((each) => [each.name, each.name === "paneId" ? "%5" : `<${each.name}>`]);
    const text = prompts.get(name, Object.fromEntries(required)).messages.map(({ content }) => content.text);
    return [
      `## \`${name}\``,
      description,
      table(["Argument", "", "Meaning"], rows),
      `\`\`\`text\n${text.join("\n")}\n\`\`\``,
    ].join("\n\n");
  });
  return [INTRO, ...sections].join("\n\n") + "\n";
}
