// Inspects processes at times when file descriptors may have run out.
import { hasCode } from "../../src/errors.ts";

/** Returns the result of `inspect`, or `unknown` if no descriptor is left; the next inspection may succeed. */
export function ifDescriptorsLeft<T>(inspect: () => T, unknown: T): T {
  try {
    return inspect();
  } catch (error) {
    if (hasCode(error, "busy")) return unknown;
    throw error;
  }
}
