// Refuses arguments that contradict each other, or one that has no effect together with another.
import { AppError } from "../errors.ts";

/**
 * @param pairs names of arguments of which at most one may be given
 * @throws {AppError} `invalid-argument` naming the two
 */
export function checkExclusive(
  args: Readonly<Record<string, unknown>>,
  ...pairs: readonly (readonly [string, string])[]
): void {
  const both = pairs.find((pair) => pair.every((name) => args[name] !== undefined));
  if (both === undefined) return;
  const [first, second] = both;
  throw new AppError("invalid-argument", `Cannot use ${first} together with ${second}`, {
    hint: `Give ${first} or ${second}`,
  });
}

/**
 * @param pairs an argument, and another with which it has no effect
 * @throws {AppError} `invalid-argument` naming the two
 */
export function checkHasEffect(
  args: Readonly<Record<string, unknown>>,
  ...pairs: readonly (readonly [string, string])[]
): void {
  const both = pairs.find((pair) => pair.every((name) => args[name]));
  if (both === undefined) return;
  const [unused, other] = both;
  throw new AppError("invalid-argument", `${unused} has no effect with ${other}`, {
    hint: `Leave out ${unused} or ${other}`,
  });
}
