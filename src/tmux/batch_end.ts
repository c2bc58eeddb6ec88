// The end of a batch: it tells a failure of the batch from those of the user's hooks, which tmux reports alike.
import { concatBytes } from "../bytes.ts";
import type { Command, Exec, Reply } from "../tmux_exec/exec.ts";
import { isLostServer } from "./failures.ts";
import { literal } from "./row_codec.ts";
import { quoteCommand } from "./quoting.ts";

/** Place of the condition among the words of `if-shell -F -t TARGET CONDITION`. */
const CONDITION = 4;

/**
 * Returns an exec whose replies are without the failures of hooks. Each batch prints a mark at its end: the first of
 * its commands that fails ends it, a hook's does not.
 */
export function withoutHookFailures(exec: Exec): Exec {
  const mark = `|${crypto.randomUUID().slice(0, 8)}|`;
  return async (commands, options = {}) => {
    if (options.frameTag !== undefined || !canMark(commands)) return await exec(commands, options);
    if (writesOut(commands)) return written(await exec(commands, options));
    const marks = commands.filter(([name]) => name === "if-shell").length + 1;
    const reply = await exec(marked(commands, mark), options);
    return unmarked(reply, mark, commands.some((command) => failsAt(command, reply)) ? Infinity : marks);
  };
}

/** A command that fails inside `if-shell` ends only its branch, so each branch has a mark too. */
function marked(commands: readonly Command[], mark: string): Command[] {
  const print = ["display-message", "-p", mark];
  const ended = commands.map((command) => {
    if (command[0] !== "if-shell") return command;
    const [then, otherwise] = command.slice(CONDITION + 1);
    const branches = [then, otherwise].map((branch) =>
      [...(branch === undefined ? [] : [branch]), quoteCommand(print)].join(" ; ")
    );
    return [...command.slice(0, CONDITION + 1), ...branches];
  });
  return [...ended, print];
}

function unmarked(reply: Reply, mark: string, marks: number): Reply {
  const line = `${mark}\n`;
  let at = 0;
  // One character for each byte.
  const parts = new TextDecoder("latin1").decode(reply.stdout).split(line).map(({ length }) => {
    const part = reply.stdout.subarray(at, at + length);
    at += length + line.length;
    return part;
  });
  if (parts.length <= marks) return { ...reply, stdout: concatBytes(parts) };
  // Hooks on the command that prints the mark may print too.
  return { code: 0, stdout: concatBytes(parts.slice(0, marks)), stderr: "" };
}

/** False for nested branches. */
function canMark(commands: readonly Command[]): boolean {
  return commands.every(([name, ...words]) => {
    if (name === "if-shell") return !words.slice(CONDITION).some((branch) => branch.includes("if-shell"));
    return name !== "save-buffer" || words.at(-1) !== "-" || commands.length === 1;
  });
}

/** True for a batch that only prints a buffer: after that, tmux prints a mark to stderr. */
function writesOut([command]: readonly Command[]): boolean {
  return command?.[0] === "save-buffer" && command.at(-1) === "-";
}

function written(reply: Reply): Reply {
  return hasWritten(reply, reply.stdout.length) ? { ...reply, code: 0, stderr: "" } : reply;
}

/**
 * True if a client has printed a whole buffer, though a hook may have failed: tmux keeps no empty buffers, and runs
 * no hook before it has printed one.
 */
export function hasWritten({ code, stderr }: Pick<Reply, "code" | "stderr">, bytes: number): boolean {
  return code === 0 || (code === 1 && bytes > 0 && !isLostServer(stderr));
}

/** True if the command could not use its file, which ends no batch: tmux 3.3a writes `FILE: why`, 3.6b `why: FILE`. */
function failsAt([name, ...words]: Command, { stderr }: Reply): boolean {
  const [file, written] = [words.at(-1), literal(`\n${stderr}\n`)];
  if ((name !== "load-buffer" && name !== "save-buffer") || file === "-") return false;
  return written.includes(`\n${file}: `) || written.includes(`: ${file}\n`);
}
