// Expands tmux formats for reading.
import { mustExist } from "../rows.ts";
import { ServerObjects } from "./server_objects.ts";

/** Expands any format; policy has already checked that it is closed and runs nothing. */
export class Formats extends ServerObjects {
  /** Expands a format for a pane given by id or target; by default for tmux's current pane. */
  async expand(format: string, pane?: string): Promise<string> {
    // display-message has a format of its own instead of an empty one, and expands strftime sequences too.
    const template = format === "" ? "#{l:}" : format.replaceAll("%", "%%");
    const target = pane === undefined ? [] : ["-t", pane];
    const print = ["display-message", "-p", ...target, "--", template];
    const text = await this.tmux.runForValue([...mustExist(pane), print]);
    return text.replace(/\n$/, "");
  }
}
