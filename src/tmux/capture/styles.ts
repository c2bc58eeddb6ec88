// Styles in captured lines, which tmux writes only where they change.

/** A sequence that tmux writes into a capture with colors: a style, a link, or an end of line drawing. */
// deno-lint-ignore no-control-regex
const SEQUENCE = /\x1b\[(?<style>[\d;:]*)m|\x1b\]8;[^;\x1b]*;(?<target>[^\x1b]*)\x1b\\|[\x0e\x0f]/g;
const SHIFT_OUT = "\x0e";

/** Returns the last `count` lines. The first begins with the styles that the lines above it have left on. */
export function lastStyledLines(lines: readonly string[], count: number): string[] {
  const first = Math.max(lines.length - count, 0);
  const [line, ...rest] = lines.slice(first);
  return line === undefined ? [] : [stylesAfter(lines.slice(0, first).join("\n")) + line, ...rest];
}

/** Sequences that begin the styles, link and line drawing at the end of a text. */
function stylesAfter(text: string): string {
  const styles = new Map<string, string>();
  let [link, drawing] = ["", ""];
  for (const { 0: sequence, groups: { style, target } = {} } of text.matchAll(SEQUENCE)) {
    if (target !== undefined) link = target === "" ? "" : sequence;
    else if (style === undefined) drawing = sequence === SHIFT_OUT ? sequence : "";
    else {
      if (/^0?(?:;|$)/.test(style)) styles.clear();
      styles.delete(kindOf(style));
      if (!/^(?:0?|[345]9)$/.test(style)) styles.set(kindOf(style), sequence);
    }
  }
  return [...styles.values(), link, drawing].join("");
}

/** Names what a style replaces: tmux writes each color in a sequence of its own. */
function kindOf(style: string): string {
  if (/^[39]\d/.test(style)) return "foreground";
  if (/^(?:4|10)\d/.test(style)) return "background";
  return /^5[89]/.test(style) ? "underline" : style;
}
