// A socket that answers tmux clients with bytes of the test's choosing.

export interface FakeServer extends AsyncDisposable {
  readonly path: string;
  readonly folder: string;
  /** Number of clients that have connected. */
  readonly clients: number;
}

/** Serves a client that has opened: replies as often as it likes; the stream closes at the end. */
export type Behaviour = (conn: Deno.Conn, client: number) => Promise<void>;

export async function fakeServer(behave: Behaviour): Promise<FakeServer> {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-" });
  const path = `${folder}/socket`;
  const listener = Deno.listen({ transport: "unix", path });
  const open = new Set<Deno.Conn>();
  let clients = 0;
  const serve = async (conn: Deno.Conn): Promise<void> => {
    open.add(conn);
    try {
      await conn.read(new Uint8Array(65536));
      await behave(conn, ++clients);
    } catch {
      // The client closed first.
    } finally {
      if (open.delete(conn)) conn.close();
    }
  };
  const accepting = (async () => {
    const served = [];
    for await (const conn of listener) served.push(serve(conn));
    await Promise.all(served);
  })();
  return {
    path,
    folder,
    get clients(): number {
      return clients;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      for (const conn of open) conn.close();
      open.clear();
      await accepting;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Waits until the client closes its side. */
export async function untilClosed(conn: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(65536);
  while (await conn.read(buffer) !== null);
}
