// Refuses arguments that say in two ways what a call acts on.
import { AppError } from "../errors.ts";

/**
 * @param pairs names of arguments of which at most one may be given
 * @throws {AppError} `invalid-argument` naming the two
 */
export function refuseTogether(
  args: Readonly<Record<string, unknown>>,
  ...pairs: readonly (readonly [string, string])[]
): void {
  const both = pairs.find((pair) => pair.every((name) => args[name] !== undefined));
  if (both === undefined) return;
  const [first, second] = both;
  throw new AppError("invalid-argument", `Cannot take ${first} together with ${second}`, {
    hint: `Give ${first} or ${second}`,
  });
}
