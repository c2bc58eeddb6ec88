// Hooks, for reading only: a hook that this program set would outlive it.
import { AppError } from "../../errors.ts";
import { type OptionPlace, type OptionScope, SCOPE_FLAGS, scopeOf } from "./options.ts";
import { mustExist } from "../rows.ts";
import { ServerObjects } from "./server_objects.ts";

export interface Hook {
  name: string;
  /** Index in the hook's list of commands. */
  index?: number;
  command: string;
}

/** `show-hooks` has no `-s`: global hooks are meant. */
const HOOK_FLAGS: Record<OptionScope, string[]> = { ...SCOPE_FLAGS, server: ["-g"] };

export class Hooks extends ServerObjects {
  /** Returns the hooks set in a place, or the one of this name; none if no server runs and no object is named. */
  async show(place: OptionPlace, name?: string): Promise<Hook[]> {
    const named = name === undefined ? [] : ["--", name];
    const commands = placesOf(place, name).map((flags) => ["show-hooks", ...flags, ...named]);
    const exists = mustExist(place.target);
    try {
      if (name !== undefined) await this.#checkName(name);
      const { codec } = this.tmux;
      const batch = [...exists, ...codec.divided(commands), codec.dividerCommand()];
      const text = exists.length > 0 ? await this.tmux.run(batch) : await this.tmux.runIfServer(batch) ?? "";
      const listed = codec.splitValues(text);
      return parseHooks(name === undefined ? listed.join("") : listed.find((each) => each !== "") ?? "");
    } catch (error) {
      if (!(error instanceof AppError) || !/invalid option|unknown hook/.test(error.message)) throw error;
      throw unknownHook(name);
    }
  }

  /** Refuses names that are not hooks: tmux would also show an option of that name. It lists every hook, set or not. */
  async #checkName(name: string): Promise<void> {
    const listed = await this.tmux.runIfServer([["show-hooks", "-g"], ["show-hooks", "-gw"]]);
    const names = listed?.split("\n").map((line) => /^[\w-]+/.exec(line)?.[0]);
    if (names && !names.includes(name)) throw unknownHook(name);
  }
}

function unknownHook(name: string | undefined): AppError {
  return new AppError("invalid-argument", `No hook is called "${name}"`, {
    hint: "Call show-hooks for those that are set",
  });
}

/**
 * Flags of each place to list. Global hooks of windows and panes are listed separately from those of sessions. tmux
 * knows from its name where a hook belongs, but not whether a pane is meant or its window.
 */
function placesOf({ scope, target, global }: OptionPlace, name: string | undefined): string[][] {
  if (target === undefined && (scope === undefined || scope === "server")) {
    return name === undefined ? [["-g"], ["-gw"]] : [["-g"]];
  }
  const isGlobal = global || target === undefined;
  // With `-p`, tmux ignores `-g` and means the current pane; panes inherit the hooks of windows.
  if (isGlobal && scope === "pane") return [["-w", "-g"]];
  const meant = scope ?? scopeOf(target);
  const scoped = meant === undefined ? [] : HOOK_FLAGS[meant];
  if (isGlobal) return [[...new Set([...scoped, "-g"])]];
  const isOfWindow = name !== undefined && scope === undefined && meant === "pane";
  return (isOfWindow ? [scoped, HOOK_FLAGS.window] : [scoped]).map((flags) => [...flags, "-t", target]);
}

function parseHooks(text: string): Hook[] {
  return text.split("\n").flatMap((line) => {
    const [, name, index, command] = /^([\w@-]+)(?:\[(\d+)\])?\*? (.*)$/.exec(line) ?? [];
    if (name === undefined || command === undefined) return [];
    return [{ name, ...(index === undefined ? {} : { index: Number(index) }), command }];
  });
}
