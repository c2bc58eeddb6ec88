// Findings of this machine's checks, and their text form.
import { AppError } from "../../errors.ts";

export interface Finding {
  name: string;
  /** `fails`: the server cannot work; `partly`: it works, but not in full. */
  verdict: "works" | "partly" | "fails";
  says: string;
  fix?: string;
}

/** The finding for a check that threw; rethrows errors other than `AppError`. */
export function failedCheck(error: unknown, name: string, verdict: "partly" | "fails" = "fails"): Finding {
  if (!(error instanceof AppError)) throw error;
  return { name, verdict, says: error.message, ...(error.hint && { fix: error.hint }) };
}

const NAME_WIDTH = 14;

export function formatFinding({ name, verdict, says, fix }: Finding): string {
  const line = `${verdict.padEnd(8)}${name.padEnd(NAME_WIDTH)} ${printable(says)}`;
  return fix === undefined ? line : `${line}\n${" ".repeat(8 + NAME_WIDTH)} fix: ${printable(fix)}`;
}

/** Escapes what a terminal would obey: a text can come from the configuration of a project that somebody else wrote. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
  });
}
