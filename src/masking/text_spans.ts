// Parts of a text that are secret, found in the text as it is and replaced together.

export const MASKED = "[masked]";

/** Part of a text, from an index to the one after its last character. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** All matches of a global pattern, including those that overlap. */
export function findAll(text: string, pattern: RegExp | undefined): TextSpan[] {
  const spans: TextSpan[] = [];
  if (pattern === undefined) return spans;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    spans.push({ start: match.index, end: pattern.lastIndex });
    pattern.lastIndex = match.index + 1;
  }
  return spans;
}

/** The spans in order, with those that overlap as one. */
export function unite(spans: readonly TextSpan[]): TextSpan[] {
  const united: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = united.at(-1);
    if (last === undefined || span.start >= last.end) united.push(span);
    else united[united.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return united;
}

/** Masks the spans of a text. Line ends stay, because rows stay rows. */
export function replaceSpans(text: string, spans: readonly TextSpan[]): string {
  let masked = "";
  let from = 0;
  for (const { start, end } of unite(spans)) {
    masked += text.slice(from, start) + MASKED + text.slice(start, end).replace(/[^\n]/g, "");
    from = end;
  }
  return masked + text.slice(from);
}
