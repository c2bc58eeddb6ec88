// Asks a shell for the status of a command whose mark D it has forgotten, as Ctrl-C and `exec bash` make it.
import { findDialect } from "../../shell/dialects.ts";
import { clearTyped } from "../../shell/screen.ts";
import type { MarkRef } from "../protocol.ts";
import { PaneKeys, type Send } from "./prompt/pane_keys.ts";
import { ShellPrompt } from "./prompt/shell_prompt.ts";
import type { PaneLock } from "./prompt/pane_lock.ts";
import { DueMark } from "./due_mark.ts";
import { READY_MS } from "./command_state.ts";
import type { CommandRunOptions } from "./run_options.ts";
import type { ShellAtPrompt } from "./prompt/shell_at_prompt.ts";
import { handledLater } from "../../promises.ts";

/** Its shell is at its prompt, and does not take what we type there. */
export class CannotAnswer extends Error {}

export interface StatusQuestion
  extends ShellAtPrompt, Pick<CommandRunOptions, "tmux" | "supervisor" | "spec" | "lock"> {
  paneId: string;
  /** A watch over the command takes a mark D with its secret for its own. */
  marks: MarkRef;
  send: Send;
  /** Output from now on is the shell's prompt and typing. */
  asks(): void;
}

/** The status, and the prompt that the question was typed at; rejects where it could not be asked. */
export async function askForStatus(
  question: StatusQuestion,
): Promise<{ status: number; prompt: ShellPrompt }> {
  const { tmux, paneId, supervisor, marks, spec, seen, waits, send, asks, lock } = question;
  const dialect = findDialect((await seen?.inspect())?.shell ?? "") ?? question.dialect;
  const answered = Promise.withResolvers<number>();
  const prompt = new ShellPrompt(new PaneKeys(paneId, send));
  const handle = supervisor.follow(supervisor.newWatchId(), spec(marks, { triggers: [] }), {
    mark: ({ mark }) => {
      if (mark.kind === "done") answered.resolve(mark.status);
      if (mark.kind !== "ready") return;
      isTaken = true;
      due.wait(inTime);
      prompt.view().then((view) => {
        const screen = clearTyped(view);
        const payload = dialect.recovery({ secret: marks.secret, screen, ready: mark.ready });
        return tmux.input.feed(paneId, payload, send);
      }).catch(answered.reject);
    },
    failed: (error) => answered.reject(error),
  }, { isWatch: false });
  handledLater(answered.promise);
  const due = new DueMark();
  const inTime = {
    ms: READY_MS,
    late: () => answered.reject(new Error("The shell did not answer")),
    gaveUp: () => {},
  };
  let isTaken = false;
  let held: PaneLock | undefined;
  try {
    await handle.ready;
    // Another server may be typing a command at the same prompt.
    held = await lock(send);
    await prompt.read({ waits: true });
    asks();
    await prompt.typeLoader({ ...question, dialect });
    const shell = waits && !isTaken
      ? { waits, askTmux: () => send(["display-message", "-p", ""]) }
      : undefined;
    const gaveUp = () =>
      void prompt.lineAbove().then((said) => answered.reject(cannotAnswer(said)), answered.reject);
    due.wait({ ...inTime, shell, gaveUp });
    return { status: await answered.promise, prompt };
  } finally {
    due.end();
    held?.giveBack(send);
    handle.stop();
  }
}

function cannotAnswer(said: string): CannotAnswer {
  return new CannotAnswer(
    "Its shell is back at its prompt and can't report the exit code" + (said === "" ? "" : ` (${said})`) +
      ": an alias, a function or a read-only variable is in the way (builtin, command, __mcp)",
  );
}
