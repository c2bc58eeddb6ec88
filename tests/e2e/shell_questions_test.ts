// A shell that asks something itself, or for the rest of a command, is busy: nothing of ours is its answer.
import { assertEquals } from "@std/assert";
import { dirname } from "@std/path";
import { serveUnderYama } from "../support/hidden_memory.ts";
import { onOneServer } from "../support/one_server.ts";
import { ShellLine } from "../support/shell_lines.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { sized } from "../support/sized.ts";
import { type TestClient, World } from "../support/world.ts";

type Questions = Readonly<Record<string, readonly [typed: string, answer: string]>>;

interface Shell {
  command: string;
  /** Text typed into the shell, and what it then shows; the answer that ends it, with Enter where it needs that. */
  asks: Questions;
  /** The same where options change the answer, and not how the shell waits for it; and what is alike in most shells. */
  variants?: Questions;
  /** Text that makes the shell ask for more, and the rest of it. */
  continues: readonly (readonly [typed: string, rest: string])[];
}

const QUOTE = ["echo 'beg", "un'"] as const;
const LOOP = ["while true; do", "break; done"] as const;
const ESCAPED = ["echo beg\\", "un"] as const;
/** A program that asks in the shell's own process group. */
const PROGRAM = ["x=$(head -n1 /dev/tty)", "me\n"] as const;

const SHELLS: Record<string, Shell> = {
  bash: {
    command: "bash --norc",
    asks: {
      "read": ["read x", "me\n"],
      "read -n1": ["read -n1 x", "m"],
      "read -t": ["read -t 100 x", "me\n"],
      "read -e": ["read -e x", "me\n"],
      "read -e in a function": ["f() { read -e x; }; f", "me\n"],
      "select": ["select x in me you; do break; done", "1\n"],
      "mapfile": ["mapfile -n 1 x", "me\n"],
      "a program": PROGRAM,
    },
    variants: {
      "read -N2": ["read -N2 x", "me"],
      "read -d": ["read -d . x", "me."],
      "read -s -n1": ["read -s -n1 x", "m"],
      "read -t -n1": ["read -t 100 -n1 x", "m"],
    },
    continues: [QUOTE, LOOP, ESCAPED, ["cat <<END", "END"]],
  },
  "bash on a terminal of script's": {
    command: "script -q -c 'bash --norc' /dev/null",
    asks: {
      "read": ["read x", "me\n"],
      "read -n1": ["read -n1 x", "m"],
      "read -e": ["read -e x", "me\n"],
    },
    continues: [QUOTE],
  },
  zsh: {
    command: "zsh -f",
    asks: {
      "read": ["read x", "me\n"],
      "read -k1": ["read -k1 x", "m"],
      "read -u0 -k2": ["read -u0 -k2 x", "me\n"],
      "read -q": ["read -q x", "y"],
      "vared": ["vared -c x", "me\n"],
      "a program": PROGRAM,
      "select": ["select x in me you; do break; done", "1\n"],
    },
    variants: {
      "read -s -k1": ["read -s -k1 x", "m"],
      "read -k2": ["read -k2 x", "me"],
      "vared in a function": ["f() { vared -c x }; f", "me\n"],
    },
    continues: [QUOTE, LOOP, ESCAPED, ["cat <<END", "END"]],
  },
  "zsh without its line editor": {
    command: "zsh -f -o no_zle",
    asks: {
      "read": ["read x", "me\n"],
      "read -k1": ["read -k1 x", "m"],
      "read -t": ["read -t 100 x", "me\n"],
      "select": ["select x in me you; do break; done", "1\n"],
    },
    variants: {
      "read in a function": ["f() { read x; }; f", "me\n"],
      "read -u0 -k2": ["read -u0 -k2 x", "me\n"],
    },
    continues: [QUOTE, LOOP, ESCAPED, ["cat <<END", "END"]],
  },
  fish: {
    command: "fish",
    asks: {
      "read": ["read x", "me\n"],
      "read -n1": ["read -n1 x", "m"],
      "read -P": ["read -P 'who? ' x", "me\n"],
    },
    variants: {
      "read -s": ["read -s x", "me\n"],
    },
    continues: [QUOTE, ["while true", "break; end"]],
  },
  dash: {
    command: "dash -i",
    asks: {
      "read": ["read x", "me\n"],
    },
    variants: {
      "a program": PROGRAM,
      "read in a function": ["f() { read x; }; f", "me\n"],
    },
    continues: [QUOTE, LOOP, ESCAPED, ["cat <<END", "END"]],
  },
  ksh93: {
    command: "ksh93",
    asks: {
      "read": ["read x", "me\n"],
      "read -n1": ["read -n1 x", "m"],
      "select": ["select x in me you; do break; done", "1\n"],
    },
    variants: { "a program": PROGRAM },
    continues: [QUOTE, LOOP, ESCAPED],
  },
  mksh: {
    command: "mksh",
    asks: {
      "read": ["read x", "me\n"],
      "read -n1": ["read -n1 x", "m"],
      "read -t": ["read -t 100 x", "me\n"],
    },
    variants: {
      "a program": PROGRAM,
      "read -N2": ["read -N2 x", "me"],
    },
    continues: [QUOTE, LOOP, ESCAPED],
  },
  ash: {
    command: "busybox ash",
    asks: {
      "read": ["read x", "me\n"],
      "read -n1": ["read -n1 x", "m"],
    },
    variants: {
      "a program": PROGRAM,
      "read -s": ["read -s x", "me\n"],
    },
    continues: [QUOTE, LOOP, ESCAPED],
  },
  yash: {
    command: "yash --norcfile",
    asks: { "read": ["read x", "me\n"], "read -e": ["read -e x", "me\n"] },
    variants: { "a program": PROGRAM },
    continues: [QUOTE, LOOP, ESCAPED],
  },
};

