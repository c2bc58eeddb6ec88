// The command that a workspace file wants run before its windows are made.
import { AppError } from "../errors.ts";
import { endOf } from "../excerpt.ts";
import { secondsUntil } from "../timer.ts";
import type { WorkspaceCall } from "./start.ts";

/** Most characters of the end of its output that an error quotes. */
const MAX_QUOTED_CHARS = 400;

/** Runs `before_script` in the new session's first window, which is closed afterwards. */
export async function runBeforeScript(command: string, paneId: string, call: WorkspaceCall): Promise<void> {
  const { tmux, watches, commands, signal, until } = call;
  const timeout = secondsUntil(until);
  const source = await commands.source({ tmux, paneId, command, timeout, signal });
  const triggers = await watches.triggers("exit");
  const request = { tmux, triggers, timeout };
  const { event, exitCode, output } = await watches.run(source, request, signal);
  if (event === "exit" && exitCode === 0) return;
  const how = event === "exit" ? `it ended with exit code ${exitCode}` : `it ran longer than ${timeout} s`;
  const end = endOf(output.trimEnd(), MAX_QUOTED_CHARS);
  // Without quotes, its last lines would read as our own.
  const printed = end === "" ? "nothing" : JSON.stringify(end);
  throw new AppError("invalid-argument", `Cannot create the workspace: before_script failed, ${how}`, {
    hint: "Nothing was created",
    quote: `. It printed: ${printed}`,
  });
}
