// The environment that tmux gives to new panes: the global one, and that of each session.
import { AppError } from "../../errors.ts";
import type { TmuxGateway } from "../gateway.ts";
import { mustExist } from "../rows.ts";

export interface Variables {
  variables: Record<string, string>;
  /** Variables that new panes do not get although they are set globally. */
  removed: string[];
}

/** Output of `show-environment -s`: shell code, the only form in which a value with newlines is unambiguous. */
const SET = /^([^=\s]+)="((?:[^"\\]|\\[\s\S])*)"; export \1;$/gm;
const UNSET = /^unset ([^=\s]+);$/gm;

export class Environment {
  readonly #tmux: TmuxGateway;

  constructor(tmux: TmuxGateway) {
    this.#tmux = tmux;
  }

  /** Returns the variables of a session given by id, or the global ones: all of them, or the one with this name. */
  async show(sessionId: string | undefined, name: string | undefined): Promise<Variables> {
    const command = [
      "show-environment",
      "-s",
      ...placeFlags(sessionId),
      ...(name === undefined ? [] : ["--", name]),
    ];
    let text: string;
    try {
      text = await this.#tmux.runForValue([...mustExist(sessionId), command]);
    } catch (error) {
      if (!(error instanceof AppError) || !/unknown variable/.test(error.message)) throw error;
      throw new AppError("not-found", `Variable "${name}" is not set`, {
        hint: sessionId === undefined
          ? "Pass a sessionId for the variables of a session"
          : "Leave out sessionId for the global variables",
      });
    }
    const removed = [...text.replace(SET, "").matchAll(UNSET)].map(([, unset]) => unset!);
    const set = [...text.matchAll(SET)].map(([, key, value]) => [key!, value!.replace(/\\([\s\S])/g, "$1")]);
    return { variables: Object.fromEntries(set), removed };
  }

  /** Sets a variable for panes created from now on; `null` unsets it. */
  async set(sessionId: string | undefined, name: string, value: string | null): Promise<void> {
    const place = placeFlags(sessionId);
    const command = value === null
      ? ["set-environment", "-u", ...place, "--", name]
      : ["set-environment", ...place, "--", name, value];
    await this.#tmux.run([...mustExist(sessionId), command]);
  }
}

function placeFlags(sessionId: string | undefined): string[] {
  return sessionId === undefined ? ["-g"] : ["-t", sessionId];
}
