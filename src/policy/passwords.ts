// Decides on typing into a pane whose program waits for a password; a person should type that.
import { denial } from "./denial.ts";
import type { ResolvedTarget } from "./resolved_target.ts";
import type { PolicyCall, PolicySettings } from "./types.ts";

/** Kinds of text that go to the program itself; a command goes to a shell at its prompt. */
const TYPED: ReadonlySet<string> = new Set(["keys", "bytes", "paste", "opaque"]);
const ASK_PERSON = "Have a person type it: ask-person";

/**
 * Returns a hint for a call that types a password.
 * @throws {AppError} `denied` if no call may type one
 */
export async function checkPassword(
  verb: string,
  { kind, id, name }: ResolvedTarget,
  { call, settings }: { call: PolicyCall; settings: PolicySettings },
): Promise<string | undefined> {
  const { declaration: { shellText }, args, live, host } = call;
  if (kind !== "pane") return undefined;
  const isTyped = shellText?.(args).some((text) => TYPED.has(text.kind));
  // Don't ask another machine just for a hint.
  if (settings.typePasswords && (!isTyped || host !== undefined)) return undefined;
  if (!await live.asksPassword(id)) return undefined;
  if (settings.typePasswords) return `A program in ${name} waits for a password. ${ASK_PERSON}`;
  const what = `Cannot ${verb} ${name}, whose program waits for a password`;
  throw denial(what, "security.type_passwords = false", ASK_PERSON);
}
