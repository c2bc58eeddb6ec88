// Detects fish text that leaves a block or parenthesis open; no library we know has fish's grammar.

const TOKEN = /#.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\\[^]|[;\n|&()]|[^\s;|&()'"\\]+|\s/g;
const OPENS: ReadonlySet<string> = new Set(["begin", "if", "while", "for", "function", "switch"]);
/** Tokens after which a command begins. */
const SEPARATORS: ReadonlySet<string> = new Set([";", "\n", "|", "&", "("]);
/** Words after which a command begins, if they are in command position themselves. */
const LEADS: ReadonlySet<string> = new Set(["if", "while", "begin", "else", "and", "or", "not", "!", "time"]);

/** True if a block or command substitution isn't closed (fish(1), "The fish language"). */
export function leavesBlockOpen(text: string): boolean {
  let depth = 0;
  let parentheses = 0;
  let first = true;
  let previous = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^(\s|#)/.test(token) && token !== "\n") continue;
    // `else if` continues the block that `if` began.
    if (first && OPENS.has(token) && previous !== "else") depth++;
    if (first && token === "end") depth--;
    if (token === "(") parentheses++;
    if (token === ")") parentheses--;
    first = SEPARATORS.has(token) || (first && LEADS.has(token));
    previous = token;
  }
  return depth > 0 || parentheses > 0;
}
