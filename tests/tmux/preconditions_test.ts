// Batches with preconditions run unchanged while these hold, and not at all once they don't.
import { assertEquals } from "@std/assert";
import type { AppError } from "../../src/errors.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { type Precondition, Preconditions } from "../../src/tmux/preconditions.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { type PrivateTmux, privateTmux } from "./private_tmux.ts";
import { numbers } from "../support/random.ts";

/** Characters that some parser could take for its own; a name with some of them. */
const AWKWARD = [
  "'",
  '"',
  "\\",
  "\n",
  "\n  ",
  "\n#",
  ";",
  " ; ",
  "{",
  "}",
  "$HOME",
  "~",
  "#",
  "##{",
  ",",
  "%",
  "\t",
  "\r",
  "\x1b",
  "\x7f",
  "é",
];
const NAME = "b'b, c}#{d";
const OTHER = "a}, b";

async function found(tmux: PrivateTmux): Promise<{ run: Run; preconditions: Preconditions }> {
  const exec = createProcessExec(tmux.target);
  const run: Run = async (...commands) => {
    const { code, stdout, stderr } = await exec(commands);
    if (code !== 0) throw new Error(stderr);
    return new TextDecoder().decode(stdout);
  };
  await run(["rename-session", "-t", "=main:", "--", NAME.replaceAll("#", "##")]);
  // Panes and sessions are not listed in the order of their creation: tmux lists them by place and by name.
  await run(
    ["split-window", "-d", "-t", "%0", "cat"],
    ["split-window", "-d", "-t", "%0", "cat"],
    ["set-option", "-w", "-t", "@0", "synchronize-panes", "on"],
    ["new-session", "-d", "-s", OTHER, "cat"],
  );
  const shown = await run(["display-message", "-p", "-t", "%0", "#{pid}-#{start_time}\n#{session_name}"]);
  const [serverKey = "", name = ""] = shown.split("\n");
  const session = { id: "$0", name };
  const panes = ["%0", "%2", "%1"];
  const pid = Number(await run(["display-message", "-p", "-t", "%1", "#{pane_pid}"]));
  const inSession: Precondition[] = [
    { kind: "pane", id: "%0", session, linkedInto: name, synchronized: true, panes },
    { kind: "pane", id: "%1", session, pid },
    { kind: "window", id: "@0", session, linkedInto: name, panes },
    { kind: "session", id: "$0", session, panes },
    { kind: "server", id: "", sessions: [{ id: "$1", name: OTHER }, session] },
  ];
  const preconditions = new Preconditions(inSession, serverKey);
  const held = preconditions.exec(exec);
  return {
    run: async (...commands) => new TextDecoder().decode((await held(commands)).stdout),
    preconditions,
  };
}

type Run = (...commands: Command[]) => Promise<string>;

Deno.test("what is held to preconditions reaches tmux word for word", async () => {
  await using tmux = await privateTmux();
  const { run } = await found(tmux);
  const pick = numbers(7);
  for (let round = 0; round < 40; round++) {
    const text = Array.from({ length: 6 }, () => AWKWARD[pick(AWKWARD.length)]).join("");
    assertEquals(await run(["set-buffer", "-b", "b", "--", text], ["show-buffer", "-b", "b"]), text);
  }
  for (const one of AWKWARD) {
    const typed = one.repeat(4096 / one.length);
    assertEquals(await run(["set-buffer", "-b", "b", "--", typed], ["show-buffer", "-b", "b"]), typed);
  }
  // A failing command ends the rest, as it does without preconditions.
  assertEquals(await run(["has-session", "-t", "%9"], ["kill-server"]), "");
  assertEquals(await run(["display-message", "-p", "here"]), "here\n");
});

const CHANGES: Readonly<Record<string, Command>> = {
  "a session renamed": ["rename-session", "-t", "$0", "other"],
  "a pane gone": ["kill-pane", "-t", "%1"],
  "a pane's program replaced": ["respawn-pane", "-k", "-t", "%1", "cat"],
  "a pane more": ["split-window", "-d", "-t", "%0", "cat"],
  "a window linked elsewhere": ["link-window", "-d", "-s", "@0", "-t", "$0:9"],
  "panes no longer synchronized": ["set-option", "-w", "-t", "@0", "synchronize-panes", "off"],
  "a session more": ["new-session", "-d", "-s", "more", "cat"],
};

for (const [change, command] of Object.entries(CHANGES)) {
  Deno.test(`nothing is done after ${change}, until the preconditions are lifted`, async () => {
    await using tmux = await privateTmux();
    const { run, preconditions } = await found(tmux);
    assertEquals(await run(["display-message", "-p", "here"]), "here\n");
    assertEquals((await createProcessExec(tmux.target)([command])).code, 0);
    const late = await run(["display-message", "-p", "late"]).catch((error: AppError) => error.code);
    assertEquals(late, "busy");
    preconditions.lift();
    assertEquals(await run(["display-message", "-p", "late"]), "late\n");
  });
}

Deno.test("a refusal is seen though a hook prints after it", async () => {
  await using tmux = await privateTmux();
  const { run } = await found(tmux);
  for (
    const command of [
      ["set-hook", "-g", "after-display-message", "display-message -p PRINTED"],
      ["rename-session", "-t", "$0", "other"],
    ]
  ) assertEquals((await createProcessExec(tmux.target)([command])).code, 0);
  assertEquals(await run(["kill-server"]).catch((error: AppError) => error.code), "busy");
});
