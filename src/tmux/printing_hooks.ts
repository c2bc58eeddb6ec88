// Removes what the user's hooks print after commands whose output is plain text.
import { ControlParser, type ControlReply } from "./control_parser.ts";
import type { Command, ExecOptions, Reply } from "../tmux_exec/exec.ts";

/** Commands that print plain text instead of rows, and run the hook `after-NAME`. */
const BARE = new Set(["capture-pane", "display-message", "show-environment", "show-options"]);

/** Commands that change nothing, so they can be run again. */
const REPEATABLE = new Set([
  ...BARE,
  "has-session",
  "list-buffers",
  "list-clients",
  "list-panes",
  "list-sessions",
  "list-windows",
]);

/** Flags of the place whose hooks run after a command whose target is gone. */
const CURRENT = ["-A"];

/** Knowledge that one call has of a server's hooks; it asks about each hook once. */
export class PrintingHooks {
  readonly #silent = new Set<string>();
  #found = false;

  /** True once a hook was found. */
  get found(): boolean {
    return this.#found;
  }

  /** Returns commands that show the hooks which a batch runs, except those that are known already. */
  questions(commands: readonly Command[], place: readonly string[] = placeOf(commands)): Command[] {
    const names = new Set(commands.map(([name = ""]) => name)).add("display-message");
    return [...names].filter((name) => BARE.has(name) && !this.#silent.has(`${place} ${name}`))
      .map((name) => ["show-options", ...place, `after-${name}`]);
  }

  /** Reads the output of these commands: a hook that is set has a command after its name. */
  learn(commands: readonly Command[], answers: string, place: readonly string[] = placeOf(commands)): void {
    const lines = answers.trimEnd().split("\n");
    const names = lines.map((line) => /^after-([a-z-]+)\*?$/.exec(line)?.[1]);
    if (names.includes(undefined)) this.#found = true;
    for (const name of names) this.#silent.add(`${place} ${name}`);
  }
}

/** True for a batch that only reads, and reads plain text. */
export function isBareRead(commands: readonly Command[]): boolean {
  return commands.every(([name = ""]) => REPEATABLE.has(name)) &&
    commands.some(([name = ""]) => BARE.has(name));
}

/**
 * Runs a batch that only reads plain text; the reply is without the output and the failures of the user's hooks.
 * `hooks`: what is known of them.
 */
export async function readWithoutHooks(
  commands: readonly Command[],
  hooks: PrintingHooks,
  send: (commands: readonly Command[], options?: Pick<ExecOptions, "frameTag">) => Promise<Reply>,
): Promise<Reply> {
  const frameTag = crypto.randomUUID();
  for (const place of hooks.found ? [] : [placeOf(commands), CURRENT]) {
    const questions = hooks.questions(commands, place);
    if (questions.length === 0) break;
    const reply = await send([...commands, ["display-message", "-p", frameTag], ...questions]);
    const [printed = "", learned] = new TextDecoder().decode(reply.stdout).split(`${frameTag}\n`);
    if (learned === undefined) return reply;
    // The target is gone: tmux runs the hooks of the current session.
    if (reply.code !== 0 && learned === "") continue;
    hooks.learn(commands, learned, place);
    if (hooks.found) break;
    return { ...reply, stdout: new TextEncoder().encode(printed) };
  }
  return hooks.found ? await send(frame(commands, frameTag), { frameTag }) : await send(commands);
}

/** Flags of the place whose hooks run: tmux runs those of the session that a command's target is in. */
function placeOf(commands: readonly Command[]): string[] {
  for (const command of commands) {
    const at = command.indexOf("-t");
    if (at > 0 && command[at + 1] !== undefined) return ["-A", "-t", command[at + 1]!];
  }
  return ["-g"];
}

/**
 * Returns a batch for control mode, where each command's output has a frame. A command that prints `frameTag` stands
 * before each one; it is the only command after which no hook can be set.
 */
function frame(commands: readonly Command[], frameTag: string): Command[] {
  return commands.flatMap((command) => [["list-commands", "-F", frameTag, "has-session"], command]);
}

/** Keeps the first frame after each frameTag in the output of a framed batch; the other frames are output of hooks. */
export function unframe({ code, stdout, stderr }: Reply, frameTag: string): Reply {
  const frames: ControlReply[] = [];
  const parser = new ControlParser({ reply: (reply) => frames.push(reply), output() {}, notification() {} });
  parser.push(stdout);
  const first = frames.findIndex(({ text }) => text === frameTag);
  const kept = frames.filter((_, index) => first < 0 || frames[index - 1]?.text === frameTag);
  const failed = kept.find((reply) => reply.failed);
  if (failed) {
    return { code: 1, stdout: printed(kept.filter((reply) => reply !== failed)), stderr: failed.text };
  }
  return { code: frames.length === 0 ? code : 0, stdout: printed(kept), stderr };
}

function printed(frames: readonly ControlReply[]): Uint8Array {
  return new TextEncoder().encode(frames.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join(""));
}
