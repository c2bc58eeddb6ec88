// Messages in the status line of the terminals that people are attached with.
import { AppError, notFound } from "../../errors.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { literalTime } from "../row_codec.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import { isAtLeast } from "../../tmux_exec/version.ts";
import { listPeople, type Person } from "./people.ts";
import { ServerObjects } from "./server_objects.ts";

export class Messages extends ServerObjects {
  /**
   * Shows text as it is, for some milliseconds, to everyone attached to the sessions of a pane, or to any session.
   * @returns true if there was anyone to show it to
   * @throws {AppError} `unsupported` by tmux 3.2
   */
  async show(
    message: string,
    { ms, pane }: { ms: number; pane?: { id: string; snapshot: ServerSnapshot } },
  ): Promise<boolean> {
    const rows = pane?.snapshot.panes.filter(({ paneId }) => paneId === pane.id);
    const sessions = rows?.map(({ sessionId }) => sessionId);
    if (sessions?.length === 0) throw notFound("pane", pane!.id);
    const people = await listPeople(this.tmux, sessions);
    const [first] = people;
    if (first === undefined) return false;
    if (!canShow(first)) {
      const what = `tmux ${first.version} cannot show a message to a chosen client`;
      throw new AppError("unsupported", what, { hint: "Call write-to-display to show the text in a pane" });
    }
    // One by one: people may leave meanwhile, and a batch has no room for a long message to several.
    const shown = await this.tmux.runEach(people.map(({ name }) => showCommand(name, message, { ms })));
    return shown.some((each) => each !== undefined);
  }
}

/** True if a message can be shown to one client: `-c` of tmux 3.2 takes none, so whoever typed last would get it. */
export function canShow({ version }: Person): boolean {
  return isAtLeast(version, 3, 3);
}

/** Returns the command that shows a message to one client. `live`: panes are still drawn meanwhile (from 3.6 on). */
export function showCommand(
  client: string,
  message: string,
  { ms, live = false }: { ms: number; live?: boolean },
): Command {
  return [
    ...["display-message", ...(live ? ["-C"] : []), "-c", client, "-d", String(ms), "--"],
    drawn(message),
  ];
}

/**
 * Escapes a message for the status line. tmux draws styles from the expanded format (3.3a), in which `##` stands for
 * `#`. The status line has one line and drops line feeds.
 */
function drawn(message: string): string {
  return literalTime(message.replaceAll(/\s*\n\s*/g, " ").replaceAll("#", "##"));
}
