// tmux options: reading their values and where these come from, setting and unsetting them.
import { AppError, hasCode } from "../../errors.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { idKind } from "../../ids.ts";
import { didYouMean } from "../../nearest.ts";
import { mustExist } from "../rows.ts";
import { optionName, turnsOff } from "../option_syntax.ts";
import { findLimit } from "./limits.ts";
import { isAtLeast } from "../../tmux_exec/version.ts";
import { ServerObjects } from "./server_objects.ts";

export type OptionScope = "server" | "session" | "window" | "pane";

/** Object whose options are meant; `target` is an id. */
export interface OptionPlace {
  scope?: OptionScope | undefined;
  target?: string | undefined;
  global: boolean;
}

export interface OptionValue {
  /** The value; an array option has one line for each element. */
  value: string;
  /** Set if the object has no value of its own. */
  inherited?: true;
}

/** Flags of tmux that say whose options are meant. */
export const SCOPE_FLAGS: Readonly<Record<OptionScope, string[]>> = {
  server: ["-s"],
  session: [],
  window: ["-w"],
  pane: ["-p"],
};

const OPTION_SCOPES = ["server", "session", "window"] as const;

/** Flags that list every option of a scope. */
const GLOBAL_FLAGS = { server: ["-s"], session: ["-g"], window: ["-gw"] } as const;

/** Other spellings of tmux's own words. */
const SWITCHES: Readonly<Record<string, string>> = { true: "on", false: "off" };

/** Beginning of the names of the options in which servers note what they created, hold and wait for. */
const OWN_OPTIONS = "@tmux_mcp_";

export class OptionTable extends ServerObjects {
  /** Returns the value of an option for an object, or its global value. */
  async show(option: string, place: OptionPlace): Promise<OptionValue> {
    const { codec } = this.tmux;
    const flags = placeFlags(place);
    if (place.scope === "server" && !option.startsWith("@")) await this.#checkScope(option, place);
    const text = await this.#run(option, [
      ...mustExist(place.target),
      ...codec.divided(
        ["-q", "-qv", "-Aq", "-Aqv"].map((how) => ["show-options", how, ...flags, "--", option]),
      ),
    ]);
    const [ownLine = "", ownValue = "", named = "", value = ""] = codec.splitValues(text);
    if (named === "" && ownLine === "") throw option.startsWith("@") ? unset(option) : unknown(option);
    checkExact(option, ownLine === "" ? named : ownLine);
    return ownLine === ""
      ? { value: value.replace(/\n$/, ""), inherited: true }
      : { value: ownValue.replace(/\n$/, "") };
  }

  /** Returns the names of a global array's elements, such as `status-format[1]`; undefined for any other option. */
  async elements(option: string): Promise<string[] | undefined> {
    const listed = await this.#run(option, [["show-options", "-gq", "--", option]]);
    if (listed.trimEnd() === option) return [];
    const names = listed.split("\n").map((line) => /^[^\s[]+\[\d+\](?= )/.exec(line)?.[0]);
    return names[0] === undefined || option.endsWith("]")
      ? undefined
      : names.filter((name) => name !== undefined);
  }

  /**
   * True if tmux deletes something when an option is set to this value, or unset with `null`.
   * @throws {AppError} `invalid-argument` as `set`
   */
  async deletes(option: string, value: string | null, place: OptionPlace): Promise<boolean> {
    // Without a session, tmux ends, and all its buffers with it.
    if (option === "exit-empty" && !turnsOff(value)) {
      return await this.#run(option, [["list-sessions"]]) === "";
    }
    const limit = findLimit(option);
    if (limit === undefined) return false;
    await this.#checkScope(option, place);
    const { target } = place;
    const most = value !== null
      ? Number(value)
      : target === undefined
      ? limit.standard
      : Number((await this.show(option, { global: true })).value);
    return await limit.count(this.tmux, target) > most;
  }

  /**
   * Sets an option, or unsets it with `null`; returns the value that it was set to. The beginning of a name, which
   * tmux would accept, is refused.
   */
  async set<V extends string | null>(option: string, value: V, place: OptionPlace): Promise<V | string> {
    if (option.startsWith(OWN_OPTIONS)) {
      throw new AppError("denied", `Cannot set "${option}": tmux-mcp keeps its own state there`, {
        hint: "Choose another name for an option of your own",
      });
    }
    const flags = placeFlags(place);
    if (!option.startsWith("@")) await this.#checkScope(option, place);
    else if (namesNoPlace(place)) throw ownerless(option);
    if (value === "") await this.#checkNoSwitch(option, place);
    if (option === "window-size" && value === "manual" && place.global) await this.#checkManualSize();
    const command = value === null
      ? ["set-option", "-u", ...flags, "--", option]
      : ["set-option", ...flags, "--", option, value];
    try {
      await this.#run(option, [...mustExist(place.target), command]);
      const shown = isSwitchWord(value) ? (await this.show(option, place)).value : "";
      return isSwitch(shown) ? shown : value;
    } catch (error) {
      const spelling = SWITCHES[value ?? ""];
      if (spelling === undefined || !/: (?:bad|unknown) value/.test(String(error))) throw error;
      return await this.set(option, spelling, place);
    }
  }

  /**
   * Refuses an option that does not belong to the place. tmux goes by the option's name only: it would take the option
   * of the server, of the current session or of the current window, whatever the target is.
   */
  async #checkScope(option: string, place: OptionPlace): Promise<void> {
    const name = optionName(option);
    const { codec } = this.tmux;
    const listed = await this.#run(option, [
      ...mustExist(place.target),
      ["show-options", "-A", ...placeFlags(place)],
      ...Object.values(GLOBAL_FLAGS).flatMap((flags) => [codec.dividerCommand(), ["show-options", ...flags]]),
    ]);
    const [here = "", ...globals] = codec.splitValues(listed);
    const nowhere = namesNoPlace(place);
    if (!nowhere && namesIn(here).has(name)) return;
    const scope = OPTION_SCOPES.find((_, at) => namesIn(globals[at] ?? "").has(name));
    if (scope === undefined) throw unknown(option, globals.flatMap((each) => [...namesIn(each)]));
    if (nowhere && scope !== "server") throw ownerless(option);
    if ((nowhere || place.global) && place.scope === undefined) return;
    const where = scope === "server" ? 'scope: "server"' : `the id of a ${scope} as target, or global: true`;
    const what = `Option "${option}" does not belong there: it is a ${scope} option`;
    throw new AppError("invalid-argument", what, { hint: `Give ${where}` });
  }

  /** Refuses an empty value of a switch: tmux would toggle it. */
  async #checkNoSwitch(option: string, place: OptionPlace): Promise<void> {
    if (option.startsWith("@") || !isSwitch((await this.show(option, place)).value)) return;
    throw new AppError("invalid-argument", `Cannot set "${option}" to "": it is a switch`, {
      hint: 'Give "on" or "off"',
    });
  }

  /** Refuses what ends tmux 3.3 to 3.6b: a new window would have the size of one that does not exist yet. */
  async #checkManualSize(): Promise<void> {
    const version = (await this.tmux.run([["display-message", "-p", "#{version}"]])).trim();
    if (!isAtLeast(version, 3, 3) || isAtLeast(version, 3, 7)) return;
    const reason = `tmux ${version} would end at the next new window`;
    throw new AppError("unsupported", `Cannot set "window-size" to "manual" for all windows: ${reason}`, {
      hint: "Give the id of a window as target; tmux 3.7 takes it for all",
    });
  }

  async #run(option: string, commands: readonly Command[]): Promise<string> {
    try {
      return await this.tmux.run(commands);
    } catch (error) {
      throw optionError(error, option);
    }
  }
}

