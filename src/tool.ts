// The declaration of a tool, and the context of its handler. No behaviour.
import type * as z from "zod";
import type { ServerSnapshot } from "./tmux/server_snapshot.ts";
import type { Tmux } from "./tmux/tmux.ts";
import type { OutputFiles } from "./terminal/output_files.ts";
import type { Pictures } from "./terminal/pictures/pictures.ts";
import type { ProcessIdentity } from "./process/process_identity.ts";
import type { Services } from "./services/services.ts";
import type { Commands } from "./commands/commands.ts";
import type { CommandPane } from "./commands/durable/spooled_panes.ts";
import type { DurableState } from "./durable/durable_state.ts";
import type { TaskCall } from "./durable/task_call.ts";
import type { AskPerson, Handovers } from "./handover/handovers.ts";
import type { Recordings } from "./watch/recordings.ts";
import type { Repls } from "./repls/repls.ts";
import type { Watches } from "./watch/watches.ts";

/** Effect of running a tool, from which tier, annotations and visibility derive. */
export type Effect = "read" | "change" | "input" | "destroy";

/** The closed list of tool groups that `[security.tools]` and `TMUX_MCP_TOOLS` can name (without `@`). */
export const GROUPS = [
  "all",
  "read",
  "list",
  "execute",
  "raw-input",
  "interactive",
  "special-keys",
  "capture",
  "buffer-read",
  "buffer-write",
  "create",
  "split",
  "rename",
  "move",
  "kill",
  "socket",
  "watch",
  "wait",
  "options",
] as const;

export type Group = typeof GROUPS[number];

/** Target of a call, named so that policy can decide before anything is done. */
export type Target =
  /** `anyPane`: the call acts on any of its panes; which one isn't known before. */
  | { kind: "session"; id: string; anyPane?: true }
  /** `movesTo`: id or name of the session that the window moves to; `ends`: the call ends it; `anyPane`: as above. */
  | { kind: "window"; id: string; movesTo?: string; ends?: true; anyPane?: true }
  | { kind: "window-index"; session: string; index: number }
  /**
   * `seen`: the caller has proof that the pane existed, so if it is missing, it has ended; `kept`: the call is about
   * what this server keeps of it then. `leaves`: the pane may leave its window, or `others` that stay there; `joins`:
   * it does, and the window ends if it was the only pane; `ends`: the call ends it.
   */
  | {
    kind: "pane";
    id: string;
    seen?: boolean;
    kept?: boolean;
    leaves?: boolean | "others";
    joins?: true;
    ends?: true;
  }
  | { kind: "client"; tty: string }
  /** Without a name: the newest buffer. */
  | { kind: "buffer"; name?: string }
  | { kind: "server" }
  | { kind: "socket"; socket: string }
  | { kind: "new-session"; name?: string }
  /** The pane of a service, if there is one. */
  | { kind: "service"; name: string }
  /** `here`: a file of this program, whichever machine the tmux server is on. */
  | { kind: "path"; path: string; list: "buffer" | "output"; here?: true };

/** Text of a call that can reach a shell, for the command filter. */
export interface ShellText {
  /**
   * `command`: complete shell text. `line`: the same, typed at a prompt. `keys`: tmux key names separated by blanks
   * (`C-c Enter`). `bytes`: characters that reach the terminal unchanged. `paste`: the same, marked as a paste for a
   * program that takes pastes. `variable`: name of a variable that is set for a shell. `format`: a tmux format that
   * is expanded. `shown`: one that tmux may expand later, on a screen. `name`: the same, for names of windows.
   * `opaque`: something that the arguments don't show.
   */
  kind: "command" | "line" | "keys" | "bytes" | "paste" | "variable" | "format" | "shown" | "name" | "opaque";
  text: string;
}

/** Progress of a call, as its caller receives it. */
export interface Progress {
  /** Seconds since the call began; must increase. */
  elapsed: number;
  /** Timeout in seconds. */
  total?: number;
  /** One line for a person. */
  message: string;
}

/** Objects in the scope of a call, for results that count or join objects and can't leave any out later. */
export interface VisibleScope {
  /** Returns the ids of the panes in scope; undefined if all are. */
  panes(): Promise<ReadonlySet<string> | undefined>;
  /** Returns rows of objects as the answer will show them. */
  rows<T extends object>(rows: readonly T[]): Promise<T[]>;
  buffer(name: string): Promise<boolean>;
  /** `host`: name of another machine. */
  socket(path: string, host: string | undefined): boolean;
  /** True if the output of programs may be shown. */
  readonly contents: boolean;
  /** True if text may be typed into a program that waits for a password. */
  readonly passwords: boolean;
  /** True if the call only reads, so what it finds must stay for others. */
  readonly only: boolean;
}

/** Services of the server, the same for every call. */
export interface ToolServices {
  watches: Watches;
  commands: Commands;
  durable: Pick<DurableState, "during" | "untilWatched" | "unfollowed" | "unfollowedOn" | "stopUnreached">;
  /** True if commands or watches read the pane's output through its pipe. */
  pipesOutput(pane: CommandPane): boolean;
  /** Size (bytes) from which a buffer is read piece by piece. */
  streamedBytes: number;
  pictures: Pictures;
  files: OutputFiles;
  recordings: Recordings;
  repls: Repls;
  handovers: Handovers;
  services: Services;
  /** Identity of this process; undefined where the system shows no process to others. */
  process: ProcessIdentity | undefined;
  /** Shows a page to the person at this machine; throws `unsupported` if that is not possible. */
  openInBrowser(path: string): Promise<void>;
}

