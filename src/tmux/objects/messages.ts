// Messages in the status line of the terminals people are attached with.
import { AppError, notFound } from "../../errors.ts";
import { flag, int, text } from "../columns.ts";
import { literalTime } from "../format.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import type { TmuxGateway } from "../gateway.ts";
import { Rows } from "../rows.ts";
import { isAtLeast } from "../version.ts";

const CLIENT = {
  pid: int("#{client_pid}"),
  control: flag("#{client_control_mode}"),
  sessionId: text("#{session_id}"),
  name: text("#{client_name}"),
  version: text("#{version}"),
};

export class Messages {
  readonly #tmux: TmuxGateway;
  readonly #rows: Rows;

  constructor(tmux: TmuxGateway) {
    this.#tmux = tmux;
    this.#rows = new Rows(tmux);
  }

  /**
   * Shows text as it is, for some milliseconds, to everyone attached to the sessions of a pane, or to any.
   * @returns Whether there was someone to show it to
   * @throws {AppError} `unsupported` by tmux 3.2
   */
  async show(
    message: string,
    { ms, pane }: { ms: number; pane?: { id: string; snapshot: ServerSnapshot } },
  ): Promise<boolean> {
    const sessions = pane?.snapshot.panes.filter(({ paneId }) => paneId === pane.id).map(({ sessionId }) =>
      sessionId
    );
    if (sessions?.length === 0) throw notFound("pane", pane!.id);
    const clients = (await this.#rows.list(CLIENT, ["list-clients"])).filter((
      { pid, control, sessionId },
    ) => !control && !this.#tmux.ownClients().has(pid) && (sessions?.includes(sessionId) ?? true));
    const [first] = clients;
    if (first === undefined) return false;
    // Its `-c` takes no client, and without it the message goes to whoever typed last.
    if (!isAtLeast(first.version, 3, 3)) {
      throw new AppError(
        "unsupported",
        `tmux ${first.version} cannot show a message to a chosen client`,
        {
          hint: "Call write-to-display to show the text in a pane",
        },
      );
    }
    const shown = ["-d", String(ms), "--", drawn(message)];
    await this.#tmux.run(clients.map(({ name }) => ["display-message", "-c", name, ...shown]));
    return true;
  }
}

/**
 * The status line draws styles out of what the format came to (3.3a), in which `##` stands for `#`. It has one line,
 * and leaves line feeds out.
 */
function drawn(message: string): string {
  return literalTime(message.replaceAll(/\s*\n\s*/g, " ").replaceAll("#", "##"));
}
