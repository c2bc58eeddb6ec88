// Asks a shell for the status of a command whose mark D it has forgotten, after Ctrl-C or `exec bash`.
import { hasCode } from "../errors.ts";
import type { Ready } from "../shell/dialect.ts";
import { clearTyped } from "../shell/screen.ts";
import type { CommandMark, MarkRef } from "../watch/protocol.ts";
import { PaneKeys } from "./prompt/pane_keys.ts";
import type { Send } from "../tmux_exec/exec.ts";
import { ShellPrompt } from "./prompt/shell_prompt.ts";
import type { PaneLock } from "./prompt/pane_lock.ts";
import { DueMark, type MarkingShell } from "./due_mark.ts";
import { READY_MS } from "./command_state.ts";
import type { CommandRunOptions } from "./run_options.ts";
import type { ShellAtPrompt } from "./prompt/shell_at_prompt.ts";
import { handledLater } from "../promises.ts";

/** The shell is at its prompt, but does not take what is typed there, or has no dialect in which to ask it. */
export class CannotAnswer extends Error {}

const IN_THE_WAY = "Its shell is back at its prompt and can't report the exit code: " +
  "an alias, a function or a read-only variable is in the way (builtin, command, __mcp)";

export interface StatusQuestion extends Pick<CommandRunOptions, "tmux" | "supervisor" | "spec" | "lock"> {
  paneId: string;
  /** The shell that the command was typed to. */
  shell: ShellAtPrompt;
  /** Marks of the question; a watch over the command takes a mark D with its secret for the command's own. */
  marks: MarkRef;
  send: Send;
  /** Called when output from now on is the shell's prompt and our typing. */
  asks(): void;
}

/** Returns the status, and the prompt that the question was typed at; rejects if it could not be asked. */
export async function askForStatus(
  question: StatusQuestion,
): Promise<{ status: number; prompt: ShellPrompt }> {
  return await new Asking({ ...question, shell: await shellToAsk(question.shell) }).run();
}

/** Returns the shell that is there now: keys for the one that it has replaced mean something else to it. */
async function shellToAsk(typedTo: ShellAtPrompt): Promise<ShellAtPrompt> {
  if (!typedTo.now) return typedTo;
  const shell = await typedTo.now().catch((error) => {
    const isUnknown = hasCode(error, "unsupported");
    throw isUnknown
      ? new CannotAnswer("Another shell has replaced the command's shell and can't report the exit code")
      : error;
  });
  if (!shell) throw new Error("The shell is not at its prompt");
  return shell;
}

class Asking {
  readonly #question: StatusQuestion;
  readonly #prompt: ShellPrompt;
  readonly #status = Promise.withResolvers<number>();
  readonly #due = new DueMark();
  /** True once the shell has taken the typed line. */
  #isTaken = false;

  constructor(question: StatusQuestion) {
    this.#question = question;
    this.#prompt = new ShellPrompt(new PaneKeys(question.paneId, question.send));
    handledLater(this.#status.promise);
  }

  async run(): Promise<{ status: number; prompt: ShellPrompt }> {
    const { supervisor, spec, marks, lock, send } = this.#question;
    const handle = supervisor.follow(spec(marks, { triggers: [] }), {
      mark: ({ mark }) => this.#read(mark),
      failed: (error) => this.#status.reject(error),
    }, { isWatch: false });
    let paneLock: PaneLock | undefined;
    try {
      await handle.ready;
      // Another server may be typing a command at the same prompt.
      paneLock = await lock(send);
      await this.#type();
      return { status: await this.#status.promise, prompt: this.#prompt };
    } finally {
      this.#due.end();
      paneLock?.release(send, true);
      handle.stop();
    }
  }

  #read(mark: CommandMark): void {
    if (mark.kind === "done") this.#status.resolve(mark.status);
    if (mark.kind !== "ready") return;
    this.#isTaken = true;
    this.#wait();
    this.#feed(mark.ready).catch(this.#status.reject);
  }

  async #feed(ready: Ready): Promise<void> {
    const { tmux, paneId, shell: { dialect }, marks, send } = this.#question;
    const screen = clearTyped(await this.#prompt.view());
    await tmux.input.feed(paneId, dialect.recovery({ secret: marks.secret, screen, ready }), send);
  }

  async #type(): Promise<void> {
    const { shell, shell: { seen, waits }, send, asks } = this.#question;
    await this.#prompt.read({ waits: true, seen });
    asks();
    await this.#prompt.typeLoader(shell);
    if (!waits || this.#isTaken) return this.#wait();
    const isBack = async () => await waits() && await this.#prompt.hasWoken();
    this.#wait({ waits: isBack, askTmux: () => send(["display-message", "-p", ""]) });
  }

  #wait(shell?: MarkingShell): void {
    const { reject } = this.#status;
    const late = (): void => reject(new Error("The shell did not answer"));
    this.#due.wait({ ms: READY_MS, late, shell, gaveUp: () => reject(new CannotAnswer(IN_THE_WAY)) });
  }
}
