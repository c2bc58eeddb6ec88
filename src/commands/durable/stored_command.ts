// Files of one command: a record, and the pieces of its output next to it.
import type { ServerAddress } from "../../tmux/server_address.ts";
import { idKind } from "../../ids.ts";
import type { StoredRecord } from "../../records/record_store.ts";
import { pidOfKey } from "../../tmux/server_key.ts";

/** Record of a command. It holds nothing that was typed except the command itself, which the pane shows. */
export interface StoredCommand extends StoredRecord, ServerAddress {
  paneId: string;
  /** Pid of the pane's own process. */
  panePid: number;
  /** First characters of its text. */
  command: string;
  columns: number;
  rows: number;
  /** Screen row on which the output began. */
  row: number;
  /** Row of the prompt it was typed at, counted from the start of the history. */
  promptRow?: number;
  /** Text of that row before the command, without trailing blanks. */
  promptLine?: string;
  lineCount: number;
  /** Prompt at the time when a later server began the pipe; empty if unknown. */
  prompt?: string;
  status: "running" | "completed" | "lost";
  exitCode?: number;
  paneAlive: boolean;
  /** Reason why the command is lost. */
  reason?: string;
  /** Set if some of the output is missing. */
  isCut?: boolean;
  shellPid?: number;
  /** Pid and start time of its job, if Ctrl-Z has stopped that: later output is not the command's. */
  stopped?: string;
  /** Hash that proves the mark which ends the output; the mark can't be forged from it. Absent if no mark comes. */
  doneHash?: string;
  /** Number of the piece being written. Server processes write even ones, a tmux pipe odd ones. */
  piece: number;
  /** Bytes of piece 1 that are the command's output; the rest of that file is the shell's. */
  piped?: number;
}

export const COMMAND_LETTER = "c";
export const COMMAND_CHARS = 200;
/** Number of the piece that a pipe writes. */
export const PIPE_PIECE = 1;

/** Key of the tmux server that a record id ends in. */
export function serverKeyOf(id: string): string {
  return /\d+-\d+$/.exec(id)?.[0] ?? "";
}

/** Pid of the tmux server that a record belongs to. */
export function serverPidOf(id: string): number {
  return pidOfKey(serverKeyOf(id));
}

const STATUSES = ["running", "completed", "lost"];
/** Largest width or height: tmux makes no pane larger. */
const MAX_SIZE = 10_000;

/** Largest number of a piece: each server that continues a command adds two at most. */
const MAX_PIECE = 1000;

/** True if a record has all fields that this version needs: another version or program may have written it. */
export function isCommand(stored: StoredCommand): boolean {
  const { paneId, panePid, socket, command, columns, rows, row, status, paneAlive, piece, ended } = stored;
  const { exitCode = 0, promptRow = 0, lineCount = 1, shellPid = 0, piped = 0 } = stored;
  const { reason = "", prompt = "", promptLine = "", doneHash = "", host = "", isCut = false } = stored;
  const { stopped = "" } = stored;
  return idKind(paneId) === "pane" && STATUSES.includes(status) &&
    (ended === undefined) === (status === "running") &&
    [paneId, socket, command, reason, prompt, promptLine, doneHash, host, stopped].every((text) =>
      typeof text === "string"
    ) &&
    [paneAlive, isCut].every((flag) => typeof flag === "boolean") && piece <= MAX_PIECE &&
    [panePid, exitCode, promptRow].every(Number.isSafeInteger) &&
    [row, lineCount, shellPid, piece, piped].every((number) => Number.isSafeInteger(number) && number >= 0) &&
    [columns, rows].every((size) => Number.isInteger(size) && size > 0 && size <= MAX_SIZE);
}
