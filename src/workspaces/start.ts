// Types the commands of new panes, and waits until those with a readiness are ready.
import { endOf } from "../excerpt.ts";
import { delay, pollUntil, secondsUntil } from "../timer.ts";
import { AppError, inMode, isGone } from "../errors.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { refuseLongLines } from "../tmux/typing/long_lines.ts";
import type { Commands } from "../commands/commands.ts";
import type { WatchResult } from "../watch/inbox.ts";
import { settled } from "../promises.ts";
import { compileRegex } from "../regex.ts";
import { type WatchSource, whenBegun } from "../watch/watch_source.ts";
import { readActivity } from "../watch/pane_activity.ts";
import { readyTriggers } from "../watch/triggers.ts";
import type { Watches } from "../watch/watches.ts";
import type { PlacedPane } from "./structure.ts";
import { pastesTabs } from "./typed_tabs.ts";
import { leaveLines, noteLine, noteLines } from "./unfinished_panes.ts";
import type { DescribedOption, DescribedShell, Readiness, TypedLine } from "./workspace.ts";

export interface WorkspaceCall {
  tmux: Tmux;
  /** True if the decision on the call was made on a session that is there. */
  isThere: boolean;
  watches: Watches;
  commands: Commands;
  signal: AbortSignal;
  /** Rejects with `denied` if a pane that was found is out of scope. */
  checkScope(paneIds: readonly string[]): Promise<void>;
  /** Runs `set` for an option of a found window; rejects if that would synchronize panes that must not be. */
  decideOnOption(id: string, option: DescribedOption, set: (decided?: Tmux) => Promise<void>): Promise<void>;
  /** Runs `arrange` for a found window; rejects if its panes must not be moved. */
  decideOnLayout(id: string, arrange: (tmux: Tmux) => Promise<unknown>): Promise<unknown>;
  isDead(processStamp: string): boolean;
  /** Called once all lines are typed; some panes may not be ready yet. */
  typed?(): void;
  /** Time of `performance.now()` until which panes that set no `timeout` are waited for. */
  until: number;
  /** True if a line may be typed while a program waits for a password. */
  typesPasswords: boolean;
}

/** The same, with the snapshot on which lines are typed. */
interface StartCall extends WorkspaceCall {
  snapshot: ServerSnapshot;
}

/** Result of waiting for a pane to be ready. */
export interface ReadyPane {
  ready: boolean;
  /** Event that happened instead. */
  event?: string;
  detail?: string;
  output?: string;
  commandId?: string;
}

/** Time for a new program to wait for its first input, if it takes any (ms). */
const FIRST_INPUT_MS = 5000;
const POLL_MS = 25;
const MAX_OUTPUT_CHARS = 400;
const ENDED = "Its program has ended";
const HELD =
  "Lines are left to type, but its shell is not at its prompt: call apply-workspace again once it is";
const OTHER_EVENTS = ["exit", "error", "user_input"];

/** Starts a pane's commands. `typed` settles when all are typed, `ready` when the pane is ready or never will be. */
export function startPane(
  pane: PlacedPane,
  call: StartCall,
): { typed: Promise<void>; ready: Promise<ReadyPane | undefined> } {
  const typed = Promise.withResolvers<void>();
  const ready = (pane.made ? startMade(pane, call, typed.resolve) : waitForFound(pane, call))
    .finally(() => typed.resolve());
  if (!pane.made) typed.resolve();
  return { typed: typed.promise, ready };
}

async function startMade(
  pane: PlacedPane,
  call: StartCall,
  typed: () => void,
): Promise<ReadyPane | undefined> {
  try {
    return await startLines(pane, call, typed);
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    if (isGone(error)) return { ready: false, event: "exit", detail: ENDED };
    await leaveLines(pane, call.tmux.unbound);
    if (pane.described.ready === undefined) throw error;
    return { ready: false, event: error.code, detail: error.message };
  }
}

