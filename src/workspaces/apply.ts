// Creates the missing parts of a workspace, keeps existing ones, and types the commands of new panes.
import { AppError, isGone } from "../errors.ts";
import { checkSessionName, checkWindowName } from "../tmux/names.ts";
import { checkLayout } from "../tmux/layout.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { markUnfinished, temporaryName, unmarkFinished } from "../tmux/unfinished_sessions.ts";
import { listWorkspacePanes } from "../tmux/workspace_panes.ts";
import { compileRegex } from "../regex.ts";
import { isAtPrompt, type ReadyPane, startPane, type WorkspaceCall } from "./start.ts";
import { MadeParts, Raced, Undecided } from "./made_parts.ts";
import { applyOption, type Arrange, joinOthers, type PlacedWindow, Structure } from "./structure.ts";
import { runBeforeScript } from "./before_script.ts";
import { finishPane, leaveLines, resumePanes } from "./unfinished_panes.ts";
import { matchWorkspace } from "./matching.ts";
import type { DescribedSession } from "./workspace.ts";
import { bestEffort, handledLater } from "../promises.ts";
import { delay } from "../timer.ts";

export interface AppliedPane extends Partial<ReadyPane> {
  paneId: string;
  status: "made" | "found";
}

export interface AppliedWorkspace {
  sessionId: string;
  sessionName: string;
  /** True if the session is new. */
  created: boolean;
  /** False if a pane with a readiness isn't ready. */
  ready: boolean;
  windows: { windowId: string; windowName?: string; panes: AppliedPane[] }[];
}

interface Built {
  sessionId: string;
  created: boolean;
  windows: PlacedWindow[];
}

/** Time (ms) for attempts: if several calls create the same workspace at once, all but one try again. */
const RACING_MS = 5000;
/** Longest pause (ms) after an attempt: without one, calls that fail at once hinder the one that creates. */
const PAUSE_MS = 50;

/** Decides on a call, given the sessions that are there, and acts on the decision. */
type Decide = <T>(
  sessions: readonly { name: string }[],
  act: (call: WorkspaceCall) => Promise<T>,
) => Promise<T>;

/**
 * Applies a workspace, and decides again if its session has come or gone meanwhile.
 * @throws {AppError} as the decision does; before anything is created, for invalid names, folders, layouts and patterns
 */
export async function applyDecided(
  described: DescribedSession,
  { tmux, signal }: Pick<WorkspaceCall, "tmux" | "signal">,
  decide: Decide,
): Promise<AppliedWorkspace> {
  for (const until = performance.now() + RACING_MS;;) {
    try {
      return await decide(await tmux.sessions.list(), (call) => applySession(described, call));
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      if (performance.now() > until) throw raced(described);
    }
    await delay(Math.random() * PAUSE_MS, signal);
  }
}

async function applySession(described: DescribedSession, call: WorkspaceCall): Promise<AppliedWorkspace> {
  const session = await checkWorkspace(described, call.tmux);
  const { sessionId, created, windows } = await build(session, call);
  const ready = await start(windows, call);
  return {
    sessionId,
    sessionName: session.name,
    created,
    ready: ready.flat().every((each) => each?.ready !== false),
    windows: windows.map(({ windowId, name, panes }, at) => ({
      windowId,
      ...(name !== undefined && { windowName: name }),
      panes: panes.map(({ paneId, made }, pane) => ({
        paneId,
        status: made ? "made" as const : "found" as const,
        ...ready[at]![pane],
      })),
    })),
  };
}

