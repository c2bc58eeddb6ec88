// A paste into a pane whose program ended between the inspection and the paste: tmux 3.3a's server must live.
import { assertEquals, assertMatch } from "@std/assert";
import type { Command } from "../../../src/tmux_exec/exec.ts";
import { pasteCommand, pasteOnce } from "../../../src/tmux/typing/paste.ts";
import { createProcessExec } from "../../../src/tmux/spawn.ts";
import { privateTmux } from "../private_tmux.ts";
import { until } from "../../support/until.ts";

Deno.test("a dead pane gets no paste, and the buffer goes all the same", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const run = async (...commands: Command[]): Promise<string> => {
    const { code, stdout, stderr } = await exec(commands);
    assertEquals([code, stderr], [0, ""]);
    return new TextDecoder().decode(stdout).trim();
  };
  await run(["set-option", "-g", "remain-on-exit", "on"]);
  const dead = await run(["new-window", "-d", "-P", "-F", "#{pane_id}", "exit 0"]);
  await until(async () => await run(["display-message", "-p", "-t", dead, "#{pane_dead}"]) === "1");
  const own = { buffer: "it's; mine", flags: ["-r"] };
  await run(["set-buffer", "-b", own.buffer, "x"], ...pasteOnce({ ...own, paneId: dead }));
  assertEquals(await run(["list-buffers"]), "");

  const alive = await run(["display-message", "-p", "-t", "=main:", "#{pane_id}"]);
  await run(["set-buffer", "-b", own.buffer, "typed\n"], ...pasteOnce({ ...own, paneId: alive }));
  assertEquals(await run(["list-buffers"]), "");
  const screen = (): Promise<string> => run(["capture-pane", "-p", "-t", alive]);
  await until(async () => await screen() !== "");
  assertMatch(await screen(), /^typed/);
  await run(["set-buffer", "-b", "kept", "y"], pasteCommand({ paneId: dead, buffer: "kept", flags: [] }));
  assertMatch(await run(["list-buffers"]), /^kept:/);
});
