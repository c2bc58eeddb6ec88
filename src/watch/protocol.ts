// Messages between the host and its workers. Every message names its watch, because a worker can serve many.
import type { ErrorCode } from "../errors.ts";
import type { ErrorPatterns } from "../findings/error_line.ts";
import type { Ending } from "../process/ending.ts";
import type { ListeningPort } from "../process/listening.ts";
import type { TerminalReader } from "../process/input_wait.ts";
import type { CpuTime, ReportedInspection } from "../process/probe.ts";
import type { MarkedPiece } from "../shell/marks.ts";
import type { ClientHandle } from "../tmux_exec/control_channel.ts";
import type { ControlTarget } from "../tmux/control_client.ts";
import type { Mode, PLAIN_TRIGGERS } from "../vocabulary.ts";
import type { Command } from "../tmux_exec/exec.ts";
import type { SpoolCopier, SpoolFile } from "../tmux/spool_pipe.ts";

/** Condition that ends a watch. `event` is its name in the result. */
export type Trigger =
  | { kind: typeof PLAIN_TRIGGERS[number]; event: string }
  | { kind: "idle"; event: string; seconds: number }
  | { kind: "pattern"; event: string; source: string }
  /** Without `port`: any port. */
  | { kind: "port"; event: string; port?: number }
  /** Any output at all, or a change of size. Callers can't name this one. */
  | { kind: "output"; event: string };

/** Environment variable that names the owner of a control client (see process_stamp). */
export const CLIENT_OF = "TMUX_MCP_CLIENT_OF";
/** Environment variable of the pipe through which this program reads a pane: the pane's id. */
export const PIPE_OF = "TMUX_MCP_PIPE_OF";

const PUBLIC_ID_CHARS = 8;

/** The tmux server whose panes a worker follows, and the way to it. */
export interface ServerRef extends ControlTarget {
  /** Set if no client may be attached: panes are read through their pipes. */
  unattached?: true;
}

/** Key of a tmux server among those of all machines. */
export function serverOf({ via, bin, socketArgs }: ServerRef): string {
  return [via?.host ?? "", bin, ...socketArgs].join("\0");
}

/** A pane as it was when the watch was requested. */
export interface PaneRef {
  paneId: string;
  sessionId: string;
  panePid: number;
  tty: string;
  columns: number;
  /** Pid and start time of its tmux server. */
  serverKey: string;
  /** Set if no client may be attached, and the pane's only pipe copies to a command's file: that file is read. */
  commandSpool?: SpoolRef;
}

/** Spool that a pane's pipe copies to. */
export interface SpoolRef extends Omit<SpoolCopier, "maxBytes"> {
  /** Pid of the tmux server that runs the pipe. */
  serverPid: number;
  /** Bytes in the file when the follow was requested. */
  from: number;
}

/** Interval of progress reports: `everyMs` or `everyLines` new lines, whichever is first, but at least `minMs`. */
export interface Pace {
  minMs: number;
  everyMs?: number;
  everyLines: number;
}

/** Paces of progress reports, by the words that callers use; a pace never delays a trigger. */
export const PACES: Record<Mode, Pace> = {
  quick: { minMs: 500, everyMs: 1000, everyLines: 10 },
  medium: { minMs: 1000, everyMs: 5000, everyLines: 40 },
  slow: { minMs: 2000, everyMs: 30000, everyLines: 100 },
  line: { minMs: 200, everyLines: 1 },
  bunch: { minMs: 500, everyLines: 10 },
  screen: { minMs: 1000, everyLines: 40 },
};

/** Marks of one command (see shell/marks): its output begins at C and ends at D. */
export interface MarkRef {
  publicId: string;
  secret: string;
  /** The last mark that has come, if the follow begins again. */
  last?: CommandMark;
}

/** Returns new marks. The secret has 128 bits; the public id only tells this run's mark C from others. */
export function newMarks(secret: string = crypto.getRandomValues(new Uint8Array(16)).toHex()): MarkRef {
  return { publicId: crypto.randomUUID().slice(0, PUBLIC_ID_CHARS), secret };
}

export interface FollowSpec extends ErrorPatterns {
  server: ServerRef;
  panes: PaneRef[];
  triggers: Trigger[];
  /** Pace of progress; absent: none is reported. */
  pace?: Pace;
  marks?: MarkRef;
  /** Without marks: pid of the shell that runs the watched command, whose prompt does not count. */
  shellPid?: number;
  /** With marks: file that also receives the output, once the command has run for a moment. */
  spool?: SpoolFile;
  /** Set if the follow begins again after some of the output was lost. */
  resumed?: true;
  /** At least one of the panes stays when its program ends, until the final output has been read from the screen. */
  held?: true;
  /** A person is asked to answer the program: `user_input` never ends the watch, but posts `asks`. */
  handsOver?: true;
  /** Post the pane's bytes to the host; with marks, only those between C and D. */
  stream: boolean;
  /** Time (ms) to keep the control client for the next follow after this one ends. */
  lingerMs: number;
}