/** Types what the panes lack, and returns their readiness. */
async function start(
  windows: readonly PlacedWindow[],
  call: WorkspaceCall,
): Promise<(ReadyPane | undefined)[][]> {
  const { tmux, signal, isDead } = call;
  const settled: Promise<unknown>[] = [];
  try {
    await resumePanes(tmux, windows, { isDead, isAtPrompt: (paneId) => isAtPrompt(paneId, call) });
    const startCall = { ...call, snapshot: await tmux.snapshot() };
    const started = windows.map(({ panes }) => panes.map((pane) => startPane(pane, startCall)));
    settled.push(...started.flat().map(({ ready }) => ready));
    const answers = Promise.all(started.map((panes) => Promise.all(panes.map(({ ready }) => ready))));
    // Report a failure only after waiting for every window.
    handledLater(answers);
    for (const [at, window] of windows.entries()) {
      await Promise.all(started[at]!.map(({ typed }) => typed));
      signal.throwIfAborted();
      await finish(window, call);
    }
    call.typed?.();
    return await answers;
  } catch (error) {
    await Promise.allSettled(settled);
    await leave(windows, { ...call, tmux: tmux.unbound });
    throw error;
  }
}

/** Checks the workspace, and returns it with absolute paths of its folders. */
async function checkWorkspace(session: DescribedSession, tmux: Tmux): Promise<DescribedSession> {
  await checkSessionName(tmux, session.name, { starts: true });
  const version = await tmux.machine.version();
  for (const { name, layout, panes } of session.windows) {
    if (name !== undefined) await checkWindowName(tmux, name, { starts: true });
    if (layout !== undefined) checkLayout(layout, version);
    for (const { ready } of panes) if (ready?.pattern !== undefined) await compileRegex(ready.pattern);
  }
  const known = new Map<string, Promise<string>>();
  const folderAt = async (where: string, path: string | undefined) => {
    if (path === undefined) return {};
    if (!known.has(path)) known.set(path, existingFolder(tmux, { where, path }));
    return { startDirectory: await known.get(path)! };
  };
  const windows = [];
  for (const window of session.windows) {
    const panes = [];
    for (const pane of window.panes) {
      panes.push({ ...pane, ...await folderAt(pane.where, pane.startDirectory) });
    }
    windows.push({ ...window, panes });
  }
  return { ...session, ...await folderAt("", session.startDirectory), windows };
}

async function existingFolder(tmux: Tmux, { where, path }: { where: string; path: string }): Promise<string> {
  const folder = await tmux.machine.folder(path);
  if (folder !== undefined) return folder;
  const key = where === "" ? "start_directory" : `start_directory of ${where}`;
  throw new AppError("invalid-argument", `Cannot start in "${path}" (${key}): there is no such folder`, {
    hint: "Create the folder first, or give the path of one that exists; nothing was created",
  });
}

async function build(session: DescribedSession, call: WorkspaceCall): Promise<Built> {
  const made = new MadeParts();
  try {
    for (const until = performance.now() + RACING_MS;;) {
      const built = await buildOnce(session, call, made).catch((error: unknown) => {
        if (!(error instanceof Raced)) throw error;
        if (performance.now() > until) throw raced(session);
      });
      if (built !== undefined) return built;
      await delay(Math.random() * PAUSE_MS, call.signal);
    }
  } catch (error) {
    await made.undo(call.tmux);
    throw error;
  }
}

function raced({ name }: DescribedSession): AppError {
  return new AppError("busy", `Cannot create workspace "${name}": another call is creating it`, {
    hint: "Call apply-workspace again",
  });
}

async function buildOnce(session: DescribedSession, call: WorkspaceCall, made: MadeParts): Promise<Built> {
  const found = (await call.tmux.sessions.list()).find(({ name }) => name === session.name);
  if ((found !== undefined) !== call.isThere) throw new Undecided();
  if (found === undefined) return await buildNew(session, call);
  const { id: sessionId } = found;
  try {
    const windows = await made.step(call.tmux, buildInto(session, call, { sessionId, made }));
    await checkFound(call.tmux, sessionId, windows);
    return { sessionId, created: false, windows };
  } catch (error) {
    // Another call may be about to remove a pane that was found.
    throw isGone(error) ? new Raced() : error;
  }
}

/** Checks the found panes: a call that creates the same workspace removes its surplus panes, and one may be among them. */
async function checkFound(tmux: Tmux, sessionId: string, windows: readonly PlacedWindow[]): Promise<void> {
  const standing = new Set((await listWorkspacePanes(tmux, sessionId)).map(({ paneId }) => paneId));
  const found = windows.flatMap(({ panes }) => panes.filter(({ made }) => !made));
  if (found.some(({ paneId }) => !standing.has(paneId))) throw new Raced();
}

