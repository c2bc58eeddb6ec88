// Keeps what a client reads to the tools that it has: hints of failures, descriptions of tools and parameters.

const SENTENCE = /(?<=[.]) (?=\S)/;
/** Sentences, and what stands between commas and semicolons in them. */
const CLAUSE = /(?<=[,;.]) /;
const TOOL_NAME = /(?<![\w-])[a-z]+(?:-[a-z]+)+(?![\w-])/g;
/** Tools that another visible tool can replace. */
const EQUIVALENT: Readonly<Record<string, string>> = { "list-windows": "list-panes" };

/** The setting that took this tool from the client; undefined for a tool it has, and for a name that is not a tool. */
export type FindRemovedTool = (name: string) => string | undefined;

/** The hint without the clauses that name tools the client lacks. */
export function visibleAdvice(hint: string, removedBy: FindRemovedTool): string {
  const known = withEquivalents(hint, removedBy);
  const kept = visibleClauses(known, removedBy);
  if (kept !== "") return kept.search(TOOL_NAME) === 0 ? `Call ${kept}` : capitalized(kept);
  return `Ask the person to do this by hand: ${findRemoval(known, removedBy)} leaves no tool for it`;
}

/** A description without the sentences, or their clauses, that name tools the client lacks. */
export function visibleDescription(text: string, removedBy: FindRemovedTool): string {
  if (findRemoval(text, removedBy) === undefined) return text;
  return text.split(SENTENCE).flatMap((sentence) => {
    if (findRemoval(sentence, removedBy) === undefined) return [sentence];
    const kept = visibleClauses(sentence, removedBy);
    if (kept === "") return [];
    const stop = sentence.endsWith(".") ? "." : "";
    return [(kept.search(TOOL_NAME) === 0 ? `Use ${kept}` : capitalized(kept)) + stop];
  }).join(" ");
}

function visibleClauses(text: string, removedBy: FindRemovedTool): string {
  if (findRemoval(text, removedBy) === undefined) return text;
  return text.split(CLAUSE).filter((clause) => findRemoval(clause, removedBy) === undefined).join(" ")
    .replace(/^(?:or|then|and) /, "").replace(/[,;.]$/, "");
}

function withEquivalents(text: string, removedBy: FindRemovedTool): string {
  return text.replaceAll(TOOL_NAME, (name) => {
    const other = removedBy(name) === undefined ? undefined : EQUIVALENT[name];
    return other === undefined || removedBy(other) !== undefined ? name : other;
  });
}

/** The setting that took the first tool in the text that the client lacks. */
function findRemoval(text: string, removedBy: FindRemovedTool): string | undefined {
  for (const [name] of text.matchAll(TOOL_NAME)) {
    const setting = removedBy(name);
    if (setting !== undefined) return setting;
  }
  return undefined;
}

function capitalized(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
