// Checks that a pane can take typing now: it is alive, in no mode, its input is on, and no person is
// answering.
import { AppError, inMode } from "../errors.ts";
import type { ResolvedTarget } from "./resolved_target.ts";
import type { Declaration } from "./types.ts";

/**
 * @throws {AppError} `gone` for a dead pane, `busy` for a pane whose program wouldn't get the keys
 */
export function checkReady({ kind, name, rows }: ResolvedTarget, { shellText, groups }: Declaration): void {
  const pane = rows[0];
  // Copying a pane's output or setting its options presses no keys.
  if (kind !== "pane" || pane === undefined || shellText === undefined || groups.includes("options")) return;
  if (pane.dead) {
    throw new AppError("gone", `Cannot type into ${name}: its program has ended`, {
      hint: "Use another pane",
    });
  }
  if (pane.mode !== "") throw inMode(name, pane.mode);
  if (pane.inputOff) {
    throw new AppError("busy", `Cannot type into ${name}: its input is off`, { hint: "Use another pane" });
  }
}

/** @throws {AppError} `busy` for a pane in which a person is answering */
export function checkNobodyAnswers(
  { kind, name, rows }: ResolvedTarget,
  { shellText, groups }: Declaration,
): void {
  if (kind !== "pane" || !rows[0]?.handedOver || shellText === undefined || groups.includes("options")) {
    return;
  }
  throw new AppError("busy", `Cannot type into ${name}: a person is answering there`, {
    hint: "Wait until the person has answered, or use another pane",
  });
}
