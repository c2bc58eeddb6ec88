// Panes that a process has created for a service, and left as it was killed.
import { assertEquals } from "@std/assert";
import { completeOptions } from "../../src/config.ts";
import { Engine } from "../../src/engine.ts";
import { unmarkClaimed } from "../../src/tmux/unclaimed_panes.ts";
import { until } from "../support/until.ts";
import { privateTmux } from "./private_tmux.ts";

Deno.test("panes that a killed process has not claimed end, unless they were claimed or a program runs there", async () => {
  await using server = await privateTmux();
  const { env } = server.target;
  const engine = new Engine({ options: completeOptions({}), env });
  // A connection of the first would end at once what a killed process has left.
  const reading = new Engine({ options: completeOptions({ safety: "readonly" }), env });
  const tmux = reading.connect({ socket: server.socketPath });
  const panes = async () => await tmux.run([["list-panes", "-a", "-F", "#{pane_id} #{window_name}"]]);
  try {
    const { stamp } = engine.stamp.identity!;
    const createdBy = stamp.replace(/ \d+ /, " 1 ");
    const { sessionId } = await tmux.sessions.create({ name: "services", createdBy });
    const create = (name: string, by: string) =>
      tmux.windows.create(sessionId, { name, command: "sh", createdBy: by, attach: false });
    await create("left", createdBy);
    const { paneId: claimed } = await create("claimed", createdBy);
    await tmux.run([unmarkClaimed(claimed)]);
    const { paneId: used } = await create("used", createdBy);
    await tmux.run([["send-keys", "-t", used, "cat", "Enter"]]);
    const front = async () =>
      await tmux.run([["display-message", "-p", "-t", used, "#{pane_current_command}"]]);
    await until(async () => await front() === "cat\n");
    const { paneId: live } = await create("live", stamp);
    await engine.sweep(tmux);
    assertEquals((await panes()).trim().split("\n").slice(1), [
      `${claimed} claimed`,
      `${used} used`,
      `${live} live`,
    ]);
  } finally {
    await Promise.all([engine.close(), reading.close()]);
  }
});
