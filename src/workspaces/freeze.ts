// Writes a session as a workspace: the windows, panes, layouts and folders from which tmuxp recreates it.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { isRestorable } from "../tmux/layout.ts";
import { isPlainWindowName, plainSessionName } from "../tmux/names.ts";
import type { Pane } from "../tmux/objects/panes.ts";
import type { Window } from "../tmux/objects/windows.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Watches } from "../watch/watches.ts";

interface WorkspacePane {
  start_directory?: string;
  /** Absent for a shell at its prompt. */
  shell_command?: string[];
  focus?: true;
}

interface WorkspaceWindow {
  /** Absent if no window can be given the name. */
  window_name?: string;
  window_index: number;
  /** Absent if tmux would not take it. */
  layout?: string;
  /** Folder of all panes, if they share one. */
  start_directory?: string;
  focus?: true;
  panes: (WorkspacePane | null)[];
}

/** A session in tmuxp's format. */
export interface Workspace {
  session_name: string;
  windows: WorkspaceWindow[];
}

/** Texts that PyYAML, and so tmuxp, does not read without quotes. */
const QUOTED = /^(?:=|<<)$|[\p{Cc}\u2028\u2029\ufffe\uffff]/u;
/** Characters that YAML takes only as escapes in quotes, but JSON as they are. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufffe\uffff]/g;

const MERGE_TAG = "tag:yaml.org,2002:merge";

/** Writes a workspace as YAML that both 1.1 and PyYAML read. */
export async function toYaml(workspace: Workspace): Promise<string> {
  const { Document, visit } = await import("yaml");
  const document = new Document(workspace, {
    version: "1.1",
    // The tag of `<<` writes it without quotes.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || tag.tag !== MERGE_TAG),
  });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && QUOTED.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  const text = document.toString({ lineWidth: 0 });
  return text.replace(ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Reads a session; `inScope` are the ids of the panes that the client may see, undefined if it may see all.
 * @throws {AppError} `not-found` for a missing session
 */
export async function freeze(session: string, { tmux, watches, inScope }: {
  tmux: Tmux;
  watches: Watches;
  inScope: ReadonlySet<string> | undefined;
}): Promise<Workspace> {
  const { id, name } = await tmux.sessions.info(session);
  const list = async (): Promise<Pane[]> =>
    (await tmux.panes.list({ sessionId: id })).filter((pane) => inScope?.has(pane.id) ?? true);
  const listed = await list();
  const programs = new Map(
    await Promise.all(
      listed.map(async (pane) => [pane.id, await programOf(pane, { tmux, watches })] as const),
    ),
  );
  // Until its program has begun, tmux doesn't know a pane's folder.
  const [windows, panes] = await Promise.all([tmux.windows.list(id), list()]);
  return {
    session_name: plainSessionName(name),
    windows: windows.filter(({ id }) => panes.some(({ windowId }) => windowId === id))
      .map((window) => frozenWindow(window, panes, programs)),
  };
}

function frozenWindow(
  window: Window,
  all: readonly Pane[],
  programs: ReadonlyMap<string, string | undefined>,
): WorkspaceWindow {
  const panes = all.filter(({ windowId }) => windowId === window.id);
  const [first] = panes;
  const shared = panes.every(({ currentPath }) => currentPath === first?.currentPath)
    ? first?.currentPath || undefined
    : undefined;
  return {
    ...(isPlainWindowName(window.name) && { window_name: window.name }),
    window_index: window.index,
    // The layout doesn't fit the remaining panes if one is out of scope.
    ...(panes.length === window.panes && isRestorable(window.layout) && { layout: window.layout }),
    ...(shared !== undefined && { start_directory: shared }),
    ...(window.active && { focus: true as const }),
    panes: panes.map((pane) => {
      const program = programs.get(pane.id);
      const folder = shared === undefined ? pane.currentPath : "";
      const frozen: WorkspacePane = {
        ...(folder !== "" && { start_directory: folder }),
        ...(program !== undefined && { shell_command: [program] }),
        ...(pane.active && panes.length > 1 && { focus: true as const }),
      };
      return Object.keys(frozen).length === 0 ? null : frozen;
    }),
  };
}

/** The pane's program other than its shell; undefined for a dead pane. */
async function programOf(pane: Pane, { tmux, watches }: { tmux: Tmux; watches: Watches }): Promise<
  string | undefined
> {
  const { isAlive, shell, foregroundPid, panePid, foregroundCmd } = await watches.state(tmux, pane.id);
  const isShell = shell !== undefined && foregroundPid === panePid;
  // tmux 3.2 may still show the previous program.
  return !isAlive || isShell ? undefined : foregroundCmd || pane.currentCommand;
}
