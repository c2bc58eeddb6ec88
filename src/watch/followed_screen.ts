// What a followed pane shows, at one place in its stream: everything printed before is on it, nothing after.
import type { Capture } from "../terminal/screen.ts";
import type { FollowHandle } from "./supervisor.ts";

/** A capture with where the cursor is, shown or not. */
export interface FollowedScreen extends Capture {
  cursorColumn: number;
  cursorRow: number;
}

const FIELDS = ["pane_width", "pane_height", "cursor_x", "cursor_y", "cursor_flag"];

/** Reads the screen through the follow's own client; bytes that come after this settles are not on it. */
export async function readFollowedScreen(handle: FollowHandle, paneId: string): Promise<FollowedScreen> {
  const format = FIELDS.map((field) => `#{${field}}`).join(" ");
  const [described, text] = await Promise.all([
    handle.send([`display-message -p -t '${paneId}' '${format}'`]),
    handle.send([`capture-pane -p -e -N -t '${paneId}'`]),
  ]);
  const [columns = 0, rows = 0, column = 0, row = 0, shown] = described.split(" ").map(Number);
  return {
    text,
    columns,
    rows,
    cursorColumn: column,
    cursorRow: row,
    ...(shown === 1 && { cursor: { column, row } }),
  };
}
