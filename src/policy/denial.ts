// Denials: the refused action, and the setting that refuses it.
import { AppError } from "../errors.ts";

const ASK = "Ask the person who runs this server to change that setting";

/** Hint of a denial of something that a call can do without. */
export function leaveOut(part: string): string {
  return `Leave ${part} out, or a${ASK.slice(1)}`;
}

export class Denial extends AppError {
  /** The setting, as a person writes it: `security.allow_kill = false`, `--safety mutating`. */
  readonly setting: string;

  constructor(what: string, setting: string, hint: string) {
    super("denied", `${what}: ${setting}`, { hint });
    this.setting = setting;
  }
}

/**
 * The error for a refused action.
 * @param what Text that begins with `Cannot`
 * @param setting The setting as a person writes it
 */
export function denial(what: string, setting: string, hint = ASK): Denial {
  return new Denial(what, setting, hint);
}
