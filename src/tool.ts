// The one declaration of a tool, and the context of its handler. No behaviour.
import type * as z from "zod";
import type { ServerSnapshot } from "./tmux/server_snapshot.ts";
import type { Tmux } from "./tmux/tmux.ts";
import type { OutputFiles } from "./terminal/output_files.ts";
import type { Pictures } from "./terminal/pictures/pictures.ts";
import type { Services } from "./services/services.ts";
import type { Commands } from "./watch/commands/commands.ts";
import type { DurableState } from "./watch/durable/durable_state.ts";
import type { TaskCall } from "./watch/durable/task_call.ts";
import type { AskPerson, Handovers } from "./watch/handover/handovers.ts";
import type { Recordings } from "./watch/recordings.ts";
import type { Repls } from "./watch/repls/repls.ts";
import type { Watches } from "./watch/watches.ts";

/** Effect of running a tool; tier, annotations and visibility derive from it. */
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
  | { kind: "session"; id: string }
  /** `movesTo`: the session, by id or name, that it moves to. */
  | { kind: "window"; id: string; movesTo?: string }
  | { kind: "window-index"; session: string; index: number }
  /**
   * `seen`: the caller has proof that it was there, so that it is not is its end. `leaves`: it may leave its window;
   * `joins`: it does, and its window ends where it was the only pane.
   */
  | { kind: "pane"; id: string; seen?: boolean; leaves?: boolean; joins?: true }
  | { kind: "client"; tty: string }
  /** Without a name: whichever is the newest. */
  | { kind: "buffer"; name?: string }
  | { kind: "server" }
  | { kind: "socket"; socket: string }
  | { kind: "new-session"; name?: string }
  /** The pane of a service, where there is one. */
  | { kind: "service"; name: string }
  /** `here`: this program's own file, whichever machine the tmux server is on. */
  | { kind: "path"; path: string; list: "buffer" | "output"; here?: true };

/** Text of a call that can reach a shell, for the command filter. */
export interface ShellText {
  /**
   * `command`: whole shell text. `keys`: tmux key names between blanks (`C-c Enter`). `bytes`: characters that reach
   * the terminal as they are. `variable`: the name of a variable set for a shell. `format`: a tmux format that is
   * expanded. `shown`: one that tmux may expand later, in a name or on a screen. `opaque`: something that cannot be known from the arguments.
   */
  kind: "command" | "keys" | "bytes" | "variable" | "format" | "shown" | "opaque";
  text: string;
}

/** Progress of a call, as its caller receives it. */
export interface Progress {
  /** Seconds since the call began; must increase. */
  elapsed: number;
  /** The timeout in seconds. */
  total?: number;
  /** One line for a person. */
  message: string;
}

/** Objects in scope of a call, for answers that count or join objects and can't leave any out later. */
export interface VisibleScope {
  /** Ids of the panes in scope; undefined where all are. */
  panes(): Promise<ReadonlySet<string> | undefined>;
  buffer(name: string): Promise<boolean>;
  socket(path: string): boolean;
  /** True if the output of programs may be shown. */
  readonly contents: boolean;
  /** True if it only reads: what it finds must stay for others. */
  readonly only: boolean;
}

/** Services of the server, the same for every call. */
export interface ToolServices {
  watch: Watches;
  commands: Commands;
  durable: Pick<DurableState, "during" | "untilWatched">;
  /** From this size on a buffer is read piece by piece. */
  streamedBytes: number;
  pictures: Pictures;
  files: OutputFiles;
  recordings: Recordings;
  repls: Repls;
  handovers: Handovers;
  services: Services;
  /** Shows a page to the person at this machine; throws `unsupported` where that cannot be. */
  openInBrowser(path: string): Promise<void>;
}