/** The services, and what belongs to one call. */
export interface ToolContext extends ToolServices {
  tmux: Tmux;
  /** Returns the server's objects in scope: one snapshot for the whole call, shared with the policy decision. */
  snapshot(): Promise<ServerSnapshot>;
  sees: VisibleScope;
  /** Absent if the client shows no forms. */
  askPerson?: AskPerson;
  /** Absent if no other server process continues the call. */
  task?: TaskCall;
  /**
   * Returns the largest result that may be sent, or the largest of `parts` equal parts of one; `view` builds one with
   * at most `max` of something.
   */
  fit<T>(max: number, view: (max: number) => T | Promise<T>, parts?: number): Promise<T>;
  /** Cuts a value to `most` bytes, if several share a result; `omitted` says what was left out. */
  part(value: unknown, most: number): { value: unknown; omitted?: string };
  /** Makes another call, which is decided and recorded separately. Throws for an unknown tool. */
  callTool(name: string, args: Record<string, unknown>, share: AnswerShare): Promise<ToolOutcome>;
  /** Sends a picture with a structured result. */
  attach(picture: Content): void;
  /**
   * Decides on what became known only during this call, and acts on that decision. `typed` says that the call types
   * nothing more.
   * @throws {AppError} `denied`
   */
  decideOn<T>(found: FoundEffects, act: (tmux: Tmux, typed: () => void) => Promise<T>): Promise<T>;
  /** Aborted when the caller cancels or the server shuts down. */
  signal: AbortSignal;
  /** Absent if the caller sent no progressToken. */
  progress?(update: Progress): void;
}

/** Effects that a call's arguments don't show, because they are in a file that the arguments name. */
export interface FoundEffects {
  effect: Effect;
  targets: Target[];
  shellText: ShellText[];
  /** Groups of tools that do the same. */
  groups?: readonly Group[];
  /** True if text typed into one pane reaches others from then on. */
  synchronizes?: boolean;
  /** True if keys that people type in their sessions may reach something else afterwards. */
  divertsKeys?: boolean;
  /** Parameters that a setting can disable, such as `focus`. */
  parameters?: readonly string[];
}

/** A result that is not structured: plain text, or content blocks such as an image. */
export type Content =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string };

/** Part of a text, with a sentence on what is left out and how to read the rest. */
export interface TextPart {
  text: string;
  omitted?: string;
}

type InputOf<I extends z.ZodObject> = z.output<I>;
type OutputOf<O extends z.ZodObject | "text"> = O extends z.ZodObject ? z.input<O>
  : string | TextPart | Content[];

/** Room for a nested call's result: one of `parts` equal parts of the room that `beside` leaves. */
export interface AnswerShare {
  beside: unknown;
  parts: number;
}

/** Result of a call that another call made; `omitted` says what a text lacks. */
export type ToolOutcome =
  | { ok: true; result: Record<string, unknown> | string; omitted?: string; pictures?: Content[] }
  | { ok: false; error: { code: string; message: string; hint?: string; retryable: boolean } };

export interface ToolDeclaration<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject | "text" = z.ZodObject | "text",
> {
  name: string;
  /** Absent: its name as a sentence, `Wait for text` for `wait-for-text`. */
  title?: string;
  /** First sentence: what the tool does; then when to use a related tool instead. */
  description: string;
  /** Scopes that show it, in addition to "all"; absent: only "primitives". */
  scope?: "agentic" | "both";
  groups: readonly Group[];
  effect: Effect;
  /** Effect in the annotations, if calls that the tool makes may have a stronger effect than its own. */
  announcedEffect?: Effect;
  input: I;
  /** Input in read-only mode, without the parameters whose values amount to more than reading. */
  readOnlyInput?: z.ZodObject;
  /** Schema of the result object, or `"text"` for a tool that returns plain text or content blocks. */
  output: O;
  targets(args: InputOf<I>): Target[];
  /** Effect of one particular call if it differs from `effect` (never a smaller one than policy may assume). */
  effectOf?(args: InputOf<I>): Effect;
  shellText?(args: InputOf<I>): ShellText[];
  /** True if text typed into one of its target panes reaches the others afterwards. */
  synchronizes?(args: InputOf<I>): boolean;
  /** True if keys that people type in its session may reach something else; tools of the group `move` may all do that. */
  divertsKeys?(args: InputOf<I>): boolean;
  /** Names of the buffers that this call makes ours: new ones, and those that are ours already (`owns`). */
  madeBuffers?(args: InputOf<I>, owns: (name: string) => boolean): string[];
  /** Its calls may wait: a client that supports tasks gets one for a call that does not end soon. */
  waits?: true;
  /** Another server process can continue its calls; a call becomes a task only once it has said how to continue it. */
  continues?: true;
  /** Clients that defer loading tools load this one at once. */
  alwaysLoad?: boolean;
  /** URI of the page (an MCP App) that a capable client renders for the result. */
  view?: string;
  /** Number of characters of a result that a client may pass on uncut; absent: 200,000 of a tool with `readsOn`. */
  maxResultSizeChars?: number;
  /** Sentence that names the call which reads the rest of a cut result. */
  readsOn?: string;
  run(args: InputOf<I>, context: ToolContext): Promise<OutputOf<O>> | OutputOf<O>;
}

/** A declaration without its argument types, as the registry holds it. */
// deno-lint-ignore no-explicit-any -- argument types are checked where the tool is declared
export type Tool = ToolDeclaration<any, any>;

export function defineTool<I extends z.ZodObject, O extends z.ZodObject | "text">(
  declaration: ToolDeclaration<I, O>,
): ToolDeclaration<I, O> {
  return declaration;
}
