// Replaces jsr:@std/assert if JSR can't be reached: the same names, on top of node:assert.
import nodeAssert from "node:assert/strict";

export { AssertionError } from "node:assert";

// deno-lint-ignore no-explicit-any -- std's own signature
type ErrorClass<E> = abstract new (...args: any[]) => E;

export function assert(value: unknown, message?: string): asserts value {
  nodeAssert.ok(value, message ?? "Expected a truthy value");
}

export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.deepEqual(actual, expected, message);
}

export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.notDeepEqual(actual, expected, message);
}

export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  nodeAssert.equal(actual, expected, message);
}

export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  nodeAssert.match(actual, expected, message);
}

export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  nodeAssert.ok(
    actual.includes(expected),
    message ?? `Expected ${JSON.stringify(actual)} to contain ${JSON.stringify(expected)}`,
  );
}

export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClass?: ErrorClass<E>,
  messageIncludes?: string,
): E {
  let thrown: unknown;
  let returned = false;
  try {
    fn();
    returned = true;
  } catch (error) {
    thrown = error;
  }
  return checkThrown(returned, thrown, errorClass, messageIncludes);
}

export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass?: ErrorClass<E>,
  messageIncludes?: string,
): Promise<E> {
  let thrown: unknown;
  let returned = false;
  try {
    await fn();
    returned = true;
  } catch (error) {
    thrown = error;
  }
  return checkThrown(returned, thrown, errorClass, messageIncludes);
}

export function fail(message?: string): never {
  nodeAssert.fail(message ?? "Failed");
}

function checkThrown<E extends Error>(
  returned: boolean,
  thrown: unknown,
  errorClass: ErrorClass<E> | undefined,
  messageIncludes: string | undefined,
): E {
  nodeAssert.ok(!returned, "Expected an error to be thrown");
  nodeAssert.ok(
    thrown instanceof (errorClass ?? Error),
    `Expected ${errorClass?.name ?? "Error"}, got ${thrown}`,
  );
  if (messageIncludes !== undefined) assertStringIncludes((thrown as Error).message, messageIncludes);
  return thrown as E;
}
