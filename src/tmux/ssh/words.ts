// Arguments of `ssh` in a configuration: options, then a destination, split as a shell would.
import { AppError } from "../../errors.ts";

/** Options and destination with which a machine is reached. */
export interface SshWords {
  readonly options: readonly string[];
  readonly destination: string;
}

/** Options of ssh(1): with a value, without one, and those that would change the kind of session used here. */
const VALUED = "BbcDEeFIiJLlmOoPpQRSWw";
const PLAIN = "46AaCfGgKkMNnqsTtVvXxYy";
const OURS = "DfGLMNnOQRSsTtVWwXY";
/** Settings (`-o`) that this program chooses itself. */
const OUR_SETTINGS =
  /^\s*(batchmode|controlmaster|controlpath|controlpersist|requesttty|remotecommand|forkafterauthentication|sessiontype|stdinnull|localforward|remoteforward|dynamicforward|localcommand|permitlocalcommand)\b/i;

/**
 * Parses ssh arguments.
 * @param text Such as `-p 2222 -i "my key" user@host`; quotes and backslashes work as in a shell, nothing is expanded.
 * @throws {AppError} `invalid-argument`
 */
export function parseSshWords(text: string): SshWords {
  const words = splitWords(text);
  const options: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--") return { options, destination: destinationOf(words.slice(at + 1), text) };
    if (!word.startsWith("-") || word === "-") {
      return { options, destination: destinationOf(words.slice(at), text) };
    }
    const valued = checkOption(word, words[at + 1], text);
    options.push(word);
    if (valued) options.push(words[++at]!);
  }
  throw refused(text, "it does not name a machine");
}

/** True if the option's value is the next word. */
function checkOption(word: string, next: string | undefined, text: string): boolean {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at]!;
    if (OURS.includes(letter)) throw refused(text, `-${letter} is not allowed here`);
    if (VALUED.includes(letter)) {
      const apart = at === word.length - 1;
      const value = apart ? next : word.slice(at + 1);
      if (value === undefined) throw refused(text, `-${letter} has no value`);
      if (letter === "o" && OUR_SETTINGS.test(value)) throw refused(text, `-o ${value} is not allowed here`);
      return apart;
    }
    if (!PLAIN.includes(letter)) throw refused(text, `ssh has no option -${letter}`);
  }
  return false;
}

/**
 * Returns the destination. A host or user that begins with `-` is refused: ssh, or what it starts, would take it for
 * an option.
 */
function destinationOf(words: readonly string[], text: string): string {
  const [destination, ...rest] = words;
  if (destination === undefined || destination === "") throw refused(text, "it does not name a machine");
  if (rest.length > 0) throw refused(text, `"${rest[0]}" follows the machine, where nothing is allowed`);
  const host = destination.replace(/^ssh:\/\//, "").split("@").at(-1)!;
  const isPlain = host !== "" && !/[\s\p{Cc}]/u.test(destination);
  if (!isPlain || destination.startsWith("-") || host.startsWith("-")) {
    throw refused(text, `"${destination}" is not the name of a machine`);
  }
  return destination;
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === quote) quote = "";
    else if (char === "\\" && quote !== "'") word = (word ?? "") + (text[++at] ?? "");
    else if (quote !== "") word += char;
    else if (char === "'" || char === '"') [quote, word] = [char, word ?? ""];
    else if (!/\s/.test(char)) word = (word ?? "") + char;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (quote !== "") throw refused(text, `a ${quote} is not closed`);
  return word === undefined ? words : [...words, word];
}

function refused(text: string, why: string): AppError {
  return new AppError("invalid-argument", `Cannot use ssh "${text}": ${why}`, {
    hint:
      'Give the arguments of ssh as on a command line, such as "-p 2222 me@example.net", or an alias of ~/.ssh/config',
  });
}
