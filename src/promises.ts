// Promises that may fail without harm: one function for each reason.

/** Settles with the promise and never rejects: a failure leaves nothing to do, because what it acted on is gone. */
export function bestEffort(promise: Promise<unknown> | undefined): Promise<void> {
  return settled(promise);
}

/** Settles with the promise and never rejects: its failure is handled elsewhere. */
export function settled(promise: Promise<unknown> = Promise.resolve()): Promise<void> {
  return promise.then(() => {}, () => {});
}

/** Keeps a failure that comes before anything waits for the promise from ending the process. */
export function handledLater(promise: Promise<unknown> | undefined): void {
  promise?.catch(() => {});
}
