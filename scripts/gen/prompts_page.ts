// The prompt reference, from what prompts/list and prompts/get send.
import type { Prompt } from "../../src/prompts/prompt.ts";
import { Prompts } from "../../src/server/prompts.ts";
import { table } from "./schema_text.ts";

const INTRO = `# Prompts

A prompt is a short list of steps for the model. Its text names only tools that the client sees, and it is listed
only if the client has the tools it needs. Below are the texts with every tool in scope and only the required
arguments, shown as \`<name>\`, or \`%5\` for a pane. For clients without prompts, \`--prompts-as-tools\` offers
them through the tools \`list-prompts\` and \`get-prompt\`. This page is written by \`deno task gen\`.`;

export function promptsPage(declared: readonly Prompt[]): string {
  const prompts = new Prompts(declared, { has: () => true }, (text) => text);
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
