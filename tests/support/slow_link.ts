// A slow link to a port of this machine.

const PIECE = 16_384;

export interface Slowness {
  /** Time (ms) that each byte is under way, in each direction. */
  delayMs?: number;
  bytesPerSecond?: number;
}

/** Passes connections on to a port of this machine. */
export class SlowLink implements AsyncDisposable {
  readonly #listener: Deno.TcpListener;
  readonly #slowness: Slowness;
  readonly #conns: Deno.Conn[] = [];
  readonly #passing: Promise<void>[] = [];
  #isOver = false;

  private constructor(listener: Deno.TcpListener, slowness: Slowness) {
    this.#listener = listener;
    this.#slowness = slowness;
  }

  static to(port: number, slowness: Slowness): SlowLink {
    const link = new SlowLink(Deno.listen({ hostname: "127.0.0.1", port: 0 }), slowness);
    link.#passing.push(link.#accept(port).catch(() => {}));
    return link;
  }

  /** The port to connect to. */
  get port(): number {
    return this.#listener.addr.port;
  }

  /** Ends every connection; settles once nothing is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#listener.close();
    for (const conn of this.#conns) close(conn);
    for (const passed of this.#passing) await passed;
  }

  async #accept(port: number): Promise<void> {
    for await (const near of this.#listener) {
      this.#conns.push(near);
      const far = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => close(near));
      if (!far) continue;
      this.#conns.push(far);
      if (this.#isOver) return [near, far].forEach(close);
      this.#passing.push(this.#pass(near, far), this.#pass(far, near));
    }
  }

  async #pass(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const { delayMs = 0, bytesPerSecond = Infinity } = this.#slowness;
    let passed = Promise.resolve();
    try {
      for (;;) {
        const piece = new Uint8Array(PIECE);
        const count = await from.read(piece);
        if (count === null) break;
        const arrived = sleep(delayMs);
        passed = passed.then(() => arrived).then(() => writeAll(to, piece.subarray(0, count)));
        // Many bytes are under way at a time, unless there is a limit to their number.
        if (bytesPerSecond < Infinity) await passed.then(() => sleep(count / bytesPerSecond * 1000));
        else passed.catch(() => {});
      }
      await passed;
      await to.closeWrite();
    } catch {
      // One end has hung up, and the other has to see that, after what is under way.
      await passed.catch(() => {});
      close(from);
      close(to);
    }
  }
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}

function sleep(ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // The other direction has closed it.
  }
}
