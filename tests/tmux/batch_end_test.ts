// Failures of a batch and of the user's hooks, on a private server.
import { assertEquals } from "@std/assert";
import { withoutHookFailures } from "../../src/tmux/batch_end.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { privateTmux } from "./private_tmux.ts";

const PRINT = ["display-message", "-p", "printed"];
const MISSING = "kill-pane -t %99";
const choose = (...branches: string[]): Command => ["if-shell", "-F", "-t", "main:", "1", ...branches];

Deno.test("a batch fails if one of its commands does, and not if a hook does", async () => {
  await using tmux = await privateTmux();
  const plain = createProcessExec(tmux.target);
  const acts = ["select-pane", "set-option", "display-message", "load-buffer", "save-buffer"];
  for (const hook of acts.map((name) => `after-${name}`)) {
    await plain([["set-hook", "-g", hook, "select-window -t :99"]]);
  }
  const exec = withoutHookFailures(plain);
  const selected = ["select-pane", "-t", "main:"];
  const file = `${tmux.folder}/file`;
  await Deno.writeTextFile(file, "content");
  const rows: [Command[], number, string][] = [
    [[selected, PRINT], 0, "printed\n"],
    [[selected, ["kill-pane", "-t", "%99"], PRINT], 1, ""],
    [[PRINT, choose("set-option -g @a 1"), PRINT], 0, "printed\nprinted\n"],
    [[PRINT, choose("set-option -g @a 1", MISSING), PRINT], 0, "printed\nprinted\n"],
    [[choose(MISSING, "set-option -g @a 1"), PRINT], 1, "printed\n"],
    [[["load-buffer", `${tmux.folder}/none`], PRINT], 1, "printed\n"],
    [[["load-buffer", "-b", "b", file]], 0, ""],
    [[["load-buffer", "-b", "b", file], ["kill-pane", "-t", "%99"]], 1, ""],
    [[["save-buffer", "-b", "b", "-"]], 0, "content"],
    [[["save-buffer", "-b", "none", "-"]], 1, ""],
    [[["save-buffer", "-b", "b", `${tmux.folder}/##1`], PRINT], 0, "printed\n"],
    [[["save-buffer", "-b", "b", `${tmux.folder}/##1/x`], PRINT], 1, "printed\n"],
    [[choose(`if-shell -F 1 "${MISSING}"`), PRINT], 1, "printed\n"],
  ];
  for (const [commands, code, printed] of rows) {
    const reply = await exec(commands);
    const seen = [reply.code, new TextDecoder().decode(reply.stdout)];
    assertEquals(seen, [code, printed], `${commands.join(" ; ")}: ${reply.stderr}`);
  }
});