async function type(shell: ShellLine, text: string): Promise<void> {
  const [line = "", end] = text.split("\n");
  await (end === undefined ? shell.literal(line) : shell.enter(line));
}

async function refuses(client: TestClient, shell: ShellLine): Promise<void> {
  const before = await shell.settled();
  const { code } = await client.fails("execute-command", { paneId: shell.paneId, command: "echo typed" });
  assertEquals([code, await shell.settled()], ["busy", before]);
}

function isFirstOrLast(_: unknown, at: number, all: readonly unknown[]): boolean {
  return at === 0 || at === all.length - 1;
}

const test = onOneServer("a shell that asks something is busy, and the answer is the person's");

for (const [name, { command, asks, variants, continues }] of Object.entries(SHELLS)) {
  test(name, async ({ world, client }, t) => {
    await using shell = await ShellLine.open(world, client, { command });
    const { paneId } = shell;
    const forget = command === "fish" ? "set -e x" : "unset x";
    const questions = sized({ gate: asks, soak: { ...asks, ...variants } });
    for (const [question, [typed, answer]] of Object.entries(questions)) {
      await t.step(`a question: ${question}`, async () => {
        await shell.settled();
        await type(shell, `${typed}\n`);
        await refuses(client, shell);
        await type(shell, answer);
        // Output that `script` has yet to pass on looks like text at the prompt.
        await shell.settled();
        const wanted = answer.replace(/[\n.]/, "").replace("1", "me");
        const said = await client.ok("execute-command", { paneId, command: `echo "<$x>"; ${forget}` });
        assertEquals(said.output.trim().replace("\n>", ">"), `<${wanted}>`);
      });
    }
    for (const [typed, rest] of sized({ gate: continues.filter(isFirstOrLast), soak: continues })) {
      await t.step(`the rest of a command: ${typed}`, async () => {
        await shell.settled();
        await type(shell, `${typed}\n`);
        await refuses(client, shell);
        await type(shell, `${rest}\n`);
        await shell.settled();
        assertEquals((await client.ok("execute-command", { paneId, command: "echo next" })).output, "next");
      });
    }
  });
}

const yama = onOneServer(
  "a shell whose calls are hidden is busy while a program of its own asks",
  serveUnderYama,
);

for (const command of ["bash --norc", "zsh -f"]) {
  yama(command, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, { command });
    await type(shell, "x=$(echo me | fzf)\n");
    await shell.until((shown) => shown.includes("1/1"), "asked");
    await refuses(client, shell);
    await type(shell, "\n");
    await shell.settled();
    const said = await client.ok("execute-command", { paneId: shell.paneId, command: 'echo "<$x>"' });
    assertEquals(said.output, "<me>");
  });
}

