// Programs that Ctrl-Z stops: the shell is back at its prompt, and they have not ended.
import { assertEquals } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const onServer = onOneServer("programs that Ctrl-Z stops");

/** Each in a pane of its own with this shell. */
function test(
  name: string,
  shells: readonly string[],
  run: (pane: ShellPane, shell: string) => Promise<void>,
): void {
  if (Deno.build.os !== "linux") return;
  for (const shell of shells) {
    onServer(`${name}: ${shell}`, async ({ world, client }) => {
      const pane = await ShellPane.add(world, client, shell);
      await run(pane, shell);
      await world.tmux("kill-pane", "-t", pane.paneId);
    });
  }
}

const STARTING = "bash -c 'timeout --foreground 0.5 tail -f /dev/null; exec mksh'";

test(
  "a command that Ctrl-Z stops is not over where the shell's status shows nothing, and the next one is",
  ["ksh93", "mksh", STARTING, "dash -i", "yash --norcfile"],
  async (pane) => {
    const began = pane.run("/bin/sleep 600", { timeout: 40 });
    await pane.untilRunning("sleep");
    await stopJob(pane);
    const { status, stopped, exitCode } = await began;
    assertEquals([status, stopped, exitCode], ["running", true, undefined]);
    const next = await pane.run("true");
    assertEquals([next.status, next.exitCode], ["completed", 0]);
    await killJob(pane);
  },
);

test(
  "a command that stops itself is not over where the shell's status shows nothing",
  ["ksh93", "mksh", "fish --no-config"],
  async (pane) => {
    const { client, paneId } = pane;
    const { commandId, status } = await pane.run(`sh -c 'printf "Stop? "; read answer; kill -STOP $$'`, {
      timeout: 40,
    });
    assertEquals(status, "waiting");
    await client.ok("send-keys", { paneId, keys: "yes", literal: true, enter: true });
    await until(async () => (await client.ok("get-command-result", { commandId })).stopped);
    await killJob(pane);
  },
);

const READER = ["cat & sleep 0.5; (exit 0)", 0] as const;
const STOPS: Readonly<Record<string, readonly [command: string, exitCode: number]>> = {
  "bash --norc": READER,
  "zsh -f": READER,
  ksh93: READER,
  mksh: READER,
  "fish --no-config": ["sleep 600 & kill -STOP $last_pid; sleep 0.5; false", 1],
};

test(
  "a background job that stops during a command leaves the command's own end",
  Object.keys(STOPS),
  async (pane, shell) => {
    const [command, code] = STOPS[shell]!;
    const { status, stopped, exitCode } = await pane.run(command, { timeout: 40 });
    assertEquals([status, stopped, exitCode], ["completed", undefined, code]);
    assertEquals((await stoppedJobs(pane)).length, 1);
    await killJob(pane);
  },
);

const REPORTING = ["bash --norc", "zsh -f", "fish --no-config"];

test(
  "a command that Ctrl-Z stops runs on until its job ends, and leaves the pane free",
  REPORTING,
  async (pane) => {
    const { client } = pane;
    const began = pane.run("sleep 600", { timeout: 40 });
    await pane.untilRunning("sleep");
    await stopJob(pane);
    const { commandId, status, stopped, exitCode } = await began;
    assertEquals({ status, stopped, exitCode }, { status: "running", stopped: true, exitCode: undefined });
    assertEquals((await pane.run("echo between")).output, "between");
    // A later command's own status stands, whatever else is stopped there.
    assertEquals((await pane.run("sh -c 'exit 148'")).status, "completed");
    const still = await client.ok("get-command-result", { commandId });
    assertEquals([still.status, still.stopped], ["running", true]);
    await killJob(pane);
    const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([done.status, done.exitCode, done.stopped], ["completed", undefined, undefined]);
  },
);

test(
  "a watch for exit waits until a job that Ctrl-Z stopped ends",
  REPORTING,
  async (pane) => {
    const { client, paneId } = pane;
    const watch = (triggers: string[]) =>
      client.ok("start-and-watch", { paneId, command: "sleep 600", triggers, timeout: 40 });
    const first = watch(["exit", "shell"]);
    await pane.untilRunning("sleep");
    await stopJob(pane);
    assertEquals((await first).event, "shell");
    await killJob(pane);
    const second = watch(["exit"]);
    await pane.untilRunning("sleep");
    await stopJob(pane);
    const { paneState } = await client.ok("watch-pane", { paneId, triggers: ["shell"], timeout: 20 });
    assertEquals(paneState.waitingForInput, true);
    await killJob(pane);
    const { event, exitCode } = await second;
    assertEquals([event, exitCode === 148], ["exit", false]);
  },
);

/** Looks at the program after each Ctrl-Z: ksh93 has been seen to continue one that was stopped as it began. */
const LOOKS = 50;

/** Presses Ctrl-Z until it stops the program. */
async function stopJob(pane: ShellPane): Promise<void> {
  const shell = await shellPid(pane);
  let looks = 0;
  await until(async () => {
    if (looks++ % LOOKS === 0) await pane.world.tmux("send-keys", "-t", pane.paneId, "C-z");
    return (await stoppedChildren(shell)).length > 0;
  }, 20);
}

/** fish knows no `kill %1`, and starts programs of its own at its prompt. */
async function killJob(pane: ShellPane): Promise<void> {
  const [job] = await stoppedJobs(pane);
  if (job === undefined) throw new Error("No child of the shell is stopped");
  Deno.kill(job, "SIGKILL");
}

async function stoppedJobs(pane: ShellPane): Promise<number[]> {
  return await stoppedChildren(await shellPid(pane));
}

async function shellPid({ world, paneId }: ShellPane): Promise<number> {
  return Number(await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pid}"));
}

async function stoppedChildren(shell: number): Promise<number[]> {
  const children = await Deno.readTextFile(`/proc/${shell}/task/${shell}/children`);
  const stats = await Promise.all(
    children.trim().split(" ").map((pid) => Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "")),
  );
  return stats.filter((stat) => /\) T /.test(stat)).map((stat) => Number.parseInt(stat));
}

Deno.test({
  name: "a job that Ctrl-Z has stopped has not ended for later servers, whoever saw it stop, until it does",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    await world.tmux("new-session", "-d", "-s", "keep", "cat");
    const first = await world.serve();
    const panes = [
      await ShellPane.add(world, first, "bash --norc"),
      await ShellPane.add(world, first, "bash --norc"),
    ];
    const begun = await Promise.all(panes.map((pane) => pane.run("sleep 600", { timeout: 1 })));
    const [seen, unseen] = panes as [ShellPane, ShellPane];
    const states = async (client: TestClient) =>
      await Promise.all(begun.map(async ({ commandId }) => {
        const { status, stopped, exitCode } = await client.ok("get-command-result", { commandId });
        return [status, stopped, exitCode];
      }));
    await stopJob(seen);
    await until(async () => (await states(first))[0]![1] === true);
    await first.kill();
    await stopJob(unseen);
    const stopped = [["running", true, undefined], ["running", true, undefined]];
    const next = await world.serve();
    await until(async () => JSON.stringify(await states(next)) === JSON.stringify(stopped));
    await next.kill();
    const last = await world.serve();
    assertEquals(await states(last), stopped);
    for (const pane of panes) await killJob(pane);
    const ended = [["completed", undefined, undefined], ["completed", undefined, undefined]];
    await until(async () => JSON.stringify(await states(last)) === JSON.stringify(ended));
  },
});
