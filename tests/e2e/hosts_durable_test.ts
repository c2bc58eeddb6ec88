// Commands and watches on another machine outlive the server that began them.
import { assertEquals, assertMatch } from "@std/assert";
import { Far, remoteTest } from "../support/remote.ts";

const host = "far";

remoteTest("what a killed server ran and watched on a host is known to the next", async () => {
  await using remote = await Far.create();
  const first = await remote.serve();
  const command = "exec bash --norc --noprofile";
  const { paneId } = await first.ok("create-session", { host, command });
  await first.ok("watch-pane", { host, paneId, triggers: "user_input", timeout: 100 });
  const ended = await first.ok("execute-command", { host, paneId, command: "seq 3; (exit 3)" });
  const made = await new Deno.Command("mkfifo", { args: [`${remote.world.folder}/fifo`] }).output();
  assertEquals(made.success, true);
  const running = await first.begin({
    ...{ host, paneId },
    command: `echo begun; read -r x <${remote.world.folder}/fifo; echo "$x" and over`,
  }, 0);
  const watched = { triggers: "pattern:over$", background: true, timeout: 600 };
  const { watchId } = await first.ok("watch-pane", { host, paneId, ...watched });
  Deno.kill(first.transport.pid!, "SIGKILL");
  await first.transport.close();

  const next = await remote.serve();
  const rows = async (): Promise<unknown[]> =>
    (await next.ok("list-commands", { host })).commands.map((
      { commandId, status, exitCode }: Record<string, unknown>,
    ) => [commandId, status, exitCode]);
  assertEquals(await rows(), [[running.commandId, "running", undefined], [ended.commandId, "completed", 3]]);
  const known = await next.ok("get-command-result", { commandId: ended.commandId });
  assertEquals([known.output, known.exitCode], ["1\n2\n3", 3]);
  await Deno.writeTextFile(`${remote.world.folder}/fifo`, "late\n");
  const lost = await next.ok("get-command-result", { commandId: running.commandId, waitSeconds: 100 });
  assertEquals([lost.status, lost.output], ["lost", "begun\nlate and over"]);
  assertMatch(lost.reason, /only that server could learn the exit code/);
  const { events } = await next.ok("watch-events", { host, waitSeconds: 100 });
  assertEquals(events.map((event: Record<string, unknown>) => [event.watchId, event.event]), [
    [watchId, "pattern:over$"],
  ]);
});
