// Limits hints and descriptions to the tools that the client has.

const SENTENCE = /(?<=[.]) (?=\S)/;
/** Splits text into sentences, and sentences at commas and semicolons. */
const CLAUSE = /(?<=[,;.]) /;
export const TOOL_NAME = /(?<![\w-])[a-z]+(?:-[a-z]+)+(?![\w-])/g;
/** Tools that another visible tool can replace. */
const EQUIVALENT: Readonly<Record<string, string>> = { "list-windows": "list-panes" };

/** Returns the setting that removed this tool; undefined for a tool the client has, and a name that is no tool. */
export type FindRemovedTool = (name: string) => string | undefined;

/** Returns the hint without the clauses that name tools the client lacks. */
export function visibleAdvice(hint: string, removedBy: FindRemovedTool): string {
  const known = withEquivalents(hint, removedBy);
  const kept = visibleClauses(known, removedBy);
  if (kept !== "") return kept.search(TOOL_NAME) === 0 ? `Call ${kept}` : capitalized(kept);
  return `Ask the person to do this by hand: ${findRemoval(known, removedBy)} removes the tool for it`;
}

/** Returns the description without sentences and clauses that name tools the client lacks. */
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

/** Returns the setting that removed the first tool named in the text that the client lacks. */
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