async function startLines(
  pane: PlacedPane,
  call: StartCall,
  typed: () => void,
): Promise<ReadyPane | undefined> {
  const { described, paneId } = pane;
  const { ready, suppressHistory, shell } = described;
  const lines = described.lines.slice(pane.typed);
  const space = suppressHistory && shell === undefined ? " " : "";
  if (lines.length > 0) await waitForProgram(paneId, call);
  const watched = ready ? lastLines(lines) : [];
  let begun = "";
  for (const line of lines.slice(0, lines.length - watched.length)) {
    const text = begun === "" ? space + line.text : line.text;
    await typeLine(pane, { ...line, text, begun }, call);
    begun = line.enter ? "" : begun + text;
  }
  if (ready === undefined) return undefined;
  return await startWatched({ pane, ready, lines: watched, space, shell }, call, typed);
}

/** The last commands that have no pause between them. One that is begun by a piece before it isn't among them. */
function lastLines(lines: readonly TypedLine[]): TypedLine[] {
  const paused = lines.findLastIndex(({ sleepAfter, enter }, at) =>
    (lines[at + 1]?.sleepBefore ?? 0) > 0 || (at < lines.length - 1 && (sleepAfter > 0 || !enter))
  );
  return lines.slice(lines[paused]?.enter === false ? paused + 2 : paused + 1);
}

async function startWatched(
  { pane, ready, lines, space, shell }: {
    pane: PlacedPane;
    ready: Readiness;
    lines: readonly TypedLine[];
    space: string;
    shell: DescribedShell | undefined;
  },
  call: StartCall,
  typed: () => void,
): Promise<ReadyPane> {
  const { tmux, watches, commands, signal } = call;
  const { paneId } = pane;
  const timeout = timeoutOf(ready, call);
  const inShell = shell === undefined && lines.length > 0;
  if (inShell && lines[0]!.sleepBefore > 0) await pause(lines[0]!.sleepBefore, signal);
  if (inShell) await waitForProgram(paneId, call);
  const command = lines.map(({ text }) => text).join("\n");
  const source = inShell
    ? await commands.source({
      ...{ tmux, paneId, command, timeout, signal },
      keepHistory: space === "",
      isNewShell: true,
      typing: () => noteLines(pane, tmux),
    })
    : await watches.paneSource(tmux, [paneId]);
  const begun = whenBegun(source, async () => {
    if (!inShell) { for (const line of lines) await typeLine(pane, { ...line, begun: "" }, call); }
    pane.typed = pane.described.lines.length;
    typed();
  });
  let beginning: ReturnType<WatchSource["begin"]> | undefined;
  const followed: WatchSource = { ...begun, begin: (...args) => beginning = begun.begin(...args) };
  try {
    if (!inShell) return await waitUntilReady(followed, { paneId, ready }, call);
    return readyOf(ready, await watches.run(followed, await requestOf(ready, call), signal));
  } finally {
    // A cancelled watch is over while its lines are still being typed, and they must not be left to a later call.
    await settled(beginning);
  }
}

/** Waits for an existing pane, which may already be ready. */
async function waitForFound(
  { described, paneId, dead, held, place }: PlacedPane,
  call: StartCall,
): Promise<ReadyPane | undefined> {
  const { ready } = described;
  if (held) return { ready: false, detail: HELD };
  if (ready === undefined) return undefined;
  if (dead) return { ready: false, detail: ENDED };
  if (await isReady(paneId, ready, call)) return { ready: true };
  const { tmux, watches } = call;
  const age = place === undefined ? Infinity : Date.now() - place.since;
  if (age > FIRST_INPUT_MS && !await runsProgram(paneId, call)) {
    return { ready: false, detail: "Its shell is at the prompt: nothing runs there" };
  }
  return await waitUntilReady(await watches.paneSource(tmux, [paneId]), { paneId, ready }, call);
}

/** Waits for a followed pane, which may already be ready. */
async function waitUntilReady(
  source: WatchSource,
  { paneId, ready }: { paneId: string; ready: Readiness },
  call: StartCall,
): Promise<ReadyPane> {
  const { watches, signal } = call;
  const whenFollowing = (): Promise<boolean> => isReady(paneId, ready, call);
  const result = await watches.wait(source, await requestOf(ready, call), { signal, whenFollowing });
  return result === undefined ? { ready: true } : readyOf(ready, result);
}

