// What is taken out of results where reading panes is not allowed.

const CONTENTS = new Set(["output", "lines", "matchedLines"]);

/** The result without what came out of a pane (`allow_capture = false`). */
export function withoutContents(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withoutContents);
  if (typeof result !== "object" || result === null) return result;
  const kept = Object.entries(result).filter(([key]) => !CONTENTS.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutContents(value)]));
}
