// Lines of a pane that show a loader: the text that a server types so that a shell reads a command with echo off.
import { DIALECTS } from "./dialects.ts";

const VARIABLE = "__mcp";
/** Characters from the variable on, or from the beginning of a loader on, that tell it from other text. */
const TOLD_BY = 8;
/** Characters that tell a part of a loader from other text. */
const PART_TOLD_BY = 12;

/** Every loader, as it is typed. */
export const LOADERS: readonly string[] = DIALECTS.flatMap(({ loader, byLine }) => [
  loader,
  ...byLine ? [byLine.loader] : [],
]);

const TEXTS = LOADERS.map(withoutBlanks);

/** One of these is in each part of a loader that tells it from other text, and in few ordinary lines. */
const TELLING = /[\\"$';&+]|\|\||__m|print|read|rsn9|fish_|:\/|-echo|icanon/;

/** True if a text may hold a part of a loader; much cheaper than `showsLoader` for its lines. */
export function mayShowLoader(text: string): boolean {
  return TELLING.test(text);
}

/** True if a text holds the variable of a loader; much cheaper than reading its lines. */
export function namesLoader(text: string): boolean {
  return text.includes(VARIABLE);
}

/**
 * Title of a pane in which a hook of the shell (zsh's preexec) has put the loader, up to there; undefined if it has not.
 * fish gets its title from a function that can be called again.
 */
export function titleBeforeLoader(title: string): string | undefined {
  const at = title.indexOf(`${VARIABLE}=`);
  return at < 0 ? undefined : title.slice(0, at).replace(/[\\\s]+$/, "");
}

/** True if a line shows enough of a loader: its variable, its beginning after a prompt, or a long part alone. */
export function showsLoader(line: string): boolean {
  const text = withoutBlanks(line);
  return text.length >= TOLD_BY &&
    TEXTS.some((loader) =>
      (text.length >= PART_TOLD_BY && loader.includes(text)) || endsInBeginningOf(loader, text) ||
      holdsVariableOf(loader, text)
    );
}

function endsInBeginningOf(loader: string, text: string): boolean {
  const at = text.indexOf(loader.slice(0, TOLD_BY));
  return at >= 0 && loader.startsWith(text.slice(at));
}

/** True if a text has the variable as the loader does; the text may be cut after it. */
function holdsVariableOf(loader: string, text: string): boolean {
  for (let at = text.indexOf(VARIABLE); at >= 0; at = text.indexOf(VARIABLE, at + 1)) {
    if (loader.includes(text.slice(at, at + TOLD_BY))) return true;
  }
  return false;
}

/** True if a line can be a part of a loader, which some line editors draw in several lines; a blank line can. */
export function isPartOfLoader(line: string): boolean {
  const text = withoutBlanks(line);
  return TEXTS.some((loader) => loader.includes(text));
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
