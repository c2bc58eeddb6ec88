// Prefixes that runners of several tasks put before each line: turbo, nx, lerna, pnpm, concurrently, yarn,
// docker's build and compose, foreman, pm2, act.

/** Words that stand before a program's own lines. */
const LEVELS =
  "trace|debug|verbose|info|notice|note|warn|warning|error|err|fatal|failed|fail|failure|ok|done";
/** Maximum prefixes of one line. */
const MAX_DEPTH = 3;
const { raw } = String;

const PREFIX = new RegExp(
  raw`^(?:(?<build>#\d+ |)\d+\.\d{1,3} ` +
    raw`|(?:\d\d:\d\d:\d\d |\d+\|)?[A-Za-z][\w.-]* +\| ` +
    raw`|│ ` +
    raw`|\[[^\]]+\] +\| ` +
    raw`|\[(?!(?:${LEVELS})\])[^\]\s]+\]:? ` +
    raw`|(?!(?:${LEVELS})[: ])(?:@?[a-z][\w.-]*(?:/[\w.-]+)*|\.)(?:[: ][a-z][\w:.-]*)?: )`,
  "i",
);

export interface TaskLine {
  /** The same for all lines of a task. */
  task: string;
  /** The line as the task printed it. */
  text: string;
}

/** Rest of a line after each of its prefixes: a build or a service can itself run several tasks. */
export function findTaskLines(line: string): TaskLine[] {
  const found: TaskLine[] = [];
  for (let own = findTaskLine(line); own; own = findTaskLine(own.text)) {
    found.push({ task: (found.at(-1)?.task ?? "") + own.task, text: own.text });
    if (found.length === MAX_DEPTH) break;
  }
  return found;
}

/** Splits a line of a task from its first prefix; undefined if it has none. */
function findTaskLine(line: string): TaskLine | undefined {
  const match = PREFIX.exec(line);
  if (!match) return undefined;
  const [prefix] = match;
  return { task: match.groups?.["build"] ?? prefix, text: line.slice(prefix.length) };
}
