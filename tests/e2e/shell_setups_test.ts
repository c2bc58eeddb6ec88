// Shells as their users have set them up: each command runs once, whole, and with its own exit code.
import { assertEquals } from "@std/assert";
import { serveBoth } from "../support/hidden_memory.ts";
import { onOneServer } from "../support/one_server.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { sized } from "../support/sized.ts";
import { besideJobs, openShell, type SetUp } from "../support/shell_set_up.ts";
import { World } from "../support/world.ts";

const test = onOneServer("shells take commands however they are set up");

/** A prompt that runs a program for longer than programs in passing are waited for. */
const SLOW_PROMPTS: readonly SetUp[] = [
  {
    name: "bash",
    shell: "bash --rcfile HOME_/rc",
    files: { rc: "PROMPT_COMMAND='sleep 0.5|cat; sleep 0.5'" },
  },
  { name: "zsh", shell: "zsh", files: { ".zshrc": "precmd() { sleep 0.5 }; PROMPT='$ '" } },
  { name: "fish", shell: "fish -C 'function fish_prompt; sleep 0.5; echo \"> \"; end'" },
  { name: "ksh93", shell: "ksh93", environment: { PS1: "$(sleep 0.5)$ ", ENV: "/dev/null" } },
  { name: "yash", shell: "yash --rcfile=HOME_/rc", files: { rc: "PROMPT_COMMAND='sleep 0.5'" } },
];

test("a prompt that runs programs is waited for", async ({ world, client }, t) => {
  await Promise.all(SLOW_PROMPTS.map((setUp) =>
    t.step({
      name: setUp.name,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      fn: async () => {
        await using opened = await openShell(world, client, setUp);
        const { run } = opened;
        // In a young shell any program may be of its start-up files.
        await run("sleep 5");
        for (const said of ["one", "two"]) {
          const { exitCode, output } = await run(`echo ${said}; sh -c 'exit 3'`);
          assertEquals([exitCode, output], [3, said]);
        }
      },
    })
  ));
});

test("a program of a prompt in a shell that a command began is waited for", async ({ world, client }) => {
  await using opened = await openShell(world, client, {
    name: "outer",
    shell: "bash --norc",
    files: { rc: "PROMPT_COMMAND='sleep 0.5'" },
  });
  const { run } = opened;
  await run("bash --rcfile $HOME/rc");
  for (const said of ["one", "two"]) assertEquals((await run(`echo ${said}`)).output, said);
});

test("the exit code of a command is there for the next one in every shell", async ({ world, client }, t) => {
  const shells = ["bash --norc", "zsh -f", "fish", "dash -i", "busybox ash", "ksh93", "mksh", "yash"];
  for (const shell of shells) {
    await t.step(shell, async () => {
      await using opened = await openShell(world, client, {
        name: `exit code in ${shell}`,
        shell,
        environment: { ENV: "/dev/null" },
      });
      const { run } = opened;
      await run("sh -c 'exit 3'");
      assertEquals((await run(shell === "fish" ? "echo $status" : "echo $?")).output, "3");
    });
  }
});

test("a shell that may write to no file any more takes commands", async ({ world, client }, t) => {
  // ksh93 ends where it writes its history.
  const shells = ["bash --norc", "zsh -f", "fish", "dash -i", "busybox ash", "mksh", "yash --norcfile"];
  for (const shell of shells) {
    await t.step(shell, async () => {
      await using opened = await openShell(world, client, {
        name: `no file in ${shell}`,
        shell,
        environment: { ENV: "/dev/null" },
      });
      const { run } = opened;
      const limited = await run("ulimit -f 0");
      assertEquals([limited.status, limited.exitCode, limited.output], ["completed", 0, ""]);
      const { exitCode, output } = await run("echo one; sh -c 'exit 3'");
      assertEquals([exitCode, output], [3, "one"]);
    });
  }
});

/** Commands that take away what a shell runs before its prompt. */
const UNHOOKING: Readonly<Record<string, readonly string[]>> = {
  "bash --norc": ["unset PROMPT_COMMAND", "PROMPT_COMMAND=()"],
  "zsh -f": ["unset precmd_functions"],
};

test(
  "a command that unsets the prompt's hooks is done where an unset name is an error",
  async ({ world, client }, t) => {
    for (const [shell, commands] of Object.entries(UNHOOKING)) {
      await t.step(shell, async () => {
        await using opened = await openShell(world, client, { name: `unhooked ${shell}`, shell });
        const { run } = opened;
        await run("set -u");
        for (const command of commands) {
          const { status, exitCode } = await run(`${command}; echo one`);
          assertEquals([command, status, exitCode], [command, "completed", 0]);
        }
        assertEquals((await run("echo $?")).output, "0");
      });
    }
  },
);

test("the output of a shell that sends it through a program is whole", async ({ world, client }, t) => {
  for (const shell of ["bash --norc", "zsh -f", "ksh93"]) {
    await t.step(shell, async () => {
      await using opened = await openShell(world, client, {
        name: `tee in ${shell}`,
        shell,
        environment: { ENV: "/dev/null" },
      });
      const { run } = opened;
      await run("exec > >(tee $HOME/log)");
      const said = ["one", "two", "three"];
      for (const word of said) assertEquals((await run(`echo ${word}`)).output, word);
    });
  }
});

