// The panes and windows that a call has created, and what a missing one means.
import { AppError, hasCode, isGone } from "../errors.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { DescribedPane } from "./workspace.ts";
import { bestEffort } from "../promises.ts";

/** Thrown if another call creates the same parts, or has removed one that was found. */
export class Raced extends Error {}

/** Thrown if the session came or went after the decision on the call. */
export class Undecided extends Error {}

/** Codes of errors about an option that is unset or that this tmux does not know. */
const UNSET: ReadonlySet<string> = new Set(["not-found", "invalid-argument"]);

/** Objects that a call has created, across all its attempts. */
export class MadeParts {
  readonly panes: Map<string, DescribedPane> = new Map();
  readonly windows: Set<string> = new Set();
  /** Global options before the call set them; null for one that was unset. */
  readonly #earlier: { option: string; value: string | null }[] = [];

  /**
   * Takes a step of the build. Nobody else removes what this call made: if such a pane is missing, its program has
   * ended, and would end again.
   */
  async step<T>(tmux: Tmux, step: Promise<T>): Promise<T> {
    try {
      return await step;
    } catch (error) {
      const ended = isMisfit(error) ? await this.#findEnded(tmux) : undefined;
      throw ended === undefined ? error : endedAtOnce(ended);
    }
  }

  async #findEnded(tmux: Tmux): Promise<DescribedPane | undefined> {
    // tmux itself ends with its last pane; one that does not answer says nothing about them.
    const standing = await tmux.unbound.snapshot()
      .then(({ panes }) => panes, (error) => isGone(error) ? [] : undefined);
    return standing &&
      [...this.panes].find(([paneId]) => !standing.some((pane) => pane.paneId === paneId))?.[1];
  }

  /**
   * Notes the value of a global option that is about to be set; an array is emptied first, then filled again. An
   * option is noted as unset only if tmux says so: after a cancelled call it would lose its value.
   */
  async noteGlobal(tmux: Tmux, option: string): Promise<void> {
    const elements = await tmux.options.elements(option).catch(ignoreUnset);
    const noted: { option: string; value: string | null }[] = elements === undefined
      ? []
      : [{ option, value: "" }];
    for (const each of elements ?? [option]) {
      const shown = await tmux.options.show(each, { global: true }).catch(ignoreUnset);
      noted.push({ option: each, value: shown?.value ?? null });
    }
    this.#earlier.unshift(...noted);
  }

  /** Sets global options back to their noted values. */
  async restoreGlobals(tmux: Tmux): Promise<void> {
    for (const { option, value } of this.#earlier.splice(0)) {
      // An option that doesn't exist was not set either.
      await bestEffort(tmux.unbound.options.set(option, value, { global: true }));
    }
  }

  /** Ends the panes, and with them their windows. */
  async undo(tmux: Tmux): Promise<void> {
    for (const paneId of this.panes.keys()) {
      // The pane or the server may have ended by itself.
      await bestEffort(tmux.unbound.panes.kill(paneId));
    }
  }
}

/** @throws the error, unless it says that the option is unset or that this tmux does not know it */
function ignoreUnset(error: unknown): undefined {
  if (!(error instanceof AppError && UNSET.has(error.code))) throw error;
}

/** True for an error that a missing pane can cause: a layout for two panes does not fit one. */
function isMisfit(error: unknown): boolean {
  return isGone(error) || hasCode(error, "tmux-error");
}

function endedAtOnce({ where, shell }: DescribedPane): AppError {
  const what = shell === undefined
    ? `the shell of ${where}`
    : `${shell.where} ${JSON.stringify(shell.command)}`;
  return new AppError("invalid-argument", `Cannot create the workspace: ${what} ended at once`, {
    hint:
      "Give a program that keeps running, or type it into a shell with shell_command; no session, window or pane is left",
  });
}
