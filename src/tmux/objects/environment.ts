// The environment that tmux gives to new panes: the global one, and that of each session.
import { AppError } from "../../errors.ts";
import { mustExist } from "../rows.ts";
import { ServerObjects } from "./server_objects.ts";

export interface Variables {
  variables: Record<string, string>;
  /** Variables that new panes do not get although they are set globally. */
  removed: string[];
}

/** Output of `show-environment -s`: shell code, the only form in which a value with newlines is unambiguous. */
const SET = /^([^=\s]+)="((?:[^"\\]|\\[\s\S])*)"; export \1;$/gm;
const UNSET = /^unset ([^=\s]+);$/gm;

/** A shell's escape, or one of those with which tmux 3.4 to 3.5a prints control characters and invalid UTF-8. */
const ESCAPE = /((?:\\[0-7]{3})+)|\\([\s\S])/g;
const CONTROL: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", r: "\r", v: "\v" };

export class Environment extends ServerObjects {
  /** Returns the variables of a session given by id, or the global ones: all of them, or the one with this name. */
  async show(sessionId: string | undefined, name: string | undefined): Promise<Variables> {
    const named = name === undefined ? [] : ["--", name];
    const command = ["show-environment", "-s", ...placeFlags(sessionId), ...named];
    let text: string;
    try {
      text = await this.tmux.runForValue([...mustExist(sessionId), command]);
    } catch (error) {
      if (!(error instanceof AppError) || !/unknown variable/.test(error.message)) throw error;
      throw new AppError("not-found", `Variable "${name}" is not set`, {
        hint: sessionId === undefined
          ? "Pass a sessionId for the variables of a session"
          : "Leave out sessionId for the global variables",
      });
    }
    const removed = [...text.replace(SET, "").matchAll(UNSET)].map(([, unset]) => unset!);
    const set = [...text.matchAll(SET)].map(([, key, value]) => [key!, decodeValue(value!)]);
    return { variables: Object.fromEntries(set), removed };
  }

  /** Sets a variable for panes created from now on; `null` unsets it. */
  async set(sessionId: string | undefined, name: string, value: string | null): Promise<void> {
    const place = placeFlags(sessionId);
    const command = value === null
      ? ["set-environment", "-u", ...place, "--", name]
      : ["set-environment", ...place, "--", name, value];
    await this.tmux.run([...mustExist(sessionId), command]);
  }
}

/** The backslash of `-s` precedes only `$`, a backquote, `"` or another backslash, so no value looks like an escape of tmux. */
function decodeValue(value: string): string {
  return value.replace(ESCAPE, (_, octal: string | undefined, char: string) => {
    if (octal === undefined) return CONTROL[char] ?? char;
    const bytes = octal.slice(1).split("\\").map((digits) => parseInt(digits, 8));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
  });
}

function placeFlags(sessionId: string | undefined): string[] {
  return sessionId === undefined ? ["-g"] : ["-t", sessionId];
}
