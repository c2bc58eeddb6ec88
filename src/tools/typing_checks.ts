// Checks of a call that types: what its pane's terminal takes, and, while it types key by key, that nothing asks for a
// password meanwhile.
import { AppError } from "../errors.ts";
import { refuseLongLines } from "../tmux/typing/long_lines.ts";
import type { ToolContext } from "../tool.ts";

/** @throws {AppError} `invalid-argument` for text with a line that the pane's terminal would cut */
export async function checkLines(
  paneId: string,
  text: string,
  { tmux, watches }: ToolContext,
): Promise<void> {
  await refuseLongLines(paneId, text, () => watches.inspect(tmux, paneId));
}

/** Returns a check before each key; undefined if passwords may be typed. */
export function passwordCheck(
  { tmux, watches, sees }: ToolContext,
): ((paneIds: readonly string[]) => Promise<void>) | undefined {
  if (sees.passwords) return undefined;
  return async (paneIds) => {
    for (const paneId of paneIds) {
      const { inputKind } = await watches.state(tmux, paneId);
      if (inputKind === "password") throw denied(paneId);
    }
  };
}

function denied(paneId: string): AppError {
  const what = `Cannot type a password into pane "${paneId}": security.type_passwords = false`;
  return new AppError("denied", what, { hint: "Have a person type it: ask-person" });
}