async function isReady(
  paneId: string,
  { pattern, port }: Readiness,
  { tmux, watches }: StartCall,
): Promise<boolean> {
  if (port !== undefined) {
    const { listening = [] } = await watches.state(tmux, paneId, { ports: true });
    if (listening.some((each) => each.port === port)) return true;
  }
  if (pattern === undefined) return false;
  const test = await compileRegex(pattern);
  return (await tmux.capture.lines(paneId)).some((line) => test.test(line));
}

async function requestOf(ready: Readiness, call: StartCall) {
  const { tmux, watches } = call;
  const triggers = await watches.triggers([...readyTriggers(ready), ...OTHER_EVENTS]);
  return { tmux, triggers, timeout: timeoutOf(ready, call) };
}

/** Seconds to wait for a pane to be ready. */
function timeoutOf({ timeout }: Readiness, { until }: StartCall): number {
  return timeout ?? secondsUntil(until);
}

function readyOf(wanted: Readiness, { event, detail, output, commandId }: WatchResult): ReadyPane {
  const id = commandId === undefined ? {} : { commandId };
  if (readyTriggers(wanted).includes(event)) return { ready: true, ...id };
  const last = endOf(output.trimEnd(), MAX_OUTPUT_CHARS);
  return { ready: false, event, detail, ...(last !== "" && { output: last }), ...id };
}

/** Waits until the program in a new pane takes input, because text typed earlier would be shown twice. */
async function waitForProgram(paneId: string, { tmux, watches, signal }: WorkspaceCall): Promise<void> {
  await pollUntil(async () => {
    const { isAlive, waitingForInput } = await watches.state(tmux, paneId);
    return !isAlive || waitingForInput;
  }, { ms: FIRST_INPUT_MS, pauseMs: POLL_MS, signal });
}

/** False if the pane's shell is at its prompt, or the pane is dead. */
async function runsProgram(paneId: string, { tmux, commands }: WorkspaceCall): Promise<boolean> {
  return (await readActivity(tmux, paneId, { prompts: commands.prompts.of(tmux.machine) })).runsProgram();
}

/** True once the pane's shell, which may have begun just now, is at its prompt; false if anything else runs there. */
export async function isAtPrompt(paneId: string, call: WorkspaceCall): Promise<boolean> {
  await waitForProgram(paneId, call);
  return !await runsProgram(paneId, call);
}

/** Types a line, or the next piece of one that is begun, whole, or not at all if the call has been cancelled. */
async function typeLine(
  pane: PlacedPane,
  { text, begun, enter, sleepBefore, sleepAfter }: TypedLine & { begun: string },
  call: StartCall,
): Promise<void> {
  const { tmux, watches, snapshot, signal } = call;
  const { paneId } = pane;
  await pause(sleepBefore, signal);
  const hasTab = text.includes("\t");
  if (hasTab) await waitForProgram(paneId, call);
  await checkTakesLine(pane, call);
  await refuseLongLines(paneId, begun + text, () => watches.inspect(tmux, paneId));
  const { input } = tmux.outlivingCall();
  const noting = noteLine(pane, tmux);
  if (hasTab && await pastesTabs(paneId, call)) {
    await input.paste(paneId, text, { snapshot, bracketed: true, enter, noting });
  } else await input.type(paneId, { text }, { snapshot, enter, noting });
  pane.typed++;
  await pause(sleepAfter, signal);
}

/** @throws {AppError} `busy` or `denied` if the pane is no longer as it was when the call was allowed */
async function checkTakesLine(
  { paneId }: PlacedPane,
  { tmux, watches, typesPasswords }: StartCall,
): Promise<void> {
  const name = `pane "${paneId}"`;
  const pane = (await tmux.snapshot()).panes.find((each) => each.paneId === paneId);
  if (pane !== undefined && pane.mode !== "") throw inMode(name, pane.mode);
  if (pane?.handedOver) throw unsent("busy", `into ${name}: a person is answering there`);
  if (typesPasswords || (await watches.state(tmux, paneId)).inputKind !== "password") return;
  throw unsent("denied", `a password into ${name}: security.type_passwords = false`);
}

function unsent(code: "busy" | "denied", what: string): AppError {
  return new AppError(code, `Cannot type ${what}`, {
    hint: "Call apply-workspace again once a person has answered: it types the remaining lines",
  });
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  if (seconds === 0) return;
  await delay(seconds * 1000, signal);
  signal.throwIfAborted();
}
