// Inspects processes where file descriptors may have run out.
import { AppError } from "../src/errors.ts";

/** An inspection without a descriptor shows nothing; the next one may. */
export function attempt<T>(inspect: () => T, unknown: T): T {
  try {
    return inspect();
  } catch (error) {
    if (error instanceof AppError && error.code === "busy") return unknown;
    throw error;
  }
}
