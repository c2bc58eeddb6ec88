// Files of one command: a record, and pieces of its output beside it.
import { idKind } from "../../ids.ts";
import type { StoredRecord } from "../../durable/record_store.ts";
import { pidOfKey } from "../../tmux/server_key.ts";

/** The record. Of what was typed it holds only the command, which the pane shows. */
export interface StoredCommand extends StoredRecord {
  paneId: string;
  /** The pane's own process. */
  panePid: number;
  /** Path of the tmux server's socket. */
  socket: string;
  /** Its first characters. */
  command: string;
  columns: number;
  rows: number;
  /** The output began on this row of the screen. */
  row: number;
  /** Row of the prompt it was typed at, counted with those scrolled off, and number of lines of that prompt. */
  promptRow?: number;
  /** Text of that row before the command, without trailing blanks. */
  promptLine?: string;
  lineCount: number;
  /** Prompt when a later server began the pipe; empty if unknown. */
  prompt?: string;
  status: "running" | "completed" | "lost";
  exitCode?: number;
  paneAlive: boolean;
  /** Why it is lost. */
  reason?: string;
  /** Some of the output is missing. */
  isCut?: true;
  shellPid?: number;
  /** Proves the mark that ends the output, without being what could forge it. Absent where no mark comes. */
  doneHash?: string;
  /** Number of the piece that grows. Even ones are written by a server process, odd ones by a pipe of tmux's. */
  piece: number;
  /** Bytes of piece 1 that are output of the command; the rest of its file is the shell's. */
  piped?: number;
}

export const LETTER = "c";
export const COMMAND_CHARS = 200;
/** The piece that a pipe writes. */
export const PIPED = 1;

/** Hex SHA-256 of a mark's secret. */
export async function hashSecret(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  return new Uint8Array(digest).toHex();
}

/** Ids end in the key of their tmux server. */
export function serverKeyOf(id: string): string {
  return /\d+-\d+$/.exec(id)?.[0] ?? "";
}

/** Pid of the tmux server that a record is about. */
export function serverPidOf(id: string): number {
  return pidOfKey(serverKeyOf(id));
}

const STATUSES = ["running", "completed", "lost"];
/** tmux makes no pane larger. */
const MAX_CELLS = 10_000;

/** True if a record has all fields that this version needs; another version or program may have written it. */
export function isCommand(stored: StoredCommand): boolean {
  const { paneId, panePid, socket, command, columns, rows, row, status, piece, ended } = stored;
  const { exitCode = 0, promptRow = 0, lineCount = 1, shellPid = 0, piped = 0 } = stored;
  const { reason = "", prompt = "", doneHash = "" } = stored;
  return idKind(paneId) === "pane" && STATUSES.includes(status) &&
    (ended === undefined) === (status === "running") &&
    [socket, command, reason, prompt, doneHash].every((text) => typeof text === "string") &&
    [panePid, exitCode, promptRow].every(Number.isInteger) &&
    [row, lineCount, shellPid, piece, piped].every((number) => Number.isInteger(number) && number >= 0) &&
    [columns, rows].every((size) => Number.isInteger(size) && size > 0 && size <= MAX_CELLS);
}
