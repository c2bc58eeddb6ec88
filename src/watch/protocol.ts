// The vocabulary the host and its workers share. Every message names its watch: a worker can serve many.
import type { ErrorCode } from "../errors.ts";
import type { Ending } from "../process/ending.ts";
import type { CpuTime, ReportedInspection } from "../process/probe.ts";
import type { MarkedPiece } from "../shell/marks.ts";
import type { ClientHandle } from "../tmux/control_channel.ts";
import type { ControlTarget } from "../tmux/control_client.ts";
import type { PLAIN_TRIGGERS } from "../vocabulary.ts";
import type { Command } from "../tmux/exec.ts";
import type { SpoolFile } from "../tmux/spool_pipe.ts";

/** A condition that ends a watch. `event` is its name in the result. */
export type Trigger =
  | { kind: typeof PLAIN_TRIGGERS[number]; event: string }
  | { kind: "idle"; event: string; seconds: number }
  | { kind: "pattern"; event: string; source: string }
  /** Without a number: any port. */
  | { kind: "port"; event: string; port?: number }
  /** Any output at all, or a change of size; not one of those that callers name. */
  | { kind: "output"; event: string };

/** The variable that says whose client a process is (see client_mark). */
export const CLIENT_OF = "TMUX_MCP_CLIENT_OF";

/** The tmux server whose panes a worker follows, and the way to it. */
export interface ServerRef extends ControlTarget {
  /** No client is to be attached: panes are read through their pipes. */
  unattached?: true;
}

/** A pane as it was when the watch was asked for. */
export interface PaneRef {
  paneId: string;
  sessionId: string;
  panePid: number;
  tty: string;
  columns: number;
}

/** Interval of progress reports: `everyMs`, or `everyLines` new lines, whichever comes first, but never before `minMs`. */
export interface Pace {
  minMs: number;
  everyMs?: number;
  everyLines: number;
}

/** The marks of one command (see shell/marks): its text begins at C and ends at D. */
export interface MarkRef {
  publicId: string;
  secret: string;
}

export interface FollowSpec {
  server: ServerRef;
  panes: PaneRef[];
  triggers: Trigger[];
  errorPattern: string;
  errorIgnorePattern: string;
  /** Absent: no progress is reported. */
  pace?: Pace;
  marks?: MarkRef;
  /** With marks: where the output goes too, once the command has run for a moment. */
  spool?: SpoolFile;
  /** Some of what was printed since it was asked for is lost: it begins again. */
  resumed?: true;
  /** The panes stay when their programs end, until what those wrote last has been read off the screen. */
  held?: true;
  /** A person is to answer the program: `user_input` does not end the watch, it posts `asks`. */
  handsOver?: true;
  /** Post the pane's bytes to the host (with marks: those between C and D). */
  stream: boolean;
  /** Keep the control client this long after the follow ends, for the next one (ms). */
  lingerMs: number;
}

export interface Setup {
  kind: "setup";
  libcPath: string;
  /** One 32-bit integer that the worker changes all the time while it has follows. */
  pulse: SharedArrayBuffer;
}

/** The end of a follow. */
export interface FollowEnd {
  /** No client stays for the next follow, whatever `lingerMs` says. */
  atOnce: boolean;
  /** A command's pipe keeps copying to its spool. */
  keepsSpool?: boolean;
}

export type HostMessage =
  | Setup
  | { kind: "start"; watchId: string; spec: FollowSpec }
  /** Commands to be run where the watch's first pane is read from. */
  | { kind: "send"; watchId: string; id: number; commands: Command[] }
  /** Run these commands, then answer `report` on this pane, or on the first, as of that moment. */
  | { kind: "report"; watchId: string; id: number; paneId: string | undefined; commands: Command[] }
  | { kind: "stop"; watchId: string } & FollowEnd
  /** Output that a dead pane shows beyond the posted output; undefined if there is none. */
  | { kind: "rest"; watchId: string; bytes: Uint8Array | undefined }
  /** The program's question was answered. */
  | { kind: "answered"; watchId: string }
  /** One of the processes that were `awaited` has run. */
  | { kind: "wake" }
  /** Release everything, then answer `closed`: a terminated worker would keep its descriptors. */
  | { kind: "close" };

/** The kernel's view of a pane, with the ending of a dead one. */
export type PaneState = ReportedInspection & Ending;

/** A pane's new output since the watch began. */
export interface Report {
  /** The tail, at most 100 lines and 16 KiB. */
  output: string;
  outputTruncated: boolean;
  totalLines: number;
  totalBytes: number;
  state?: PaneState;
  /** Complete output of the commands, if they could be run. */
  printed?: string;
}

/** R with what the shell reports about itself, C, or D with the exit status; `stoppedPid`: a job that outlives D. */
export type CommandMark = Exclude<MarkedPiece, { kind: "text" }> & { stoppedPid?: number };

/** A message about one pane of a watch. */
export type PaneMessage =
  | { kind: "progress"; newLines: number; lastLine: string }
  /**
   * The first trigger that was true; more may be streamed after it. `place`: where in the pane's bytes, on a scale that
   * the follows of one worker share.
   */
  | { kind: "event"; event: string; detail: string; place: number; ending?: Ending }
  /** The program waits for input. To be followed by `answered` where the watch is to continue. */
  | { kind: "asks"; detail: string }
  | { kind: "mark"; mark: CommandMark }
  | { kind: "bytes"; bytes: Uint8Array }
  /** From here on the pane's bytes go to the spool too, or no longer do. */
  | { kind: "spooling"; active: boolean }
  /** Part of the stream was lost: the reader fell behind and tmux dropped what it held. */
  | { kind: "gap" }
  /** With `stream`: the pane's size, sent when something in its session changed it or may have. */
  | { kind: "sized"; columns: number; rows: number }
  /** With marks: the pane stays though its process is gone. To be answered with `rest`, which `ended` waits for. */
  | { kind: "dead" }
  /** The pane or its own process is gone. */
  | { kind: "ended"; ending: Ending }
  /** Replies to the host's `send` and `report`. */
  | { kind: "reply"; id: number; failed: boolean; text: string }
  | { kind: "report"; id: number; report: Report };

export type WorkerMessage =
  /** A control client of this worker began or ended, or is reported again with the pid that tmux knows it by. */
  | { kind: "client"; handle: ClientHandle; alive: boolean }
  | { kind: "closed" }
  /** The worker sleeps until one of these processes has run, or what is printed wakes it. */
  | { kind: "sleeps"; awaited: readonly CpuTime[] }
  | { kind: "ready"; watchId: string }
  | PaneMessage & { watchId: string; paneId: string }
  /** tmux answers and the pane lives, but no client stays attached: the follow is over, to be tried another way. */
  | { kind: "refused"; watchId: string; message: string }
  | { kind: "failed"; watchId: string; code: ErrorCode; message: string }
  /** The worker could not be set up, and serves nothing. */
  | { kind: "unusable"; code: ErrorCode; message: string };
