// Checks while a call types key by key: what it was allowed to type into may ask for a password meanwhile.
import { AppError } from "../errors.ts";
import type { ToolContext } from "../tool.ts";

/** Returns a check before each key; undefined if passwords may be typed. */
export function passwordCheck(
  { tmux, watch, sees }: ToolContext,
): ((paneIds: readonly string[]) => Promise<void>) | undefined {
  if (sees.passwords) return undefined;
  return async (paneIds) => {
    for (const paneId of paneIds) {
      const { inputKind } = await watch.state(tmux, paneId);
      if (inputKind === "password") throw denied(paneId);
    }
  };
}

function denied(paneId: string): AppError {
  return new AppError(
    "denied",
    `Cannot type a password into pane "${paneId}": security.type_passwords = false`,
    { hint: "Have a person type it: ask-person" },
  );
}
