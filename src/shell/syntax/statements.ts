// Splits shell text into simple commands, as each shell that might read it would.
import { unreadable } from "./scanner.ts";
import type { ShellKind } from "../shell_kind.ts";
import type { Statement } from "./command_reading.ts";
import { TextReading } from "./text_reading.ts";

const LONGEST = 128 * 1024;
const UNREADABLE =
  // deno-lint-ignore no-control-regex -- what a line editor acts on, and blanks that only some shells split words at
  /[\x00-\x08\x0b-\x1f\x7f\x80-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|\p{Surrogate}/u;

/**
 * Returns every simple command in the text, at any depth: in lists, pipes, substitutions, functions, here-documents.
 * @throws {AppError} `denied` for text that the possible shells would read differently
 */
export function parseStatements(text: string, shell: ShellKind = "unknown"): readonly Statement[] {
  const odd = UNREADABLE.exec(text)?.[0];
  if (odd !== undefined) throw unreadable(`it contains the character U+${odd.codePointAt(0)!.toString(16)}`);
  if (text.length > LONGEST) throw unreadable(`it is longer than ${LONGEST} characters`);
  const statements = new TextReading(text, { shell, comments: true }).read();
  // At its prompt, zsh reads comments only if an option is set.
  const differs = (shell === "zsh" || shell === "unknown") && /(?:^|\s)#/.test(text);
  return differs ? [...statements, ...new TextReading(text, { shell, comments: false }).read()] : statements;
}
