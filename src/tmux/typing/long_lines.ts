// Lines that a terminal without a line editor would cut as they are typed.
import { byteLength } from "../../bytes.ts";
import { AppError } from "../../errors.ts";
import type { PaneInspection } from "../../process/probe.ts";

/** Longest line (bytes) that a terminal accepts without a line editor (n_tty's buffer; MAX_CANON on macOS). */
const MAX_LINE_BYTES = Deno.build.os === "darwin" ? 1023 : 4095;

/**
 * Refuses text that has a line which a terminal without a line editor would cut.
 * @param inspect Called only for such text: a terminal that passes on whole lines cuts it, read or not
 * @throws {AppError} `invalid-argument`
 */
export async function refuseLongLines(
  paneId: string,
  text: string,
  inspect: () => Promise<Pick<PaneInspection, "canonical" | "inputKind">>,
): Promise<void> {
  // A character has three bytes at most.
  if (text.length * 3 < MAX_LINE_BYTES) return;
  const lengths = text.split(/[\r\n]/).map(byteLength);
  const long = lengths.find((bytes) => bytes >= MAX_LINE_BYTES);
  if (long === undefined) return;
  const { canonical, inputKind } = await inspect();
  if (!(canonical ?? ["line", "password"].includes(inputKind))) return;
  const what = `Cannot type a line of ${long} bytes into pane "${paneId}": its terminal would cut it`;
  throw new AppError("invalid-argument", what, {
    hint: `Keep lines under ${MAX_LINE_BYTES} bytes, or let the program read a file`,
  });
}
