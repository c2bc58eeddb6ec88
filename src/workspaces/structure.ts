// Creates the missing parts of a workspace: session, windows and panes, with their options and layouts.
import { AppError, hasCode } from "../errors.ts";
import { optionName } from "../tmux/option_syntax.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { temporaryName } from "../tmux/unfinished_sessions.ts";
import { claimPlace, type WorkspacePlace } from "../tmux/workspace_panes.ts";
import type { MatchedPane, MatchedWindow } from "./matching.ts";
import type { DescribedOption, DescribedPane, DescribedSession } from "./workspace.ts";
import { type MadeParts, Raced } from "./made_parts.ts";

/** A pane that was found or created. */
export interface PlacedPane {
  described: DescribedPane;
  paneId: string;
  /** True if this call types its lines. */
  made: boolean;
  typed: number;
  /** Set once the lines that were not typed are left to a later call. */
  left?: true;
  /** True if it lacks lines that this call can't type: its shell is not at its prompt. */
  held?: boolean;
  dead: boolean;
  /** Undefined for a pane that this program didn't create. */
  place: WorkspacePlace | undefined;
}

export interface PlacedWindow {
  windowId: string;
  name: string | undefined;
  made: boolean;
  /** Set for a found window that may lack those of `optionsAfter`. */
  lacksOptions?: true;
  optionsAfter: readonly DescribedOption[];
  panes: PlacedPane[];
}

/** Arranges a window's panes; rejects if it was found and they must not be moved. */
export type Arrange = (windowId: string, layout: string) => Promise<unknown>;

/** Index that no other window has, for the first window of a new session. */
const PARKED_INDEX = 2 ** 31 - 2;
const SYNCHRONIZED = "synchronize-panes";
/** Keys of a workspace that take the options of a scope. */
const OPTION_KEYS: Readonly<Record<string, string>> = {
  server: "global_options",
  session: "the session's options",
  window: "a window's options",
};

/** Creates parts in one session. */
export class Structure {
  readonly #tmux: Tmux;
  readonly #sessionId: string;
  readonly #session: DescribedSession;
  readonly #arrange: Arrange;
  readonly #made: MadeParts;
  /** Places of panes that were created. */
  readonly #places: Map<string, WorkspacePlace> = new Map();
  /** Window options that the session sets, for each window that is created. */
  #windowOptions: readonly DescribedOption[] = [];

  constructor(
    tmux: Tmux,
    { sessionId, session, arrange, made }: {
      sessionId: string;
      session: DescribedSession;
      arrange: Arrange;
      made: MadeParts;
    },
  ) {
    this.#tmux = tmux;
    this.#arrange = arrange;
    this.#made = made;
    this.#sessionId = sessionId;
    this.#session = session;
  }

