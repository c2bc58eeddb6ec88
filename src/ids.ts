// Ids as tmux spells them: `$1` is a session, `@3` a window, `%5` a pane. tmux never prints `%05`.

type IdKind = "session" | "window" | "pane";

export const ID_PATTERNS: Readonly<Record<IdKind, RegExp>> = {
  session: /^\$(?:0|[1-9]\d*)$/,
  window: /^@(?:0|[1-9]\d*)$/,
  pane: /^%(?:0|[1-9]\d*)$/,
};

/** Kind of object that an id names; undefined for any other text. */
export function idKind(text: string): IdKind | undefined {
  return (Object.keys(ID_PATTERNS) as IdKind[]).find((kind) => ID_PATTERNS[kind].test(text));
}