/** The services, and what belongs to one call. */
export interface ToolContext extends ToolServices {
  /** The tmux server this call is for. */
  tmux: Tmux;
  /** The server's objects in scope: one snapshot for the whole call, shared with the policy decision. */
  snapshot(): Promise<ServerSnapshot>;
  sees: VisibleScope;
  /** Absent where the client shows no forms. */
  askPerson?: AskPerson;
  /** Absent where no other server process continues the call. */
  task?: TaskCall;
  /** The largest answer that may be sent, of a `view` that can make it of at most `max` of something. */
  fit<T>(max: number, view: (max: number) => T | Promise<T>): Promise<T>;
  /** A value cut to `most` bytes, to share an answer with others, and what was left out of it. */
  part(value: unknown, most: number): { value: unknown; omitted?: string };
  /** Makes another call, which is decided and recorded on its own. @throws {AppError} for an unknown tool */
  callTool(name: string, args: Record<string, unknown>): Promise<ToolOutcome>;
  /** Sends a picture beside a structured answer. */
  attach(picture: Content): void;
  /** Decides on what became known only during this call, and acts on that decision. @throws {AppError} `denied` */
  decideOn<T>(found: FoundEffects, act: (tmux: Tmux) => Promise<T>): Promise<T>;
  /** Aborted when the caller cancels or the server shuts down. */
  signal: AbortSignal;
  /** Absent when the caller sent no progressToken. */
  progress?(update: Progress): void;
}

/** Effects that a call's arguments don't show, because they name a file that does. */
export interface FoundEffects {
  effect: Effect;
  targets: Target[];
  shellText: ShellText[];
  /** Groups of tools that do the same. */
  groups: readonly Group[];
  /** True if what is typed into one pane reaches others from then on. */
  synchronizes?: boolean;
}

/** An answer that is not structured: plain text, or content blocks such as an image. */
export type Content =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string };

/** TextPart of a text, and a sentence on what is left out and how to read on. */
export interface TextPart {
  text: string;
  omitted?: string;
}

type InputOf<I extends z.ZodObject> = z.output<I>;
type OutputOf<O extends z.ZodObject | "text"> = O extends z.ZodObject ? z.input<O>
  : string | TextPart | Content[];

/** Result of a call that another call made. */
export type ToolOutcome =
  | { ok: true; result: Record<string, unknown> | string; pictures?: Content[] }
  | { ok: false; error: { code: string; message: string; hint?: string; retryable: boolean } };

export interface ToolDeclaration<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject | "text" = z.ZodObject | "text",
> {
  name: string;
  title: string;
  /** First sentence what it does, then when to use a neighbour instead. */
  description: string;
  /** 1: tmux primitives, 2: agent workflows. */
  layer: 1 | 2;
  /** True if the default scope shows it. */
  agentic: boolean;
  groups: readonly Group[];
  effect: Effect;
  /** The effect in the annotations, if the calls that a tool makes may have a graver one than its own. */
  announcedEffect?: Effect;
  input: I;
  /** Input in read-only mode, without the parameters whose values count as more than reading. */
  readOnlyInput?: z.ZodObject;
  /** The result object's schema, or `"text"` for a tool that answers plain text or content blocks. */
  output: O;
  targets(args: InputOf<I>): Target[];
  /** The effect of one particular call where it differs from `effect` (never a smaller one than policy may assume). */
  effectOf?(args: InputOf<I>): Effect;
  shellText?(args: InputOf<I>): ShellText[];
  /** True if text typed into one of its target panes then reaches the others. */
  synchronizes?(args: InputOf<I>): boolean;
  /** Names of buffers that are ours after this call if they are new or were before, which `owns` says. */
  madeBuffers?(args: InputOf<I>, owns: (name: string) => boolean): string[];
  /** Its calls may wait for something: a client that takes tasks gets one for a call that isn't over soon. */
  waits?: true;
  /** Clients that defer tools load this one at once. */
  alwaysLoad?: boolean;
  /** URI of the page (an MCP App) that a client which can renders for the answer. */
  view?: string;
  /** Characters of answer a client may pass on uncut. */
  maxResultSizeChars?: number;
  /** A sentence that names the call which reads the rest of a cut answer. */
  readsOn?: string;
  run(args: InputOf<I>, context: ToolContext): Promise<OutputOf<O>> | OutputOf<O>;
}

/** A declaration with its argument types forgotten, as the registry holds it. */
// deno-lint-ignore no-explicit-any -- argument types are checked where the tool is declared
export type Tool = ToolDeclaration<any, any>;

/** Declares one tool. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject | "text">(
  declaration: ToolDeclaration<I, O>,
): ToolDeclaration<I, O> {
  return declaration;
}
