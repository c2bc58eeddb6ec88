// Hooks, for reading only: a hook that this program set would outlive it.
import { AppError } from "../../errors.ts";
import type { OptionPlace, OptionScope } from "./options.ts";
import type { TmuxGateway } from "../gateway.ts";

export interface Hook {
  name: string;
  /** Index in the hook's list of commands. */
  index?: number;
  command: string;
}

const SCOPE_FLAGS: Record<OptionScope, string[]> = {
  server: ["-g"],
  session: [],
  window: ["-w"],
  pane: ["-p"],
};

export class Hooks {
  readonly #tmux: TmuxGateway;

  constructor(tmux: TmuxGateway) {
    this.#tmux = tmux;
  }

  /**
   * Returns the hooks that are set in a place, or the one with this name; none if no server runs and no object is
   * named.
   */
  async show(place: OptionPlace, name?: string): Promise<Hook[]> {
    // tmux knows from its name where a hook belongs.
    const places = name === undefined ? placesOf(place) : placesOf(place).slice(0, 1);
    const named = name === undefined ? [] : ["--", name];
    const commands = places.map((flags) => ["show-hooks", ...flags, ...named]);
    const exists = place.target === undefined ? [] : [["has-session", "-t", place.target]];
    try {
      if (name !== undefined) await this.#checkName(name);
      const { codec } = this.#tmux;
      const batch = [...exists, ...commands, codec.dividerCommand()];
      const text = exists.length > 0
        ? await this.#tmux.run(batch)
        : await this.#tmux.runIfServer(batch) ?? "";
      return parseHooks(codec.splitValues(text)[0]!);
    } catch (error) {
      if (!(error instanceof AppError) || !/invalid option|unknown hook/.test(error.message)) throw error;
      throw unknownHook(name);
    }
  }

  /**
   * Refuses names that are not hooks: tmux would also show an option of that name. It lists every hook, set or not.
   */
  async #checkName(name: string): Promise<void> {
    const listed = await this.#tmux.runIfServer([["show-hooks", "-g"], ["show-hooks", "-gw"]]);
    const names = listed?.split("\n").map((line) => /^[\w-]+/.exec(line)?.[0]);
    if (names && !names.includes(name)) throw unknownHook(name);
  }
}

function unknownHook(name: string | undefined): AppError {
  return new AppError("invalid-argument", `No hook is called "${name}"`, {
    hint: "Call show-hooks for those that are set",
  });
}

/** Flags of each place to list: global hooks of windows and panes are listed separately from those of sessions. */
function placesOf({ scope, target, global }: OptionPlace): string[][] {
  if (target === undefined && (scope === undefined || scope === "server")) return [["-g"], ["-gw"]];
  const isGlobal = global || target === undefined;
  // With `-p`, tmux ignores `-g` and means the current pane; panes inherit the hooks of windows.
  if (isGlobal && scope === "pane") return [["-w", "-g"]];
  const scoped = scope === undefined ? [] : SCOPE_FLAGS[scope];
  return [isGlobal ? [...new Set([...scoped, "-g"])] : [...scoped, "-t", target]];
}

function parseHooks(text: string): Hook[] {
  return text.split("\n").flatMap((line) => {
    const [, name, index, command] = /^([\w@-]+)(?:\[(\d+)\])?\*? (.*)$/.exec(line) ?? [];
    if (name === undefined || command === undefined) return [];
    return [{ name, ...(index === undefined ? {} : { index: Number(index) }), command }];
  });
}