  /** Reads which options new windows get. Sets up a new session, and frees the index of its first window. */
  async prepare(firstWindow: string | undefined): Promise<void> {
    const { options, globalOptions, environment } = this.#session;
    const id = this.#sessionId;
    const { ofSession, ofWindows } = await sortOptions(this.#tmux, options);
    this.#windowOptions = ofWindows;
    if (firstWindow === undefined) return;
    await this.#tmux.run([["move-window", "-d", "-s", firstWindow, "-t", `${id}:${PARKED_INDEX}`]]);
    for (const each of ofSession) await applyOption(this.#tmux, each, id);
    for (const each of globalOptions) {
      await this.#made.noteGlobal(this.#tmux, each.option);
      await applyOption(this.#tmux, each, undefined);
    }
    for (const [name, value] of Object.entries(environment)) {
      await this.#tmux.environment.set(id, name, value);
    }
  }

  async build(windows: readonly MatchedWindow[]): Promise<PlacedWindow[]> {
    const placed: PlacedWindow[] = [];
    for (const window of windows) placed.push(await this.#window(window));
    return placed;
  }

  /** Selects the window and panes with `focus` among those that were created. */
  async focus(windows: readonly PlacedWindow[], described: DescribedSession, isNew: boolean): Promise<void> {
    for (const [at, { made, panes }] of windows.entries()) {
      if (!made) continue;
      const active = panes.findLast((pane) => pane.described.focus) ?? panes.at(-1)!;
      await this.#tmux.run([["select-pane", "-t", active.paneId]]);
      if (described.windows[at]!.focus) await this.#select(windows[at]!.windowId);
    }
    const isFocused = described.windows.some(({ focus }) => focus);
    if (isNew && !isFocused) await this.#select(windows[0]!.windowId);
  }

  async #select(windowId: string): Promise<void> {
    await this.#tmux.run([["select-window", "-t", `${this.#sessionId}:${windowId}`]]);
  }

  async #window({ described, key, windowId, panes, ...matched }: MatchedWindow): Promise<PlacedWindow> {
    const first = windowId === undefined
      ? await this.#newWindow(panes[0]!.described, { described, key })
      : undefined;
    const id = windowId ?? first!.windowId;
    if (panes.some(({ paneId }) => paneId === undefined)) await this.#keepPlaces(key, panes);
    let { beside } = matched;
    const placed: PlacedPane[] = [];
    for (const [at, pane] of panes.entries()) {
      const paneId = pane.paneId ?? (at === 0 && first ? first.paneId : undefined);
      const placedId = paneId ??
        await this.#newPane(pane, { window: { described, key, windowId }, at, beside, id });
      if (pane.windowId === undefined || pane.windowId === id) beside = placedId;
      placed.push({
        described: pane.described,
        paneId: placedId,
        made: this.#made.panes.has(placedId),
        typed: pane.place?.typed ?? 0,
        dead: pane.dead ?? false,
        place: pane.place ?? this.#places.get(placedId),
      });
    }
    const { layout } = described;
    if (layout !== undefined && placed.some(({ made }) => made)) await this.#arrange(id, layout);
    const synchronized = [...this.#windowOptions, ...described.options].filter(isSynchronized);
    const optionsAfter = [...synchronized, ...described.optionsAfter];
    const made = this.#made.windows.has(id);
    return { windowId: id, name: described.name, made, optionsAfter, panes: placed };
  }

  /**
   * Gives panes that somebody else created their places before others are created among them: a later call counts panes
   * without one only in a window where no pane has one.
   */
  async #keepPlaces(window: string, panes: readonly MatchedPane[]): Promise<void> {
    for (const [pane, { paneId, place }] of panes.entries()) {
      if (paneId === undefined || place !== undefined) continue;
      const kept = { window, pane, since: 0 };
      if (!await claimPlace(this.#tmux, { paneId, isFirst: false }, kept)) throw new Raced();
    }
  }

  async #newWindow(
    pane: DescribedPane,
    { described, key }: Pick<MatchedWindow, "described" | "key">,
  ): Promise<{ windowId: string; paneId: string }> {
    const taken = new Set((await this.#tmux.windows.list(this.#sessionId)).map(({ index }) => index));
    const index = described.index === undefined || taken.has(described.index) ? undefined : described.index;
    const { name } = described;
    const window = await this.#tmux.windows.create(this.#sessionId, {
      ...programOf(pane),
      // Another call would take a window of that name without a place for a person's, and type nothing there.
      ...(name !== undefined && { name: temporaryName() }),
      ...(index !== undefined && { index }),
      attach: false,
    });
    await this.#claim(window.paneId, { key, described: pane, at: 0, isFirst: true, windowName: name });
    this.#made.windows.add(window.windowId);
    for (const each of [...this.#windowOptions, ...described.options]) {
      if (!isSynchronized(each)) await applyOption(this.#tmux, each, window.windowId);
    }
    return window;
  }

  async #newPane(
    { described }: MatchedPane,
    { window, at, beside, id }: {
      window: Pick<MatchedWindow, "described" | "key" | "windowId">;
      at: number;
      beside: string | undefined;
      id: string;
    },
  ): Promise<string> {
    const spec = { ...programOf(described), direction: at === 0 ? "above" as const : "below" as const };
    const paneId = await this.#split(id, beside!, spec);
    await this.#claim(paneId, { key: window.key, described, at });
    const { layout } = window.described;
    if (window.windowId !== undefined) await keepApart(this.#tmux, paneId);
    // Makes room for the next pane. A layout string fits only once all panes exist.
    const room = layout !== undefined && /^[a-z-]+$/.test(layout) ? layout : layout && "tiled";
    if (room) await this.#arrange(id, room);
    return paneId;
  }

  async #split(
    windowId: string,
    beside: string,
    spec: Parameters<Tmux["panes"]["split"]>[1],
  ): Promise<string> {
    try {
      return (await this.#tmux.panes.split(beside, spec)).paneId;
    } catch (error) {
      if (!(error instanceof AppError) || !/no space|too small/.test(error.message)) throw error;
      await this.#arrange(windowId, "tiled").catch((refusal) => {
        throw hasCode(refusal, "denied") ? error : refusal;
      });
      return (await this.#tmux.panes.split(beside, spec)).paneId;
    }
  }

  async #claim(
    paneId: string,
    { key: window, described, at: pane, isFirst = false, windowName }: {
      key: string;
      described: DescribedPane;
      at: number;
      isFirst?: boolean;
      windowName?: string | undefined;
    },
  ): Promise<void> {
    this.#made.panes.set(paneId, described);
    const { processStamp: by } = this.#tmux;
    const place = { window, pane, since: Date.now(), ...(by !== undefined && { typed: 0, by }) };
    this.#places.set(paneId, place);
    if (await claimPlace(this.#tmux, { paneId, isFirst, windowName }, place)) return;
    this.#made.panes.delete(paneId);
    await this.#tmux.panes.kill(paneId);
    throw new Raced();
  }
}

/** True for the option that sends one pane's input to the others; it is set after typing. */
function isSynchronized({ option }: DescribedOption): boolean {
  return option === SYNCHRONIZED;
}

/** Excludes a new pane from its window's synchronization, so that typing into it doesn't reach the others. */
export async function keepApart(tmux: Tmux, paneId: string): Promise<void> {
  await tmux.run([["has-session", "-t", paneId], ["set-option", "-p", "-t", paneId, SYNCHRONIZED, "off"]]);
}

/** Includes the pane again, unless it has ended. */
export async function joinOthers(tmux: Tmux, paneId: string): Promise<void> {
  await tmux.runUntilMissing([
    ["has-session", "-t", paneId],
    ["set-option", "-pu", "-t", paneId, SYNCHRONIZED],
  ]);
}

/** Sorts a session's options into its own and those that each window gets. */
export async function sortOptions(
  tmux: Tmux,
  options: readonly DescribedOption[],
): Promise<{ ofSession: DescribedOption[]; ofWindows: DescribedOption[] }> {
  if (options.length === 0) return { ofSession: [], ofWindows: [] };
  const listed = await tmux.run([["show-options", "-gw"]]);
  const names = new Set(listed.split("\n").map((line) => /^[^\s[]*/.exec(line)![0]));
  const isOfWindows = ({ option }: DescribedOption): boolean => names.has(optionName(option));
  return { ofSession: options.filter((each) => !isOfWindows(each)), ofWindows: options.filter(isOfWindows) };
}

export async function applyOption(
  tmux: Tmux,
  { option, value, where }: DescribedOption,
  target: string | undefined,
): Promise<void> {
  try {
    await tmux.options.set(option, value, { target, global: target === undefined });
  } catch (error) {
    if (!hasCode(error, "invalid-argument")) throw error;
    const [, scope] = /it is a (server|session|window) option$/.exec(error.message) ?? [];
    // The hint of set-option names parameters of that tool.
    const hint = scope === undefined ? error.hint : `Write it under ${OPTION_KEYS[scope]}`;
    throw new AppError(error.code, `Invalid ${where}: ${error.message}`, {
      ...(hint !== undefined && { hint }),
    });
  }
}

function programOf({ startDirectory, shell, environment }: DescribedPane) {
  return { startDirectory, environment, command: shell?.command };
}
