// Starts to copy the output of a command whose server is gone; what was printed before is read from the screen.
import { dropStep, type Grid, gridCommands, type Line, readGrid } from "../../tmux/capture/grid.ts";
import { trimDead } from "../../terminal/final_output.ts";
import { pipeToSpool, type SpoolFile } from "../../tmux/spool_pipe.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { CommandPipe } from "./command_pipe.ts";
import { isTypedOn, typedPart } from "./shown_lines.ts";
import { PIPE_PIECE, type StoredCommand } from "./stored_command.ts";
import type { StoredOutput } from "./stored_output.ts";

/** Lines of a command as its pane showed them at the moment the pipe began. */
interface LateStart {
  lines: string[];
  /** Prompt that the command was typed at, without trailing blanks. */
  prompt: string;
}

/** Rows by which typed text can move up: a prompt may shrink once its line is done. */
const ROWS_BESIDE = 4;

/** Lines of a command that has ended, as its pane shows them now. */
export interface Shown {
  lines: string[];
  /** True if these are all of its lines: none between looks like a prompt; the pane is dead or its cursor is at one. */
  isWhole: boolean;
}

/** Returns undefined if the pane does not show the command any more. */
export async function readShownOutput(tmux: Tmux, stored: StoredCommand): Promise<Shown | undefined> {
  const { paneId } = stored;
  const grid = readGrid(paneId, tmux.codec, await tmux.runParts(gridCommands(paneId, tmux.codec, "-")));
  const { lines, prompt } = findShown(grid, stored, 0) ?? {};
  if (!lines || prompt === undefined) return undefined;
  const end = prompt === "" ? -1 : lines.findIndex((line) => line.startsWith(prompt));
  if (grid.dead && end < 0) return { lines: [...trimDead(lines), ""], isWhole: true };
  const last = lines.at(-1)?.trimEnd() ?? "";
  if (end >= 0) {
    return { lines: [...lines.slice(0, end), ""], isWhole: end === lines.length - 1 && last === prompt };
  }
  // The cursor is at a prompt that has changed, or at one that follows output without a newline.
  const rest = prompt !== "" && last.endsWith(prompt) ? last.slice(0, -prompt.length) : "";
  return { lines: [...lines.slice(0, -1), rest], isWhole: false };
}

/** True if the pane still shows all of a command's output, and that is what was read. */
export async function showsAll(tmux: Tmux, stored: StoredCommand, output: StoredOutput): Promise<boolean> {
  const shown = await readShownOutput(tmux, stored).catch(() => undefined);
  return shown?.isWhole === true && output.isAll(shown.lines);
}

export interface LatePipeOptions {
  output: StoredOutput;
  pipe: CommandPipe;
  /** True if its shell waits at a prompt. */
  isBack: boolean;
}

/**
 * Has a pipe copy what is printed from now on, and writes what the screen shows of the command before that. Returns
 * the resulting changes of the record, or `taken` if the pane has another pipe.
 */
export async function joinLate(
  tmux: Tmux,
  stored: StoredCommand,
  { output, pipe, isBack }: LatePipeOptions,
): Promise<Partial<StoredCommand> | "taken"> {
  // A person's pipe may stay for long, and each start reads all that the pane holds.
  if (await hasPipe(tmux, stored.paneId)) return "taken";
  const late = await startLate(tmux, stored, pipe.file);
  if (late === "taken") return late;
  await pipe.begun();
  if (late === undefined || output.piece > 0) return { isCut: true, prompt: "" };
  const { lines, prompt } = late;
  const isPrompt = isBack && prompt !== "" && lines.at(-1)?.trimEnd() === prompt;
  const missing = await output.missing(isPrompt ? [...lines.slice(0, -1), ""] : lines);
  if (missing === undefined) return { isCut: true, prompt };
  return { piece: PIPE_PIECE, prompt, ...(output.append(0, missing) ? {} : { isCut: true }) };
}

async function hasPipe(tmux: Tmux, paneId: string): Promise<boolean> {
  return (await tmux.run([["display-message", "-p", "-t", paneId, "#{pane_pipe}"]])).trim() === "1";
}

/** Starts the pipe; returns `taken` if the pane has another one, undefined if the command is not shown any more. */
async function startLate(
  tmux: Tmux,
  stored: StoredCommand,
  spool: SpoolFile,
): Promise<LateStart | "taken" | undefined> {
  const { codec } = tmux;
  const { paneId } = stored;
  const [column = "", taken = "", ...replies] = await tmux.runParts([
    ["display-message", "-p", "-t", paneId, "#{cursor_x}"],
    // tmux reads no pane output between the commands of one batch.
    pipeToSpool(paneId, spool, ["display-message", "-p", "taken"]),
    ...gridCommands(paneId, codec, "-"),
  ]);
  if (taken.trim() !== "") return "taken";
  const grid = readGrid(paneId, codec, replies);
  const late = findShown(grid, stored, Number(column));
  return late && grid.dead ? { ...late, lines: [...trimDead(late.lines), ""] } : late;
}

/** True if the cursor's line shows this prompt, with nothing after it. */
export async function showsPrompt(tmux: Tmux, paneId: string, prompt: string): Promise<boolean> {
  const replies = await tmux.runParts(gridCommands(paneId, tmux.codec, 0));
  const { alternateOn, lines, cursorRow } = readGrid(paneId, tmux.codec, replies);
  return !alternateOn && lines.some((line) => isOn(line, cursorRow) && line.text.trimEnd() === prompt);
}

function findShown(grid: Grid, stored: StoredCommand, column: number): LateStart | undefined {
  const { lineCount, columns } = stored;
  if (grid.alternateOn || grid.width !== columns) return undefined;
  const typed = typedPart(stored);
  const line = typed === "" ? undefined : findTyped(grid, stored, typed);
  if (!line || lineCount === undefined) return undefined;
  const at = grid.lines.indexOf(line);
  const lines = grid.lines.slice(at + lineCount).filter(({ row }) => row <= grid.cursorRow);
  return {
    lines: lines.map((line) =>
      isOn(line, grid.cursorRow)
        ? line.text.padEnd((grid.cursorRow - line.row) * grid.width + column)
        : line.text
    ),
    prompt: line.text.slice(0, line.text.indexOf(typed)).trimEnd(),
  };
}

/** Returns the line that a command was typed on. */
function findTyped(grid: Grid, stored: StoredCommand, typed: string): Line | undefined {
  const { promptRow } = stored;
  if (promptRow === undefined) return undefined;
  // Rows are renumbered once tmux has dropped some. tmux drops the oldest rows, so earlier runs of the same command
  // go before this one.
  if (grid.historySize > grid.historyLimit - dropStep(grid.historyLimit)) {
    return grid.lines.findLast(({ text }) => isTypedOn(text, stored));
  }
  const distance = ({ row }: Line): number => Math.abs(row - promptRow);
  const [line] = grid.lines
    .filter((each) => distance(each) <= ROWS_BESIDE && each.text.includes(typed))
    .sort((one, other) => distance(one) - distance(other));
  return line;
}

function isOn({ row, rows }: Line, cursorRow: number): boolean {
  return row <= cursorRow && cursorRow < row + rows;
}
