// Expands tmux formats for reading.
import type { TmuxGateway } from "../gateway.ts";

/** Expands any format; policy has already checked that it is closed and runs nothing. */
export class Formats {
  readonly #tmux: TmuxGateway;

  constructor(tmux: TmuxGateway) {
    this.#tmux = tmux;
  }

  /** Expands a format for a pane given by id or target; by default for tmux's current pane. */
  async expand(format: string, pane?: string): Promise<string> {
    if (format === "") return "";
    // display-message expands strftime sequences too.
    const template = format.replaceAll("%", "%%");
    const target = pane === undefined ? [] : ["-t", pane];
    const exists = pane === undefined ? [] : [["has-session", "-t", pane]];
    const text = await this.#tmux.runForValue([...exists, [
      "display-message",
      "-p",
      ...target,
      "--",
      template,
    ]]);
    return text.replace(/\n$/, "");
  }
}