/** vi's modes, and a prompt that shows which: it is drawn again where the mode changes. */
const VI_PROMPTS: readonly SetUp[] = [
  {
    name: "zsh, drawn again",
    shell: "zsh",
    files: { ".zshrc": "bindkey -v; zle-keymap-select() { zle reset-prompt }; zle -N zle-keymap-select" },
  },
  {
    name: "zsh, of another width",
    shell: "zsh",
    files: {
      ".zshrc":
        'bindkey -v; zle-keymap-select() { PROMPT="[$KEYMAP] $ "; zle reset-prompt }; zle -N zle-keymap-select',
    },
  },
  {
    name: "bash",
    shell: "bash --rcfile HOME_/rc",
    files: { rc: "set -o vi; bind 'set show-mode-in-prompt on'; PS1='$ '" },
  },
];

Deno.test("a prompt that shows vi's mode takes commands, and leaves alone what a person has begun", async (t) => {
  await using world = await World.create();
  const servers = await serveBoth(world);
  const begun = VI_PROMPTS.flatMap((setUp) => servers.map((client) => [setUp, client] as const));
  for (const [setUp, client] of begun) {
    await t.step(setUp.name, async () => {
      await using opened = await openShell(world, client, setUp);
      const { paneId, run } = opened;
      assertEquals((await run("echo one")).output, "one");
      assertEquals((await run("printf unfinished")).output, "unfinished");
      assertEquals((await run("echo two")).output, "two");
      await run("clear");
      await client.ok("send-keys", { paneId, keys: "ec", literal: true });
      await client.ok("wait-for-text", { paneId, pattern: "ec" });
      const { code } = await client.fails("execute-command", { paneId, command: "echo typed" });
      await client.ok("send-keys", { paneId, keys: "ho mine", literal: true, enter: true });
      const { outcome } = await client.ok("wait-for-text", { paneId, pattern: "^mine$", regex: true });
      assertEquals([code, outcome], ["busy", "matched"]);
    });
  }
});

test("a shell takes commands while a job prints at its prompt", async ({ world, client }, t) => {
  const steps = ["bash --norc", "fish"].map((shell) => ({
    name: shell,
    run: async () => {
      await using opened = await openShell(world, client, { name: `jobs in ${shell}`, shell });
      const { paneId } = opened;
      const run = besideJobs(client, paneId);
      // Each job prints a little later beside the keys than the one before.
      for (let ms = 10; ms < 70; ms += sized({ gate: 9, soak: 3 })) {
        await run(`wait; sleep 0.05; /bin/sh -c 'sleep ${ms / 1000}; echo job' &`);
        assertEquals((await run(`echo ${ms}`)).output.split("\n").includes(`${ms}`), true);
      }
    },
  }));
  await sideBySide(t, steps);
});

test("a terminal that takes printable characters for itself changes no command", async ({ world, client }) => {
  for (const setting of ["kill @", "erase '#'", "eol ';'"]) {
    const name = `bash ${setting}`;
    const files = { rc: `stty ${setting}` };
    await using opened = await openShell(world, client, { name, shell: "bash --rcfile HOME_/rc", files });
    const { run } = opened;
    const { exitCode, output } = await run("echo 'a@b#c;d'; (exit 3)");
    assertEquals([exitCode, output], [3, "a@b#c;d"], setting);
  }
});

test("bash reads commands of every length", async ({ world, client }) => {
  await using opened = await openShell(world, client, { name: "bash of lines", shell: "bash --norc" });
  const { run } = opened;
  // The longest line that a terminal takes lies in between.
  for (let count = 1; count < 80; count += 3) {
    const text = `it's é\n`.repeat(count);
    const { output } = await run(`wc -c <<'END'\n${text}END`);
    assertEquals(output, `${new TextEncoder().encode(text).length}`);
  }
});

test("a copy of bash's prompt hook that a command keeps does nothing", async ({ world, client }, t) => {
  for (const option of ["", "--posix", "-r", "-u", "-O extdebug"]) {
    await t.step(`bash ${option}`, async () => {
      await using opened = await openShell(world, client, {
        name: `copied hook ${option}`,
        // POSIX mode reads $ENV instead.
        shell: option === "--posix" ? "bash --posix" : `bash --rcfile HOME_/rc ${option}`,
        files: { rc: "prompts=0; command_not_found_handle() { touch $HOME/missing; return 127; }" },
      });
      const { paneId, run } = opened;
      // `starship init bash` does this.
      await run(`_P="$PROMPT_COMMAND"; PROMPT_COMMAND='eval "$_P"; seen=$?; prompts=$((prompts+1))'`);
      const keys = 'echo "typed $PROMPT_COMMAND"; (exit 3)';
      await client.ok("send-keys", { paneId, keys, literal: true, enter: true });
      await client.ok("wait-for-text", { paneId, pattern: '^typed eval "\\$_P"', regex: true });
      for (let i = 0; i < 3; i++) await client.ok("send-keys", { paneId, keys: "Enter", literal: false });
      const { output, exitCode } = await run(
        '[ -e $HOME/missing ]; echo "$seen $? $((prompts > 3))"; (exit 4)',
      );
      assertEquals([output, exitCode], ["3 1 1", 4]);
      assertEquals((await run("echo $?")).output, "4");
    });
  }
});
