// zsh as its users have set it up: its prompts, its jobs and its options.
import { assert, assertEquals } from "@std/assert";
import { serveBoth } from "../support/hidden_memory.ts";
import { onOneServer } from "../support/one_server.ts";
import { besideJobs, openShell } from "../support/shell_set_up.ts";
import { sized } from "../support/sized.ts";
import { World } from "../support/world.ts";

const test = onOneServer("zsh takes commands however it is set up");

/** As prompts do that grow short once their line is done. */
const RECURSIVE_EDIT = [
  "PROMPT='$ '",
  "zle-line-init() {",
  "  [[ $CONTEXT == start ]] || return 0",
  "  zle .recursive-edit",
  "  local -i status_=$?",
  "  zle .reset-prompt",
  "  ((status_)) && zle .send-break || zle .accept-line",
  "}",
  "zle -N zle-line-init",
].join("\n");

/** oh-my-zsh's globalias: Space expands the word before it. */
const EXPANDING_SPACE = [
  "PROMPT='$ '",
  "globalias() { zle _expand_alias; zle expand-word; zle self-insert }",
  "autoload -U compinit; compinit -u -D",
  "zle -N globalias",
  "bindkey ' ' globalias",
].join("\n");

test("zsh takes commands where Space expands the word before it", async ({ world, client }) => {
  const files = { ".zshrc": EXPANDING_SPACE };
  await using opened = await openShell(world, client, { name: "expanding zsh", shell: "zsh", files });
  const { run } = opened;
  assertEquals((await run("(exit 3)")).exitCode, 3);
  assertEquals((await run("echo $?")).output, "3");
});

test("a zsh prompt that edits by itself takes commands once it was named", async ({ world, client }) => {
  await using opened = await openShell(world, client, {
    name: "editing zsh",
    shell: "zsh",
    files: { ".zshrc": RECURSIVE_EDIT },
  });
  const { paneId, run } = opened;
  const named = { paneId, command: "echo one", shell: "zsh" };
  assertEquals((await client.ok("execute-command", named)).output, "one");
  assertEquals((await run("echo two")).output, "two");
  await client.ok("send-keys", { paneId, keys: "vared -c x", literal: true, enter: true });
  await client.ok("wait-for-text", { paneId, pattern: "vared -c x" });
  const { code } = await client.fails("execute-command", { paneId, command: "echo typed" });
  assertEquals(code, "busy");
});

Deno.test("zsh takes commands while it reports the ends of jobs", async (t) => {
  await using world = await World.create();
  const servers = await serveBoth(world);
  const modes = ["bindkey -e", "bindkey -v"].flatMap((first) =>
    servers.map((client, at) => [first, client, 3 * at] as const)
  );
  for (const [first, client, begin] of modes) {
    await t.step(first, async () => {
      await using opened = await openShell(world, client, { name: first, shell: "zsh -f" });
      const { paneId } = opened;
      const run = besideJobs(client, paneId);
      await run(`PROMPT='ready $ '; ${first}`);
      // Each job ends a little later beside the keys than the one before, with one server or the other.
      for (let ms = begin; ms < 90; ms += sized({ gate: 9, soak: 3 }) * servers.length) {
        const end = (100 + ms) / 1000;
        await run(`sleep ${end} & sleep 0.1`);
        // A job that ends once the command has begun is reported above its output.
        const { output, exitCode } = await run(`echo ${ms}`);
        assert(output.split("\n").includes(`${ms}`) && exitCode === 0, output);
      }
    });
  }
});

test("a zsh command that drops the rest of its line ends with its own output", async ({ world, client }) => {
  await using opened = await openShell(world, client, { name: "dropping zsh", shell: "zsh -f" });
  const { run } = opened;
  const dropped = ["echo one; return 3; echo two", "setopt err_return; echo one; (exit 3); echo two"];
  for (const command of dropped) {
    const { exitCode, output } = await run(command);
    assertEquals([exitCode, output], [3, "one"], command);
    assertEquals((await run("echo $?; unsetopt err_return")).output, "3");
  }
});

test("a zsh that reports exit statuses reports none of our own statements", async ({ world, client }) => {
  const files = { ".zshrc": "setopt print_exit_value; PROMPT='$ '" };
  await using opened = await openShell(world, client, { name: "reporting zsh", shell: "zsh", files });
  const { paneId, run } = opened;
  for (const status of [3, 0, 4]) {
    const { exitCode, output } = await run(`echo one; (exit ${status})`);
    assertEquals([exitCode, output], [status, "one"]);
  }
  await client.ok("send-keys", { paneId, keys: "false", literal: true, enter: true });
  const { outcome } = await client.ok("wait-for-text", { paneId, pattern: "zsh: exit 1" });
  assertEquals(outcome, "matched");
});

/** As prompts do whose parts a worker fills in later (zsh-async, pure). */
const WORKER = [
  "PROMPT='$ '; zmodload zsh/zpty; zpty -b worker cat",
  "take() { local line; zpty -r worker line }",
  "zle -F $REPLY take",
].join("\n");

test("a zsh that waits for a worker on a terminal of its own is at its prompt", async ({ world, client }) => {
  await using opened = await openShell(world, client, {
    name: "zsh with worker",
    shell: "zsh",
    files: { ".zshrc": WORKER },
  });
  const { paneId, run } = opened;
  for (const said of ["one", "two"]) assertEquals((await run(`echo ${said}`)).output, said);
  const { foregroundCmd, shell, evidence } = await client.ok("pane-state", { paneId });
  assertEquals([foregroundCmd, shell, evidence.includes("behind")], ["zsh", "zsh", false]);
});
