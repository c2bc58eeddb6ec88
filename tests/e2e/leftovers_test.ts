// A server removes the temporary files that a killed one left, and nothing else there.
import { assertEquals } from "@std/assert";
import { openFifos } from "../../src/ffi/fifos.ts";
import { findLibcPath } from "../tmux/private_tmux.ts";
import { Far, remoteTest } from "../support/remote.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

async function temporaryFolder({ folder }: World): Promise<string> {
  const path = `${folder}/${crypto.randomUUID().slice(0, 8)}`;
  await Deno.mkdir(path);
  return path;
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.startsWith("tmux-mcp-"))
    .sort();
}

/** Makes a file seem to be an hour old. */
async function age(path: string): Promise<void> {
  const then = new Date(Date.now() - 3_600_000);
  await Deno.utime(path, then, then);
}

async function makeUnread(folder: string): Promise<string> {
  const path = `${folder}/tmux-mcp-${crypto.randomUUID()}`;
  await new Deno.Command("mkfifo", { args: [path] }).output();
  return path;
}

Deno.test({
  name: "the fifo of a killed server is removed; a living one's, a new one, a file and a link stay",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    const folder = await temporaryFolder(world);
    const serve = { args: ["--attach=false"], env: { TMPDIR: folder } };
    await world.tmux("new-session", "-d", "cat");
    // While the pane has this pipe, a watch waits with its fifo ready.
    await world.tmux("pipe-pane", "cat >/dev/null");
    const killed = await world.serve(serve);
    void killed.call("watch-pane", { paneId: "%0", triggers: "bell" }).catch(() => {});
    await until(() => names(folder).length > 0);
    const [left] = names(folder);
    await killed.kill();
    await age(`${folder}/${left}`);

    using fifos = openFifos(findLibcPath());
    const living = fifos.make(folder)!;
    await age(living.path);
    await makeUnread(folder);
    await Deno.symlink(await makeUnread(world.folder), `${folder}/tmux-mcp-${crypto.randomUUID()}`);
    const file = `${folder}/tmux-mcp-${crypto.randomUUID()}`;
    await Deno.writeTextFile(file, "a person's");
    await age(file);
    const before = names(folder);
    const next = await world.serve(serve);
    await next.ok("list-sessions");
    await until(() => !names(folder).includes(left!));
    assertEquals(names(folder), before.filter((name) => name !== left));
    living.close();
  },
});

remoteTest(
  "the folder of a killed server's ssh connections is removed, a living server's and others stay",
  async (t) => {
    await using remote = await Far.create();
    await remote.tmux("new-session", "-d", "cat");
    for (const variable of ["TMPDIR", "XDG_RUNTIME_DIR"]) {
      await t.step(variable, async () => {
        const folder = await temporaryFolder(remote.world);
        const env = { [variable]: folder };
        const [killed, living] = [await remote.serve([], env), await remote.serve([], env)];
        await killed.ok("list-sessions", { host: "far" });
        const [left] = names(folder);
        await living.ok("list-sessions", { host: "far" });
        await Deno.mkdir(`${folder}/tmux-mcp-0123456789abcdef`);
        const before = names(folder);
        await killed.kill();
        const next = await remote.serve([], env);
        await next.ok("list-sessions");
        await until(() => !names(folder).includes(left!));
        assertEquals(names(folder), before.filter((name) => name !== left));
        assertEquals((await living.ok("list-sessions", { host: "far" })).sessions.length, 1);
      });
    }
  },
);
