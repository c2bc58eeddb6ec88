// What a check of this machine found, and how it is shown.

export interface Finding {
  name: string;
  /** `fails`: the server cannot work; `partly`: it works, with less than all it can do. */
  verdict: "works" | "partly" | "fails";
  says: string;
  /** What to do about it. */
  fix?: string;
}

const NAME_WIDTH = 14;

export function formatFinding({ name, verdict, says, fix }: Finding): string {
  const line = `${verdict.padEnd(8)}${name.padEnd(NAME_WIDTH)} ${says}`;
  return fix === undefined ? line : `${line}\n${" ".repeat(8 + NAME_WIDTH)} fix: ${fix}`;
}