function isSwitch(value: string): boolean {
  return value === "on" || value === "off";
}

/** True for a word that tmux takes for on or off, and shows as that. */
function isSwitchWord(value: string | null): boolean {
  return value !== null && /^(?:yes|no|1|0)$/i.test(value);
}

/** Flags for a place. For user options, and options of panes and windows, the target decides on the scope. */
function placeFlags({ target, scope = scopeOf(target), global }: OptionPlace): string[] {
  const scoped = scope === undefined ? [] : SCOPE_FLAGS[scope];
  if (scope === "server") return scoped;
  if (target !== undefined && !global) return [...scoped, "-t", target];
  // With `-p`, tmux ignores `-g` and means the current pane; panes inherit from the options of windows.
  return scope === "pane" ? ["-w", "-g"] : [...scoped, "-g"];
}

/** True if no place is named; then only an option of the server, of which there is one, may be set. */
function namesNoPlace({ target, scope, global }: OptionPlace): boolean {
  return target === undefined && !global && scope !== "server";
}

/** Scope of the object with this id; a name is a session's. */
export function scopeOf(target: string | undefined): OptionScope | undefined {
  if (target === undefined) return undefined;
  return idKind(target) ?? "session";
}

/** Names in the output of `show-options`. */
function namesIn(listed: string): Set<string> {
  return new Set(listed.match(/^[^\s*[]+/gm));
}

/** Refuses an abbreviated name. tmux prints `name value`, `name* value` if inherited, `name[0] value` for arrays. */
function checkExact(option: string, shown: string): void {
  const [name = ""] = /^[^\s*[]+/.exec(shown) ?? [];
  if (name === optionName(option)) return;
  throw new AppError("invalid-argument", `No option is called "${option}"`, {
    hint: `Did you mean "${name}"?`,
  });
}

function ownerless(option: string): AppError {
  return new AppError("invalid-argument", `Cannot set "${option}": it is unclear which object is meant`, {
    hint: "Pass target, or global: true",
  });
}

function unset(option: string): AppError {
  return new AppError("not-found", `Option "${option}" is not set`, {
    hint: "Try another scope or target, or global: true",
  });
}

function unknown(option: string, names: readonly string[] = []): AppError {
  return new AppError("invalid-argument", `No option is called "${option}"`, {
    hint: didYouMean(option, names) + 'Options are listed in tmux\'s manual; user options begin with "@"',
  });
}

function optionError(error: unknown, option: string): unknown {
  if (!hasCode(error, "tmux-error")) return error;
  if (/invalid option|unknown option|ambiguous option/.test(error.message)) return unknown(option);
  const [, reason] = /tmux refused: (.*)/s.exec(error.message) ?? [];
  return new AppError("invalid-argument", `Cannot set option "${option}": ${reason}`, {
    hint: hintFor(reason ?? ""),
  });
}

function hintFor(reason: string): string {
  if (/^bad colour|^invalid style/.test(reason)) {
    return "Give colours such as red, colour208 or #ff8700, styles such as fg=red,bold";
  }
  if (/^value is (?:too|invalid)|^not a number/.test(reason)) {
    return "Give a whole number in the range that tmux's manual lists";
  }
  if (/^(?:unknown|bad) value/.test(reason)) {
    return "Give one of the values that tmux's manual lists, such as on or off";
  }
  if (/^bad key/.test(reason)) return "Give a key such as C-b, M-x or F5";
  return "Call show-option: its current value shows the format";
}