export interface Setup {
  kind: "setup";
  libcPath: string;
  /** One 32-bit integer that the worker keeps changing while it has follows. */
  pulse: SharedArrayBuffer;
}

export interface FollowEnd {
  /** No client is kept for the next follow, whatever `lingerMs` says. */
  atOnce: boolean;
  /** A command's pipe keeps copying to its spool. */
  keepsSpool?: boolean;
}

export type HostMessage =
  | Setup
  | { kind: "start"; watchId: string; spec: FollowSpec }
  /** Run these commands where the watch's first pane is read. */
  | { kind: "send"; watchId: string; id: number; commands: Command[] }
  /** The same for commands that only read: run them again, for a moment, while the pane prints as they run. */
  | { kind: "read"; watchId: string; id: number; commands: Command[] }
  /** Run these commands, then reply with `report` on this pane (by default the first), as of that moment. */
  | { kind: "report"; watchId: string; id: number; paneId: string | undefined; commands: Command[] }
  | { kind: "stop"; watchId: string } & FollowEnd
  /** Output that a dead pane shows beyond the posted output; undefined if there is no more. */
  | { kind: "rest"; watchId: string; bytes: Uint8Array | undefined }
  /** The program's question was answered. */
  | { kind: "answered"; watchId: string }
  /** The watch's command runs, though its mark C was not read. */
  | { kind: "assumeBegun"; watchId: string }
  /** One of the processes in `awaited` has run. */
  | { kind: "wake" }
  /** End all follows, and the control clients that are kept for the next one. */
  | { kind: "detach" }
  /** Release everything, then reply with `closed`: a terminated worker would keep its descriptors. */
  | { kind: "close" };

/** The kernel's view of a pane, with the ending of a dead one. */
export type PaneState = ReportedInspection & Ending;

/** Largest part of the output that a report has. */
export const REPORT_LINES = 100;
export const REPORT_BYTES = 16 * 1024;

/** Output of a pane since the watch began. */
export interface Report {
  /** Last part of the output. */
  output: string;
  outputTruncated: boolean;
  totalLines: number;
  totalBytes: number;
  state?: PaneState;
  /** Sentence that names the program waiting for input; absent if none does. */
  waits?: string;
  /** Complete output of the commands, if they could be run. */
  printed?: string;
}

/** R with what the shell reports about itself, C, or D with the exit status. */
export type CommandMark = Exclude<MarkedPiece, { kind: "text" }> & {
  /** With D: the command's job, which outlives it stopped. */
  stoppedPid?: number | undefined;
  /** The shell that took the command; `seen` is false if it was not in front yet. */
  shell?: { pid: number; seen: boolean } | undefined;
  /** Ports on which the pane listened before the command. */
  listening?: readonly ListeningPort[] | undefined;
};

/** A message about one pane of a watch. */
export type PaneMessage =
  | { kind: "progress"; newLines: number; lastLine: string }
  /**
   * The first trigger that was true; more output may follow it. `place`: position among the pane's bytes, on a scale
   * that all follows of one worker share.
   */
  | { kind: "event"; event: string; detail: string; place: number; ending?: Ending }
  /**
   * The program waits for input. `answered` must follow if the watch is to continue. `mayBeDone`: it is the shell that
   * the command was typed to, which may be at its prompt, because mark D may be lost.
   */
  | { kind: "asks"; detail: string; reader?: TerminalReader | undefined; mayBeDone?: boolean | undefined }
  | { kind: "mark"; mark: CommandMark }
  | { kind: "bytes"; bytes: Uint8Array }
  /** From here on the pane's bytes go to the spool too, or no longer do. */
  | { kind: "spooling"; active: boolean }
  /** Part of the stream was lost: the reader fell behind, and tmux dropped what it held. */
  | { kind: "gap" }
  /** With `stream`: size of the pane, sent when something in its session changed it or may have. */
  | { kind: "sized"; columns: number; rows: number }
  /** With marks: the pane stays although its process is gone. `rest` must follow; `ended` waits for it. */
  | { kind: "dead" }
  /** The pane or its own process is gone. */
  | { kind: "ended"; ending: Ending }
  /** Replies to the host's `send` and `read`, and to `report`. `isLate`: output from after the commands may precede it. */
  | { kind: "reply"; id: number; failed: boolean; text: string; isLate?: boolean; code?: ErrorCode }
  | { kind: "report"; id: number; report: Report };

export type WorkerMessage =
  /** A control client of this worker began or ended, or is reported again with the pid by which tmux knows it. */
  | { kind: "client"; handle: ClientHandle; alive: boolean }
  | { kind: "closed" }
  /** The worker sleeps until one of these processes has run, or output wakes it. */
  | { kind: "sleeps"; awaited: readonly CpuTime[] }
  | { kind: "ready"; watchId: string }
  | PaneMessage & { watchId: string; paneId: string }
  /** tmux replies and the pane lives, but no client stays attached: the follow has to be tried another way. */
  | { kind: "refused"; watchId: string; message: string }
  | { kind: "failed"; watchId: string; code: ErrorCode; message: string }
  /** The worker could not be set up and serves nothing. */
  | { kind: "unusable"; code: ErrorCode; message: string };
