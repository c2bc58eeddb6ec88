// Requests of the host about one followed pane: commands run at a place in its output, and reports.
import { isGone, isOutOfReach, messageOf, sentCode } from "../src/errors.ts";
import type { Probe } from "../src/process/probe.ts";
import { bestEffort } from "../src/promises.ts";
import type { Command } from "../src/tmux_exec/exec.ts";
import type { PaneMessage, Report } from "../src/watch/protocol.ts";
import type { ProcessTriggers } from "./processes/process_triggers.ts";
import { type CommandAnswer, untilPlaced } from "./sources/pane_source.ts";
import { MAX_MOVES, type PaneStream } from "./sources/pane_stream.ts";
import type { PaneText } from "./text/pane_text.ts";

export interface PaneRequestsOptions {
  stream: PaneStream;
  text: PaneText;
  processes: ProcessTriggers;
  probe: Probe;
  post(message: PaneMessage): void;
  /** Settles when what the programs have done so far has fired the watch, or is found not to. */
  judged(): Promise<void>;
}

export class PaneRequests {
  readonly #options: PaneRequestsOptions;

  constructor(options: PaneRequestsOptions) {
    this.#options = options;
  }

  /** Runs commands; the reply is posted in its place among the pane's bytes. */
  async send(id: number, commands: readonly Command[]): Promise<void> {
    const reply = this.#replyTo(id);
    await this.#ask(() => this.#options.stream.send(commands, reply), reply);
  }

  /** The same for commands that only read, which are run again, for a moment, if their place is not certain. */
  async read(id: number, commands: readonly Command[]): Promise<void> {
    const reply = this.#replyTo(id);
    await untilPlaced(
      (onReply) => this.#ask(() => this.#options.stream.read(commands, onReply), onReply),
      (answer, again) => again || reply(answer),
    );
  }

  /** Asks the next source if one ends before it can be asked: a person's `attach -d` detaches our client. */
  async #ask(ask: () => Promise<unknown>, onFailure: (answer: CommandAnswer) => void): Promise<void> {
    for (let moves = 0;; moves++) {
      try {
        return void await ask();
      } catch (error) {
        if (!isGone(error) || moves === MAX_MOVES) return onFailure(failureOf(error));
        await this.#options.stream.check();
      }
    }
  }

  /** Settles when what has happened in the pane so far could fire the watch. */
  async catchUp(): Promise<void> {
    const { stream, text, judged } = this.#options;
    await judged();
    if (text.isScanned) await stream.sync();
  }

  async report(id: number, commands: readonly Command[]): Promise<void> {
    const { text, probe, processes, post } = this.#options;
    const output = await this.#outputAt(commands) ?? text.report();
    await bestEffort(probe.refresh?.());
    post({ kind: "report", id, report: { ...output, ...processes.report() } });
  }

  /** Returns the output up to the moment the commands run, and what they print; undefined if they can't be run. */
  async #outputAt(commands: readonly Command[]): Promise<Report | undefined> {
    const { stream, text } = this.#options;
    let report: Report | undefined;
    if (commands.length > 0) {
      await untilPlaced((onReply) => bestEffort(stream.send(commands, onReply)), ({ failed, printed }) => {
        if (!failed) report = { ...text.report(), printed };
      });
    }
    if (!report) await stream.sync();
    return report;
  }

  #replyTo(id: number): (answer: CommandAnswer) => void {
    return ({ failed, text, printed, code, isLate = false }) =>
      this.#options.post({
        kind: "reply",
        id,
        failed,
        text: failed ? text : printed.replace(/\n$/, ""),
        ...(isLate && { isLate }),
        ...(code && { code }),
      });
  }
}

function failureOf(error: unknown): CommandAnswer {
  const unreached = isOutOfReach(error) && { code: sentCode(error) };
  return { failed: true, text: messageOf(error), printed: "", ...unreached };
}