const START_UP_FILES: Readonly<Record<string, readonly [command: string, file: string, text: string]>> = {
  bash: ["bash --rcfile ask.sh", "ask.sh", "read -n1 -p 'Sure? ' x"],
  zsh: ["zsh", ".zshrc", "vared -p 'Sure? ' -c x"],
  fish: ["fish", "fish/config.fish", "read -P 'Sure? ' x"],
};

const startUp = onOneServer(
  "a question of a start-up file is the person's, also for a server that has seen no prompt",
);

for (const [name, [command, file, text]] of Object.entries(START_UP_FILES)) {
  startUp(name, async ({ world, client }) => {
    const path = `${world.folder}/${file}`;
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, `${text}\n`);
    const environment = { XDG_CONFIG_HOME: world.folder, ZDOTDIR: world.folder };
    const { paneId } = await client.ok("create-session", {
      command,
      environment,
      startDirectory: world.folder,
    });
    await client.ok("wait-for-text", { paneId, pattern: "Sure?" });
    const { code } = await client.fails("execute-command", { paneId, command: "echo typed" });
    const shown = await world.tmux("capture-pane", "-p", "-t", paneId);
    assertEquals([code, shown.trimEnd().split("\n").at(-1)], ["busy", "Sure?"]);
    await client.ok("send-keys", { paneId, keys: "y" });
    if (name !== "bash") await client.ok("send-enter", { paneId });
    const said = await client.ok("execute-command", { paneId, command: 'echo "<$x>"' });
    assertEquals(said.output, "<y>");
  });
}

const EDITED: Readonly<Record<string, readonly [command: string, ...typed: string[]]>> = {
  bash: [
    "bash --norc",
    "read -e -p '$ ' x",
    "f() { read -e -p '$ ' x; }; f",
    "eval 'read -e -p \"$ \" x'",
  ],
  fish: [
    "fish",
    "read -P '> ' x",
    "read -n2 x",
    "function f; read -s -g x; end; f",
    "source (echo 'read -g x' | psub)",
  ],
  ksh93: ["ksh93", "read x", "f() { read x; }; f", "select x in me you; do break; done"],
  "ksh93 in vi mode": ["ksh93 -o vi", "read x", "eval 'read x'"],
  yash: ["yash --norcfile", "read -e x", "f() { read -e x; }; f"],
};

Deno.test("a line editor's question is the person's, also for a server that has seen no prompt", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const asked = Object.entries(EDITED).flatMap(([name, [command, ...all]]) =>
    sized({ gate: all.filter(isFirstOrLast), soak: all })
      .map((typed) => ({ name: `${name}: ${typed}`, command, typed }))
  );
  const shells = new Map<string, ShellLine>();
  await sideBySide(
    t,
    asked.map(({ name, command, typed }) => ({
      name: `${name}, asked`,
      run: async () => {
        const shell = await ShellLine.open(world, client, { command });
        await type(shell, `${typed}\n`);
        await shell.settled();
        shells.set(name, shell);
      },
    })),
  );
  const later = await world.serve();
  await sideBySide(
    t,
    asked.map(({ name, typed }) => ({
      name: `${name}, answered`,
      run: async () => {
        const shell = shells.get(name)!;
        await refuses(later, shell);
        await type(shell, typed.startsWith("select") ? "1\n" : "me\n");
        const said = await later.ok("execute-command", { paneId: shell.paneId, command: 'echo "<$x>"' });
        assertEquals(said.output, "<me>");
      },
    })),
  );
});

Deno.test("a fresh server finds the prompts of shells that it can copy, in each of their modes", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const modes = [
    ["fish", "true"],
    ["fish", "fish_vi_key_bindings"],
    ["ksh93", "set -o gmacs"],
    ["ksh93", "set -o vi"],
    ["ksh93", "set +o emacs"],
    ["yash --norcfile", "set -o vi"],
    ["yash --norcfile", "set -o emacs"],
  ] as const;
  const shells = [];
  for (const [command, first] of modes) shells.push(await ShellLine.open(world, client, { command, first }));
  const later = await world.serve();
  const steps = shells.map(({ paneId }, at) => ({
    name: modes[at]!.join(": "),
    run: async () => {
      assertEquals((await later.ok("execute-command", { paneId, command: "echo mine" })).output, "mine");
    },
  }));
  await sideBySide(t, steps);
});
