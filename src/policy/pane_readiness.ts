// Checks that a pane can take typing now: it is alive, in no mode, its input is on, and no person is answering,
// whose keys no call sends elsewhere.
import { AppError, inMode, personAnswers } from "../errors.ts";
import type { ResolvedTarget } from "./resolved_target.ts";
import type { Declaration, PolicySnapshot } from "./types.ts";

/** True for a call that types into its target; copying a pane's output and setting its options press no keys. */
export function pressesKeys({ shellText, groups }: Declaration): boolean {
  return shellText !== undefined && !groups.includes("options");
}

/** @throws {AppError} `gone` for a dead pane, `busy` for a pane whose program wouldn't get the keys */
export function checkReady({ kind, name, rows }: ResolvedTarget): void {
  const pane = rows[0];
  if (kind !== "pane" || pane === undefined) return;
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
export function checkNobodyAnswers({ kind, name, rows }: ResolvedTarget): void {
  if (kind === "pane" && rows[0]?.handedOver) throw personAnswers(`type into ${name}`);
}

/**
 * For a call after which a person's keys may reach another program.
 * @throws {AppError} `busy` if a person is answering in what the call ends, or in a session where it changes the focus
 */
export function checkKeysStay(
  verb: string,
  { name, rows }: ResolvedTarget,
  { snapshot, ends }: { snapshot: PolicySnapshot; ends: boolean },
): void {
  const sessions = new Set(rows.map(({ sessionId }) => sessionId));
  const reached = ends ? rows : snapshot.panes.filter(({ sessionId }) => sessions.has(sessionId));
  if (reached.some(({ handedOver }) => handedOver)) throw personAnswers(`${verb} ${name}`);
}
