// Copies the output of a pane to a file.
import { AppError, hasCode, isGone } from "../../errors.ts";
import { shellWord } from "../../shell/quoting.ts";
import { flag } from "../columns.ts";
import { failIf } from "../conditions.ts";
import { literalTime } from "../row_codec.ts";
import { ServerObjects } from "./server_objects.ts";

const PIPE = { piping: flag("#{pane_pipe}") };
/** The message of tmux from 3.3 on for a pane whose program has ended. */
const EXITED = "target pane has exited";

export class Pipes extends ServerObjects {
  /** Copies a pane's output to a file, in place of any earlier copy; `file` in the result is its absolute path. */
  async start(
    paneId: string,
    path: string,
    { append }: { append: boolean },
  ): Promise<{ file: string; piping: boolean }> {
    const file = await this.tmux.machine.ensurePrivateFile(path);
    const command = `umask 077; exec cat ${append ? ">>" : ">"} ${shellWord(file)}`;
    return { file, piping: await this.#pipe(["pipe-pane", "-t", paneId, literalTime(command)], paneId) };
  }

  /** Stops the copy; a pane whose program has ended has no pipe any more. */
  async stop(paneId: string): Promise<boolean> {
    try {
      return await this.#pipe(["pipe-pane", "-t", paneId], paneId);
    } catch (error) {
      if (isGone(error) && hasCode(error, "gone")) return false;
      throw error;
    }
  }

  async #pipe(command: string[], paneId: string): Promise<boolean> {
    // tmux 3.2 pipes a dead pane.
    const acts = [failIf(paneId, ["pane_dead", EXITED]), command];
    try {
      return (await this.tmux.rows.read(PIPE, paneId, { acts })).piping;
    } catch (error) {
      if (!(error instanceof AppError) || !error.message.endsWith(EXITED)) throw error;
      throw new AppError("gone", `Cannot copy the output of pane "${paneId}": its program has ended`, {
        hint: "Call capture-pane to read its screen",
      });
    }
  }
}
