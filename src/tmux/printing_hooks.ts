// Leaves out what the user's hooks print after commands whose output is bare text.
import { ControlParser, type ControlReply } from "./control.ts";
import type { Command, Reply } from "./exec.ts";

/** Commands that print bare text, not rows, and run the hook `after-NAME`. */
const BARE = new Set(["capture-pane", "display-message", "show-environment", "show-options"]);

/** Commands that change nothing, so they can run again. */
const REPEATABLE = new Set([
  ...BARE,
  "has-session",
  "list-buffers",
  "list-clients",
  "list-panes",
  "list-sessions",
  "list-windows",
]);

/** One call's knowledge of the hooks that a server has: each is asked about once. */
export class PrintingHooks {
  readonly #silent = new Set<string>();
  #found = false;

  /** True once a hook was found. */
  get found(): boolean {
    return this.#found;
  }

  /** Commands that show the hooks a batch runs, where these are not known yet. */
  questions(commands: readonly Command[]): Command[] {
    const names = new Set(commands.map(([name = ""]) => name)).add("display-message");
    const place = placeOf(commands);
    return [...names].filter((name) => BARE.has(name) && !this.#silent.has(`${place} ${name}`))
      .map((name) => ["show-options", ...place, `after-${name}`]);
  }

  /** Reads what the questions of a batch printed: a hook that is set has a command behind its name. */
  learn(commands: readonly Command[], answers: string): void {
    const lines = answers.trimEnd().split("\n");
    const names = lines.map((line) => /^after-([a-z-]+)\*?$/.exec(line)?.[1]);
    if (names.includes(undefined)) this.#found = true;
    for (const name of names) this.#silent.add(`${placeOf(commands)} ${name}`);
  }
}

/** True for a batch that only reads, and reads bare text. */
export function isBareRead(commands: readonly Command[]): boolean {
  return commands.every(([name = ""]) => REPEATABLE.has(name)) &&
    commands.some(([name = ""]) => BARE.has(name));
}

/** tmux runs the hooks of the session that a command's target is in. */
function placeOf(commands: readonly Command[]): string[] {
  for (const command of commands) {
    const at = command.indexOf("-t");
    if (at > 0 && command[at + 1] !== undefined) return ["-A", "-t", command[at + 1]!];
  }
  return ["-g"];
}

/**
 * A batch for control mode, where each command's output has a frame: one that prints `mark` stands before each, by the
 * one command behind which no hook can be set.
 */
export function frame(commands: readonly Command[], mark: string): Command[] {
  return commands.flatMap((command) => [["list-commands", "-F", mark, "has-session"], command]);
}

/** Keeps of what a framed batch printed the first frame behind each mark: the others are hooks'. */
export function unframe({ code, stdout, stderr }: Reply, mark: string): Reply {
  const frames: ControlReply[] = [];
  const parser = new ControlParser({
    reply: (reply) => frames.push(reply),
    output() {},
    notification() {},
  });
  parser.push(stdout);
  const first = frames.findIndex(({ text }) => text === mark);
  const own = frames.filter((_, index) => first < 0 || frames[index - 1]?.text === mark);
  const failed = own.find((reply) => reply.failed);
  if (failed) {
    return {
      code: 1,
      stdout: printed(own.filter((reply) => reply !== failed)),
      stderr: failed.text,
    };
  }
  return { code: frames.length === 0 ? code : 0, stdout: printed(own), stderr };
}

function printed(frames: readonly ControlReply[]): Uint8Array {
  return new TextEncoder().encode(frames.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(""));
}
