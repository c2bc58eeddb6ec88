// Distinguishes a prompt that asks for the rest of a command from one that asks for a new command.
import type { Dialect } from "../../shell/dialect.ts";
import { cellsOf } from "../../watch/followed_screen.ts";
import { checkComplete } from "../../shell/completeness.ts";

export interface PromptRows {
  /** Text before the cursor on its row. */
  prompt: string;
  /** The cursor's column, from 0. */
  column: number;
  /** The rows above, from the top down. */
  above: readonly string[];
  /** Columns of the pane. */
  width: number;
}

/** Names that zsh's secondary prompt uses for open constructs (`%_`; Src/prompt.c). */
const ZSH_OPEN =
  "for|while|repeat|select|until|if|then|else|elif|math|cond|cmdor|cmdand|pipe|errpipe|foreach|case|" +
  "function|subsh|cursh|array|quote|dquote|bquote|cmdsubst|mathsubst|elif-then|heredoc|heredocd|brace|" +
  "braceparam|always";
const ZSH_SECONDARY = new RegExp(`^(?:(?:${ZSH_OPEN}) )*(?:${ZSH_OPEN})> ?$`);
/** Secondary prompt: `> `, the default of all shells, or something similar. */
const SECONDARY = /^[^\s\w$#%]{1,4} ?$/;
/** Signs after which a command may begin; a prompt may have several. */
const SIGN = /[$#%>❯➜»λ] /g;
/** Text of a command that is no sign of a prompt. An apostrophe in a word of the prompt opens no quote. */
const QUOTED = /(?<!\w)(?:'[^']*'|"[^"]*")/g;
const COMMENT = /(?<=\s)#.*$/;

/** Maximum number of rows that are searched for the earlier lines of a command. */
export const MAX_ROWS_ABOVE = 50;

/** True if this may be a secondary prompt; the rows above it then decide. */
export function mayContinue(prompt: string, { name }: Dialect): boolean {
  return name === "fish" ? prompt.trim() === "" : ZSH_SECONDARY.test(prompt) || SECONDARY.test(prompt);
}

/** True if the prompt asks for the rest of a command that stands in the rows above it. */
export async function continuesCommand(rows: PromptRows, dialect: Dialect): Promise<boolean> {
  if (dialect.name === "fish") return await continuesInFish(rows);
  const { prompt, above } = rows;
  // zsh's prompt says what is open.
  if (ZSH_SECONDARY.test(prompt)) return true;
  let lines: string[] = [];
  for (const row of above.toReversed()) {
    if (row.endsWith("^C")) return false;
    const isAfterPrompt = row.startsWith(prompt.trimEnd());
    for (const start of starts(row, isAfterPrompt)) {
      if (await checkComplete([row.slice(start), ...lines].join("\n"), "bash") === "incomplete") return true;
    }
    if (!isAfterPrompt) return false;
    lines = [row.slice(prompt.length), ...lines];
  }
  return false;
}

/** Columns of a row where a command may begin. After another prompt than this one, `# ` may be a sign of that. */
function starts(row: string, isAfterPrompt: boolean): number[] {
  const bare = row.replace(QUOTED, (text) => "_".repeat(text.length));
  const searched = isAfterPrompt ? bare.replace(COMMENT, "") : bare;
  return [...searched.matchAll(SIGN)].map(({ index, 0: sign }) => index + sign.length);
}

/**
 * True if fish asks for the rest of a command. It puts no prompt before a further line, only as many blanks as its prompt
 * is wide. Without blanks it has no prompt, perhaps because Ctrl-C ended the function that draws one; then the text above
 * decides.
 */
async function continuesInFish({ column, above, width }: PromptRows): Promise<boolean> {
  if (isCutPrompt(above.at(-1) ?? "", width)) return false;
  if (column > 0) return above.some((row) => row.trim() !== "");
  let command = "";
  for (const row of joinWrapped(above, width).toReversed()) {
    if (row.endsWith("^C")) return false;
    command = `${row}\n${command}`;
    if (await checkComplete(command, "fish") === "incomplete") return true;
  }
  return false;
}

function joinWrapped(rows: readonly string[], width: number): string[] {
  const joined: string[] = [];
  let isFull = false;
  for (const row of rows) {
    joined.push(isFull ? `${joined.pop()}${row}` : row);
    isFull = cellsOf(row).length >= width;
  }
  return joined;
}

/** True if fish has cut a prompt wider than the pane to its end, shown after `…` and continued on the next row. */
function isCutPrompt(row: string, width: number): boolean {
  return row.startsWith("…") && cellsOf(row).length >= width - 1;
}
