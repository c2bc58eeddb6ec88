import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../support/until.ts";
import { startPane, testShells } from "./shells.ts";

interface Case {
  command: string;
  output: string;
  status?: number;
}

const COMMON: Case[] = [
  { command: "true", output: "" },
  { command: "false", output: "", status: 1 },
  { command: "sh -c 'exit 77'", output: "", status: 77 },
  { command: "echo one; echo two", output: "one\ntwo\n" },
  { command: "echo one;", output: "one\n" },
  { command: "echo one # and a comment with ' in it", output: "one\n" },
  { command: "echo one\necho two\n", output: "one\ntwo\n" },
  { command: "echo one \\\n  two", output: "one two\n" },
  { command: "printf '%s\\n' 'it' \"is 100%\" , ';' '!!' '~'", output: "it\nis 100%\n,\n;\n!!\n~\n" },
  { command: "echo 'a\tb'", output: "a\tb\n" },
  { command: "echo 'grüße 日本 🎉'", output: "grüße 日本 🎉\n" },
  { command: "echo '\x01\x02\x03\x04\x1a\x1c\x7f' | od -An -tx1 | tr -d ' \\n'", output: "010203041a1c7f0a" },
  { command: "  echo indented", output: "indented\n" },
  { command: "", output: "" },
  { command: "# nothing else", output: "" },
  { command: "sleep 0.01 &\nwait", output: "" },
  { command: "test -t 0 && test -t 1 && test -t 2 && echo tty", output: "tty\n" },
];

const POSIX: Case[] = [
  { command: "cat <<END\nhello '$HOME\n\tworld\nEND", output: "hello 'HOME\n\tworld\n" },
  { command: "for i in 1 2; do echo $i; done", output: "1\n2\n" },
  { command: "if true; then\necho yes\nfi", output: "yes\n" },
  { command: 'f() { echo "in $1"; }; f x; unset -f f', output: "in x\n" },
  { command: "(exit 9)", output: "", status: 9 },
  { command: "echo $?", output: "9\n" },
];

/** Text that a shell writes into a file and renames to `path`; the file is gone afterwards. */
async function untilRead(path: string): Promise<string> {
  await until(() => Deno.stat(path).then(() => true, () => false));
  const text = await Deno.readTextFile(path);
  await Deno.remove(path);
  return text;
}

testShells("every shell runs any command text and tells its output and status", async (shell) => {
  await using pane = await startPane(shell);
  for (const { command, output, status = 0 } of [...COMMON, ...(shell.name === "fish" ? [] : POSIX)]) {
    const result = await pane.run(shell.dialect, command);
    const plain = result.output.replace(/^\[\d+\].*\n/gm, "");
    const home = output.replace("'HOME", `'${pane.dir}`);
    assertEquals([result.started, result.status, plain], [true, status, home], command);
    assertEquals(result.kept, `${status}`, command);
  }
});

testShells("every shell keeps what a command changes in the shell", async (shell) => {
  await using pane = await startPane(shell);
  await pane.run(shell.dialect, "cd /usr/share");
  assertEquals((await pane.run(shell.dialect, "pwd")).output, "/usr/share\n");
  await pane.run(shell.dialect, shell.name === "fish" ? "set -gx KEPT yes" : "export KEPT=yes");
  assertEquals((await pane.run(shell.dialect, "sh -c 'echo $KEPT'")).output, "yes\n");
  await pane.run(shell.dialect, "cd /; false", { subshell: true });
  assertEquals((await pane.run(shell.dialect, "pwd")).output, "/usr/share\n");
  assertEquals((await pane.run(shell.dialect, "sh -c 'exit 5'", { subshell: true })).status, 5);
});

testShells(
  "every shell answers incomplete and wrong text with D and no C, at a clean prompt",
  async (shell) => {
    await using pane = await startPane(shell);
    const wrong = ["echo 'open", 'echo "open', "echo $(", "echo )", "true |", "true &&", "echo \\"];
    if (shell.name !== "fish") wrong.push("cat <<END\nopen", "if true", "{ true", "( true");
    for (const command of wrong.filter((text) => !(shell.name === "zsh" && /&&$|\\$|^if/.test(text)))) {
      const result = await pane.run(shell.dialect, command);
      assertEquals(result.started, false, command);
      assert(result.status > 0, command);
      assertMatch(result.complaint, /\r\n$/);
      assert(!result.complaint.includes(command), result.complaint);
      assertEquals((await pane.run(shell.dialect, "echo next")).output, "next\n", command);
    }
  },
);