/** Builds a new session, under a temporary name until it is complete, so that nobody finds half a workspace. */
async function buildNew(session: DescribedSession, call: WorkspaceCall): Promise<Built> {
  const { tmux } = call;
  const { sessionId, windowId, paneId } = await tmux.sessions.create({
    name: temporaryName(),
    startDirectory: session.startDirectory,
  });
  const made = new MadeParts();
  try {
    await markUnfinished(tmux, sessionId);
    if (session.beforeScript !== undefined) await runBeforeScript(session.beforeScript, paneId, call);
    const building = buildInto(session, call, { sessionId, made, firstWindow: windowId });
    const windows = await made.step(tmux, building);
    // With renumber-windows on, kill-window would renumber the others. A hook may have linked it into another session.
    await tmux.runUntilMissing([["unlink-window", "-k", "-t", `${sessionId}:${windowId}`]]);
    await tmux.runUntilMissing([["kill-window", "-t", windowId]]);
    await made.step(tmux, takeName(tmux, sessionId, session.name));
    await bestEffort(unmarkFinished(tmux.unbound, sessionId));
    return { sessionId, created: true, windows };
  } catch (error) {
    // The call that made the workspace first has set the same options.
    if (!(error instanceof Raced)) await made.restoreGlobals(tmux);
    // The session may have ended by itself; report the original error.
    await bestEffort(tmux.unbound.sessions.kill(sessionId));
    throw error;
  }
}

async function takeName(tmux: Tmux, sessionId: string, name: string): Promise<void> {
  try {
    await tmux.sessions.rename(sessionId, name);
  } catch (error) {
    const isTaken = (await tmux.sessions.list()).some((each) => each.name === name);
    throw isTaken ? new Raced() : error;
  }
}

async function buildInto(
  session: DescribedSession,
  { tmux, checkScope, decideOnLayout }: WorkspaceCall,
  { sessionId, made, firstWindow }: { sessionId: string; made: MadeParts; firstWindow?: string },
): Promise<PlacedWindow[]> {
  const isNew = firstWindow !== undefined;
  const matched = await matchWorkspace(tmux, { session, sessionId: isNew ? undefined : sessionId });
  await checkScope(
    matched.flatMap(({ panes, beside }) => [...panes.map(({ paneId }) => paneId), beside])
      .filter((paneId) => paneId !== undefined).filter((paneId) => !made.panes.has(paneId)),
  );
  const snapshot = await tmux.snapshot();
  const arrange: Arrange = async (windowId, layout) => {
    const select = (tmux: Tmux) => tmux.windows.selectLayout(windowId, layout, snapshot);
    return await (made.windows.has(windowId) ? select(tmux) : decideOnLayout(windowId, select));
  };
  const structure = new Structure(tmux, { sessionId, session, arrange, made });
  await structure.prepare(firstWindow);
  const windows = await structure.build(matched);
  await structure.focus(windows, session, isNew);
  return windows;
}

/** Leaves the panes of a call that was cut short to a later one, which types what is missing. */
async function leave(windows: readonly PlacedWindow[], call: WorkspaceCall): Promise<void> {
  for (const window of windows) {
    for (const pane of window.panes) if (pane.made) await leaveLines(pane, call.tmux);
    await bestEffort(finish(window, call));
  }
}

/** Sets the options of a new window that must wait until everything is typed. */
async function finish(window: PlacedWindow, { tmux, decideOnOption }: WorkspaceCall): Promise<void> {
  const { windowId, made, lacksOptions, optionsAfter, panes } = window;
  try {
    if (!made) { for (const pane of panes) if (pane.made) await joinOthers(tmux, pane.paneId); }
    for (const option of made || lacksOptions ? optionsAfter : []) {
      const set = (decided = tmux) => applyOption(decided, option, windowId);
      await (made ? set() : decideOnOption(windowId, option, set));
    }
  } finally {
    // If this process dies before that, a later call sets the options.
    await Promise.all(panes.map((pane) => finishPane(pane, tmux)));
  }
}
