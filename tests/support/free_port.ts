const LOWEST = 10_000;
/** The kernel's own choices begin here (Linux), for clients too, whose connections would keep the port taken. */
const END = 32_768;
const TRIES = 100;

/** Returns a TCP port that nothing listens on. */
export function freePort(): number {
  for (let tries = 1;; tries++) {
    const port = LOWEST + Math.floor(Math.random() * (END - LOWEST));
    try {
      using _listener = Deno.listen({ hostname: "0.0.0.0", port });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse) || tries === TRIES) throw error;
    }
  }
}
