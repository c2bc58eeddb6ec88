// Finds commands that change how a shell reads later commands.
import { unreadable } from "./scanner.ts";
import type { CommandReading } from "./command_reading.ts";
import { mayBe, type Word } from "./word_reading.ts";

/** Options with which zsh runs a variable's value, bash runs a comment, or a shell expands more words as names. */
const CHANGES =
  /^(?:[-+]\w*o)?(?:no)?(?:globsubst|bareglobqual|extendedglob|keyword)$|^[-+]\w*[km]|^interactivecomments$/;
const SETS = /^(?:setopt|unsetopt|shopt|emulate|set)$/;

/** @throws {AppError} `denied` for a command that changes how the shell reads other commands */
export function checkShellOptions(reading: CommandReading, [first, ...words]: readonly Word[]): void {
  const name = first?.name ?? "";
  if (!SETS.test(name) || !mayBe(reading, "bash", "zsh", "sh")) return;
  const values = words.map(({ value }) => value?.replaceAll(/_|(?<=\w)-/g, "").toLowerCase());
  const until = name === "set" ? values.indexOf("--") : -1;
  const options = until < 0 ? values : values.slice(0, until);
  const changes = options.some((each) => CHANGES.test(each ?? "")) ||
    name !== "set" && options.includes(undefined) || name === "emulate" && !emulatesZsh(options);
  if (changes) throw unreadable(`${name} changes how the shell reads other commands`);
}

function emulatesZsh(words: readonly (string | undefined)[]): boolean {
  const shell = words.find((word) => !word?.startsWith("-"));
  return shell === "zsh" || words.length === 0;
}
