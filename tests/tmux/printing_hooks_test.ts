// Reads of plain text, and what is asked about the user's hooks with them.
import { assertEquals } from "@std/assert";
import { PrintingHooks, readWithoutHooks } from "../../src/tmux/printing_hooks.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import type { Command, ExecOptions } from "../../src/tmux_exec/exec.ts";
import { privateTmux } from "./private_tmux.ts";

Deno.test("a read of a pane that is gone takes a control client only where a hook prints", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const framed: boolean[] = [];
  const send = (commands: readonly Command[], options: ExecOptions = {}) => {
    framed.push(options.frameTag !== undefined);
    return exec(commands, options);
  };
  const read = async (): Promise<string> => {
    const command = ["display-message", "-p", "-t", "%999", "[#{pane_pid}]"];
    const { stdout } = await readWithoutHooks([command], new PrintingHooks(), send);
    return new TextDecoder().decode(stdout);
  };
  assertEquals([await read(), framed.splice(0)], ["[]\n", [false, false]]);
  await exec([["set-hook", "-g", "after-display-message", "list-sessions -F x"]]);
  assertEquals([await read(), framed], ["[]\n", [false, true]]);
});
