// Keeps what failures advise to the tools that this client has.

/** Sentences, and what stands between commas and semicolons in them. */
const CLAUSE = /(?<=[,;.]) /;
const TOOL_NAME = /(?<![\w-])[a-z]+(?:-[a-z]+)+(?![\w-])/g;
const NOBODY = "No tool that this client has helps here: ask the person who runs this server";

/** The hint without the clauses that name tools which `isHidden`. */
export function visibleAdvice(hint: string, isHidden: (name: string) => boolean): string {
  const names = (text: string): boolean => (text.match(TOOL_NAME) ?? []).some(isHidden);
  if (!names(hint)) return hint;
  const kept = hint.split(CLAUSE).filter((clause) => !names(clause)).join(" ")
    .replace(/^(?:or|then|and) /, "").replace(/[,;.]$/, "");
  if (kept === "") return NOBODY;
  return kept.search(TOOL_NAME) === 0 ? `Call ${kept}` : kept[0]!.toUpperCase() + kept.slice(1);
}