testShells("every shell takes 100 KB whole", async (shell) => {
  await using pane = await startPane(shell);
  const text = Array.from({ length: 2500 }, (_, i) => `line ${i} 'with' "quotes" ; and, \\ more`);
  const quoted = text.map((each) =>
    each.replaceAll("\\", "\\\\").replaceAll("'", shell.name === "fish" ? "\\'" : "'\\''")
  );
  const body = shell.name === "fish" ? quoted.join("\n") : quoted.join("\n").replaceAll("\\\\", "\\");
  const result = await pane.run(shell.dialect, `printf '%s\\n' '${body}' | cksum`, { timeoutMs: 20_000 });
  const sum = new Deno.Command("cksum", { stdin: "piped", stdout: "piped" }).spawn();
  const writer = sum.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${text.join("\n")}\n`));
  await writer.close();
  const expected = new TextDecoder().decode((await sum.output()).stdout);
  assert(body.length > 100_000);
  assertEquals(result.output, expected);
});

testShells("every shell leaves no variable, function or setting behind", async (shell) => {
  await using pane = await startPane(shell);
  const list = shell.name === "fish"
    ? "begin; set -n; functions -a; stty -g; end"
    : "{ set; stty -g; alias; trap; echo $-; }";
  const settle =
    /^(_|BASH_.*|LINENO|HISTCMD|RANDOM|SECONDS|EPOCH.*|SRANDOM|PIPESTATUS|PPID|KSH_.*|TTYIDLE|\?|\.sh.*)=|^_|^status_gen|^history/;
  const names = async (): Promise<string> => {
    // Renamed when it is whole: there is no other sign that the shell is done.
    await pane.type(`clear; ${list} > ${pane.dir}/new; mv ${pane.dir}/new ${pane.dir}/vars`);
    await pane.idle();
    const text = await untilRead(`${pane.dir}/vars`);
    return text.split("\n").filter((line) => !settle.test(line)).join("\n");
  };
  await names();
  const before = await names();
  await pane.run(shell.dialect, "true");
  await pane.run(shell.dialect, "echo 'open");
  assertEquals(await names(), before);
});

testShells("every shell leaves the screen as if the command had been typed", async (shell) => {
  const commands = [
    "echo one",
    "printf '\\033[1;31mred\\033[m\\n'",
    "cd /tmp/",
    "seq 3",
    "printf unfinished",
    "true",
  ];
  // fish would suggest the rest of a command from the files that are there.
  if (shell.name === "fish") commands.unshift("set -g fish_autosuggestion_enabled 0");
  await using ours = await startPane(shell, { path: "/" });
  await using typed = await startPane(shell, { path: "/" });
  for (const command of commands) {
    await ours.run(shell.dialect, command);
    await typed.idle();
    await typed.type(command);
  }
  await Promise.all([ours.idle(), typed.idle()]);
  assertEquals(await ours.screen("-S -"), await typed.screen("-S -"));
  assertEquals(await ours.ask("#{cursor_x},#{cursor_y}"), await typed.ask("#{cursor_x},#{cursor_y}"));
});

testShells("every shell answers Ctrl-C with the status, and no trace of it stays", async (shell) => {
  await using pane = await startPane(shell);
  const onStart = (): void => {
    setTimeout(() => pane.command("send-keys C-c"), 100);
  };
  const interrupted = pane.run(shell.dialect, "sleep 20", { onStart, timeoutMs: 1500 });
  const status = await interrupted.then((run) => run.status, () => pane.recover(shell.dialect));
  assertEquals(status, 130);
  await pane.idle();
  const screen = (await pane.screen()).join("\n");
  assertMatch(screen, /sleep 20\n/);
  assert(!screen.includes("__mcp"), screen);
  assertEquals((await pane.run(shell.dialect, "echo next")).output, "next\n");
});

testShells(
  "a key that a person presses before the payload is there is dropped, and the command runs",
  async (shell) => {
    await using pane = await startPane(shell);
    for (const pressed of ["x", '"\'"', "'('", "';'", "Space", "é", "Tab", "Up", "BSpace"]) {
      const { status, output } = await pane.run(shell.dialect, "echo ran", { pressed });
      assertEquals([status, output], [0, "ran\n"], pressed);
    }
  },
);

testShells(
  "a key that a person presses before the loader is there leaves the terminal as it was",
  async (shell) => {
    await using pane = await startPane(shell);
    const settings = async () => (await pane.run(shell.dialect, "stty -g")).output;
    const before = await settings();
    // The loader begins with a blank.
    await pane.type(`x${shell.dialect.loader}`);
    await pane.idle();
    await pane.command("send-keys C-c");
    await pane.idle();
    assertEquals(await settings(), before);
  },
);

/** Runs the arguments where stty is a program that refuses the settings it has printed. */
const WITHOUT_RESTORE = `
cp /usr/bin/stty real
printf '#!/bin/sh\ncase "$*" in *:*:*) exit 1;; esac\nexec %s/real "$@"\n' "$PWD" >fake
chmod +x fake; mount --bind fake /usr/bin/stty
exec "$@"`;

testShells(
  "an stty that cannot restore settings leaves echo and line mode on",
  async (shell) => {
    // Shells also find stty in a default PATH, so only a mount can replace it.
    if (Deno.uid() !== 0) return;
    const argv = ["unshare", "--mount", "sh", "-c", WITHOUT_RESTORE, "sh", ...shell.argv];
    await using pane = await startPane({ ...shell, argv });
    await pane.run(shell.dialect, "true");
    const { output } = await pane.run(shell.dialect, "stty -a");
    assertMatch(output, /\sicanon\s/);
    assertMatch(output, /\secho\s/);
  },
);
