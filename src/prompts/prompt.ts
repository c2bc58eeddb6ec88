// The declaration of a prompt.

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

/** The tools that this client sees; a prompt names no others. */
export interface VisibleTools {
  has(tool: string): boolean;
}

export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** Groups of tools. The prompt is shown only if the client has at least one tool of each group. */
  needs: readonly (readonly string[])[];
  /** Returns the prompt's text; values of optional arguments can be missing. */
  text(args: Readonly<Record<string, string>>, tools: VisibleTools): string;
}

/** Text of a call in a prompt: `execute-command {"paneId":"%5"}`. */
export function call(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${tool} ${JSON.stringify(args)}`;
}

/** Numbered list of steps; omitted steps take no number. */
export function steps(...each: (string | false | undefined)[]): string {
  return each.filter((step) => step).map((step, index) => `${index + 1}. ${step}`).join("\n");
}
