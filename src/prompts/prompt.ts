// The one declaration that a prompt is made of. No behaviour.

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

/** Which tools this client sees: a prompt names no others. */
export interface VisibleTools {
  has(tool: string): boolean;
}

export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** Without one of each group the prompt makes no sense, and is not shown. */
  needs: readonly (readonly string[])[];
  /** The prompt's text; values of optional arguments can be missing. */
  text(args: Readonly<Record<string, string>>, tools: VisibleTools): string;
}

/** A call as a prompt shows it: `execute-command {"paneId":"%5"}`. */
export function call(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${tool} ${JSON.stringify(args)}`;
}

/** Numbered steps; those left out take no number. */
export function steps(...each: (string | false | undefined)[]): string {
  return each.filter((step) => step).map((step, index) => `${index + 1}. ${step}`).join("\n");
}
