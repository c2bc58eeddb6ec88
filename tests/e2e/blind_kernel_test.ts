// Programs that can't be seen: the kernel does not say what they sleep for, as gVisor's, or they are in another pid
// namespace.
import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { serveBlind } from "../support/hidden_memory.ts";
import { findUnshare } from "../support/pid_namespace.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const LAUNCHER = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));
const UNSHARE = await findUnshare();

Deno.test("with a kernel that shows no sleeps, commands run in the shell that the caller names", async () => {
  await using world = await World.create();
  const client = await serveBlind(world);
  const { paneId } = await client.ok("create-session", { command: "dash -i" });
  const state = await client.ok("pane-state", { paneId });
  assertEquals([state.isAlive, state.waitingForInput, state.evidence], [true, false, "unsupported"]);
  const refused = await client.fails("execute-command", { paneId, command: "echo unnamed" });
  assertMatch(`${refused.text}${refused.hint}`, /shell/);
  const done = await client.ok("execute-command", { paneId, command: "echo ran; exit 3", shell: "dash" });
  assertEquals([done.status, done.exitCode, done.output], ["completed", 3, "ran"]);
});

/** Starts a tmux server in a pid namespace of its own, and a server here. */
async function inside(world: World, unshare: readonly string[]): Promise<[TestClient, Deno.ChildProcess]> {
  const { env, socket } = world;
  const file = join(world.folder, "tmux.conf");
  await Deno.writeTextFile(file, "new-session -d -s keep cat\n");
  const args = [...unshare, "tmux", "-u", "-D", "-S", socket, "-f", file];
  const tmux = new Deno.Command("unshare", { args, env, clearEnv: true, stdin: "null" }).spawn();
  await until(() => world.tmux("has-session", "-t", "keep").then(() => true, () => false));
  return [await world.serve(), tmux];
}

/** Starts a server in a pid namespace of its own, and a tmux server here. */
async function outside(world: World, unshare: readonly string[]): Promise<[TestClient]> {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const args = [...unshare, LAUNCHER, "--socket", world.socket, "--scope", "all"];
  return [await world.serve({ command: "unshare", args })];
}

/** Starts both in a pid namespace of their own, where `/proc` shows the processes outside. */
async function sandboxed(world: World, unshare: readonly string[]): Promise<[TestClient]> {
  // tmux names programs by /proc: with high pids, no process outside has the pid of a pane's.
  const start =
    'read -r most </proc/sys/kernel/pid_max; echo "$((most - 2000))" >/proc/sys/kernel/ns_last_pid; ' +
    'tmux -u -f /dev/null -S "$0" new-session -d -s keep cat && exec "$@"';
  const server = [LAUNCHER, "--socket", world.socket, "--scope", "all"];
  const flags = unshare.filter((flag) => flag !== "--mount-proc");
  return [
    await world.serve({ command: "unshare", args: [...flags, "sh", "-c", start, world.socket, ...server] }),
  ];
}

const PLACES = {
  "a container": inside,
  "the host of a container": outside,
  "the server's sandbox": sandboxed,
};
const ELSEWHERE = "unsupported: tmux runs in another pid namespace";
const SHELL = "exec bash --norc --noprofile";

for (const [where, begin] of Object.entries(PLACES)) {
  Deno.test({
    name: `tmux in ${where} does what needs no view of its programs, and no pid is taken for one here`,
    ignore: UNSHARE === undefined,
    async fn(t) {
      await using world = await World.create();
      const [client, tmux] = await begin(world, UNSHARE!);
      await using _ended = {
        async [Symbol.asyncDispose]() {
          // unshare ignores SIGTERM.
          tmux?.kill("SIGKILL");
          await tmux?.status;
        },
      };
      const { paneId } = await client.ok("create-session", { command: SHELL });

      await t.step("the state says why it has no programs", async () => {
        const { panePid: _, foregroundPid: __, ...state } = await client.ok("pane-state", { paneId });
        assertEquals(state, {
          paneId,
          foregroundCmd: "",
          isAlive: true,
          waitingForInput: false,
          inputKind: "none",
          evidence: ELSEWHERE,
        });
      });

      await t.step("commands run in the shell that the caller names", async () => {
        const command = "echo ran; (exit 3)";
        const { text, hint } = await client.fails("execute-command", { paneId, command });
        assertMatch(text, new RegExp(`: bash runs there: ${ELSEWHERE}`));
        assertMatch(`${hint}`, /if it is at its prompt, name it with shell/);
        const done = await client.ok("execute-command", { paneId, command, shell: "bash" });
        assertEquals([done.status, done.exitCode, done.output], ["completed", 3, "ran"]);
      });

      await t.step("a command in a new session needs no name of its shell", async () => {
        const pattern = "re+ady";
        const command = "echo reeady; exec cat";
        const { event, paneState } = await client.ok("start-and-watch", { command, pattern });
        assertEquals([event, paneState.evidence], [`pattern:${pattern}`, ELSEWHERE]);
      });

      await t.step("tmux tells the end of a pane's program", async () => {
        const command = "sh -c 'read x; exit 7'";
        const made = await Promise.all(
          Array.from({ length: 5 }, () => client.ok("create-session", { command })),
        );
        const watched = made.map(({ paneId }) =>
          client.ok("watch-pane", { paneId, triggers: "exit", timeout: 100 })
        );
        await until(async () =>
          (await client.ok("watch-events", { limit: 0 })).active.length === made.length
        );
        // One after the other: tmux collects a program that it missed when the next one ends.
        for (const [index, { paneId }] of made.entries()) {
          await client.ok("send-keys", { paneId, keys: "", enter: true });
          const { event, exitCode, paneState } = await watched[index];
          assertEquals([event, exitCode, paneState.isAlive], ["exit", 7, false]);
        }
      });

      await t.step("the pattern of a prompt tells that a program waits", async () => {
        const made = await client.ok("create-session", {
          command: `sh -c 'while printf "> "; read -r x; do echo "<$x>"; done'`,
        });
        const call = { paneId: made.paneId, input: "a" };
        const { code, text } = await client.fails("run-in-repl", call);
        assertEquals([code, text.includes(ELSEWHERE)], ["unsupported", true], text);
        const { output, timedOut } = await client.ok("run-in-repl", { ...call, promptPattern: "^> $" });
        assertEquals([output, timedOut], ["<a>", undefined]);
      });

      await t.step("what would need its processes and terminals is refused", async () => {
        const port = await client.fails("watch-pane", { paneId, triggers: "port" });
        assertEquals(port.text.includes("tmux runs in another pid namespace"), true, port.text);
        const display = await client.fails("write-to-display", { paneId, text: "x" });
        assertEquals([port.code, display.code], ["unsupported", "unsupported"]);
      });
    },
  });
}
