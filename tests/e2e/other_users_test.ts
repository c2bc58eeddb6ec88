// Sockets of other users, given to a server that does not run as root.
import { assertEquals, assertMatch } from "@std/assert";
import { NOBODY } from "../process/panes.ts";
import { type TestClient, World } from "../support/world.ts";

/** Listens as this user, and counts what clients send it; it answers nothing. */
class Listener implements Disposable {
  bytes = 0;
  readonly #listener: Deno.UnixListener;

  constructor(path: string) {
    this.#listener = Deno.listen({ transport: "unix", path });
    Deno.chmodSync(path, 0o777);
    void this.#count();
  }

  async #count(): Promise<void> {
    const buffer = new Uint8Array(1 << 16);
    for await (using conn of this.#listener) this.bytes += await conn.read(buffer).catch(() => 0) ?? 0;
  }

  [Symbol.dispose](): void {
    this.#listener.close();
  }
}

Deno.test({
  name: "another user's socket is refused and sent nothing, unless the configuration or TMUX names it",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    await using world = await World.create();
    const socket = `${world.folder}/theirs`;
    using listener = new Listener(socket);
    await Deno.chown(world.folder, NOBODY, NOBODY);
    const become = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
    const launcher = new URL("../../scripts/tmux-mcp", import.meta.url).pathname;
    const serve = (args: readonly string[], env: Record<string, string> = {}): Promise<TestClient> =>
      world.serve({ command: become[0]!, args: [...become.slice(1), launcher, "--scope=all", ...args], env });
    const client = await serve([`--socket=${world.socket}`]);
    for (const [name, more] of Object.entries({ "list-sessions": {}, "create-session": { name: "w" } })) {
      const { code, text } = await client.fails(name, { socket, ...more });
      assertEquals([name, code], [name, "denied"]);
      assertMatch(text, /belongs to another user \(uid 0\)/);
    }
    assertEquals(listener.bytes, 0);
    const { sessionName } = await client.ok("create-session", { name: "own", command: "cat" });
    assertEquals(sessionName, "own");
    for (const named of [await serve([`--socket=${socket}`]), await serve([], { TMUX: `${socket},1,0` })]) {
      const before = listener.bytes;
      assertEquals((await named.fails("list-sessions")).code === "denied", false);
      assertEquals(listener.bytes > before, true);
    }
  },
});
