// Asks a shell for the status of a command whose mark D it has forgotten, after Ctrl-C or `exec bash`.
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

/** The shell is at its prompt, but does not take what is typed there. */
export class CannotAnswer extends Error {}

export interface StatusQuestion
  extends ShellAtPrompt, Pick<CommandRunOptions, "tmux" | "supervisor" | "spec" | "lock"> {
  paneId: string;
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
  const { tmux, paneId, supervisor, marks, spec, seen, waits, send, asks, lock } = question;
  const dialect = findDialect((await seen?.inspect())?.shell ?? "") ?? question.dialect;
  const status = Promise.withResolvers<number>();
  const prompt = new ShellPrompt(new PaneKeys(paneId, send));
  const handle = supervisor.follow(supervisor.newWatchId(), spec(marks, { triggers: [] }), {
    mark: ({ mark }) => {
      if (mark.kind === "done") status.resolve(mark.status);
      if (mark.kind !== "ready") return;
      isTaken = true;
      due.wait(inTime);
      prompt.view().then((view) => {
        const screen = clearTyped(view);
        const payload = dialect.recovery({ secret: marks.secret, screen, ready: mark.ready });
        return tmux.input.feed(paneId, payload, send);
      }).catch(status.reject);
    },
    failed: (error) => status.reject(error),
  }, { isWatch: false });
  handledLater(status.promise);
  const due = new DueMark();
  const inTime = {
    ms: READY_MS,
    late: () => status.reject(new Error("The shell did not answer")),
    gaveUp: () => {},
  };
  let isTaken = false;
  let paneLock: PaneLock | undefined;
  try {
    await handle.ready;
    // Another server may be typing a command at the same prompt.
    paneLock = await lock(send);
    await prompt.read({ waits: true, seen });
    asks();
    await prompt.typeLoader({ ...question, dialect });
    const shell = waits && !isTaken
      ? { waits, askTmux: () => send(["display-message", "-p", ""]) }
      : undefined;
    const gaveUp = () =>
      void prompt.lineAbove().then((message) => status.reject(cannotAnswer(message)), status.reject);
    due.wait({ ...inTime, shell, gaveUp });
    return { status: await status.promise, prompt };
  } finally {
    due.end();
    paneLock?.release(send);
    handle.stop();
  }
}

function cannotAnswer(message: string): CannotAnswer {
  return new CannotAnswer(
    "Its shell is back at its prompt and can't report the exit code" +
      (message === "" ? "" : ` (${message})`) +
      ": an alias, a function or a read-only variable is in the way (builtin, command, __mcp)",
  );
}
