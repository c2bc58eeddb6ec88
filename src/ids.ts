// Ids as tmux spells them: `$1` is a session, `@3` a window, `%5` a pane.

const KINDS = { "$": "session", "@": "window", "%": "pane" } as const;

type IdKind = (typeof KINDS)[keyof typeof KINDS];

const ID = /^([$@%])(?:0|[1-9]\d*)$/;

/** Kind of object that an id names; undefined for any other text: tmux prints no `%05`. */
export function idKind(text: string): IdKind | undefined {
  const sign = ID.exec(text)?.[1] as keyof typeof KINDS | undefined;
  return sign && KINDS[sign];
}
