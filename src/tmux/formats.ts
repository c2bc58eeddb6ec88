// Expanding tmux formats for reading.
import { AppError } from "../errors.ts";
import type { Tmux } from "./tmux.ts";

/**
 * `E:` and `T:` among the modifiers of a `#{…}`: they expand what an option holds, jobs in it included. No variable
 * of tmux begins with a capital, and a variable of the environment ends with `}` at once.
 */
const EXPANDS_TWICE = /[{;][ET](?!\w*\})/;

export class Formats {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /**
   * What a format says, of a pane given by its id or target, or else of tmux's current one.
   * @throws {AppError} `denied` for what would run a command, `invalid-argument` for what is no format
   */
  async expand(format: string, pane?: string): Promise<string> {
    checkFormat(format);
    if (format === "") return "";
    // display-message expands strftime too.
    const template = format.replaceAll("%", "%%");
    const target = pane === undefined ? [] : ["-t", pane];
    const exists = pane === undefined ? [] : [["has-session", "-t", pane]];
    const text = await this.#tmux.run([...exists, ["display-message", "-p", ...target, "--", template]]);
    return text.replace(/\n$/, "");
  }
}

function checkFormat(format: string): void {
  const runs = format.includes("#(")
    ? "#(…) runs a command"
    : EXPANDS_TWICE.test(format)
    ? "E: and T: run the jobs in what they expand"
    : undefined;
  if (runs !== undefined) {
    throw new AppError("denied", `Cannot expand the format: ${runs}`, {
      hint: "Name variables, such as #{pane_title}",
    });
  }
  if (isClosed(format)) return;
  throw new AppError("invalid-argument", `Cannot read the format "${format}": "#{" is not closed`, {
    hint: "Close each #{ with }",
  });
}

function isClosed(format: string): boolean {
  let open = 0;
  for (const [token] of format.matchAll(/#\{|#[\s\S]|\}/g)) {
    if (token === "#{") open++;
    else if (token === "}" && open > 0) open--;
  }
  return open === 0;
}
