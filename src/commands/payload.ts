// Payload of a command, which the loader reads: the command with its marks, and the screen to restore around it.
import type { Dialect, Ready } from "../shell/dialect.ts";
import { titleBeforeLoader } from "../shell/loader_lines.ts";
import { asTitle, type PromptView, redraw } from "../shell/screen.ts";
import type { MarkRef } from "../watch/protocol.ts";
import type { ShellAtPrompt } from "./prompt/shell_at_prompt.ts";
import type { CommandText } from "./run_options.ts";

export interface PayloadParts {
  text: CommandText;
  marks: MarkRef;
  statusFile: string | undefined;
}

/** Longest payload (bytes) for one line; Linux accepts 4,096 bytes per line, newline included. */
const LINE_BYTES = 4000;
/** A mark R with every flag that makes the payload longer. */
const LONGEST_READY: Ready = { status: 255, flags: "aevx", tty: "" };

/** Returns the text that the loader fetches: a command in its dialect, for the screen and shell that it will run in. */
export function commandPayload(
  dialect: Dialect,
  parts: PayloadParts,
  { view, ready, title }: { view: PromptView; ready: Ready; title?: string | undefined },
): string {
  const { text, marks, marks: { publicId }, statusFile } = parts;
  const shown = title === undefined ? undefined : titleAgain(title, text.command);
  const screen = redraw(view, { command: text.command, publicId, title: shown });
  // A restricted shell (`r` in `$-`) writes no files, and ksh93 complains.
  const written = ready.flags.includes("r") ? undefined : statusFile;
  const payload = dialect.payload({ ...text, ...marks, statusFile: written, screen, ready });
  // A payload that is one line was to fit into that without a title.
  const isTooLong = shown !== undefined && payload.length > LINE_BYTES && payload.endsWith("\n");
  return isTooLong ? commandPayload(dialect, parts, { view, ready }) : payload;
}

/** Returns the title with the command in place of the loader; undefined if it does not have that. */
function titleAgain(title: string, command: string): string | undefined {
  const before = titleBeforeLoader(title);
  return before === undefined ? undefined : asTitle(`${before} ${command}`.trim());
}

/** Returns the dialect to type in: the by-line one if the payload fits into a line, whatever the screen shows. */
export function dialectFor(
  shell: Pick<ShellAtPrompt, "dialect" | "takesLines">,
  parts: PayloadParts,
  tallest: PromptView,
): Dialect {
  const { dialect, dialect: { byLine }, takesLines } = shell;
  if (!byLine || !takesLines || parts.text.command.length > LINE_BYTES) return dialect;
  const longest = commandPayload(byLine, parts, { view: tallest, ready: LONGEST_READY });
  return longest.length <= LINE_BYTES ? byLine : dialect;
}
