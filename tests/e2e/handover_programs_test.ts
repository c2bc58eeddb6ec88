// Real programs that ask for secrets: one call each, the answer typed by a person at a terminal of their own.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnServers } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { sized } from "../support/sized.ts";
import { LoopbackSshd } from "../support/sshd.ts";
import { until } from "../support/until.ts";

const SECRET = "tr0ub4dor-and-3";
const WRONG = "not-the-secret-9";

const inTurn = inTurnOnServers(2, "programs that ask a person");

/** Declares a step with a pane of its own, in a tmux that has another. */
function test(name: string, run: (pane: ShellPane, t: Deno.TestContext) => Promise<void>): void {
  inTurn(name, async ({ world, client }, t) => {
    await client.ok("create-session", { name: "keep", command: "cat" });
    await run(await ShellPane.add(world, client, "bash --norc"), t);
  });
}

interface AskingProgram {
  command: string;
  /** The question, and the text typed then. */
  answers: [prompt: RegExp, typed: string][];
  exitCode: number;
}

const READ_TWICE =
  `read -s -p "Old: " one; echo; read -s -p "New: " two; echo; [ "$one$two" = ${SECRET}${WRONG} ]`;
const GETPASS = `python3 -c '
import getpass
tries = [getpass.getpass("Password: ") for _ in range(2)]
raise SystemExit(tries != ["${WRONG}", "${SECRET}"])'`;

async function run(program: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, env, stdin: "null" }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
}

async function gpgFile(home: string): Promise<string> {
  await Deno.mkdir(`${home}/gpg`, { mode: 0o700 });
  await Deno.writeTextFile(`${home}/gpg/gpg-agent.conf`, "pinentry-program /usr/bin/pinentry-curses\n");
  await Deno.writeTextFile(`${home}/plain`, "the content\n");
  await run("gpg", [
    ...["--homedir", `${home}/gpg`, "--batch", "--pinentry-mode", "loopback", "--passphrase", SECRET],
    ...["-o", `${home}/sealed`, "-c", `${home}/plain`],
  ]);
  await run("gpgconf", ["--homedir", `${home}/gpg`, "--kill", "all"]);
  return `GPG_TTY=$(tty) gpg --homedir ${home}/gpg -q -d ${home}/sealed`;
}

/** A repository that asks who comes, and answers "not found" to whoever says it rightly. */
function credentialServer(): Deno.HttpServer<Deno.NetAddr> {
  const wanted = `Basic ${btoa(`me:${SECRET}`)}`;
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) =>
      request.headers.get("authorization") === wanted
        ? new Response("", { status: 404 })
        : new Response("", { status: 401, headers: { "www-authenticate": 'Basic realm="x"' } }),
  );
}

test("programs that ask for secrets are answered by a person, each in one call", async (pane, t) => {
  const { world, paneId } = pane;
  const home = world.folder;
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  await using person = await PersonAtTerminal.attach(world, {
    line: `tmux -S ${world.socket} attach -t '${session}'`,
    columns: 120,
    rows: 30,
  });
  await using sshd = await LoopbackSshd.start(home);
  await run("ssh-keygen", ["-q", "-p", "-P", "", "-N", SECRET, "-f", sshd.key]);
  await using git = credentialServer();
  const asNobody = Deno.uid() === 0 ? "setpriv --reuid=65534 --clear-groups " : "";
  const ssh = sshd.client("-o", "StrictHostKeyChecking=no", "-i", sshd.key).join(" ");

  const programs: Record<string, AskingProgram> = {
    "two questions in a row": {
      command: READ_TWICE,
      answers: [[/^Old: $/, SECRET], [/^New: $/, WRONG]],
      exitCode: 0,
    },
    "two questions in one row, behind a relay": {
      command: `script -qc "bash -c 'read -sp PIN: a; read -sp Again: b'" /dev/null`,
      answers: [[/PIN:$/, SECRET], [/Again:$/, SECRET]],
      exitCode: 0,
    },
    "getpass, twice with the same words": {
      command: GETPASS,
      answers: [[/^Password: $/, WRONG], [/^Password: $/, SECRET]],
      exitCode: 0,
    },
    "ssh, for the passphrase of a key, wrong first": {
      command: `${ssh} root@127.0.0.1 exit 7`,
      answers: [[/^Enter passphrase/, WRONG], [/^Enter passphrase/, SECRET]],
      exitCode: 7,
    },
    "gpg, by pinentry-curses": {
      command: await gpgFile(home),
      answers: [[/Passphrase/, SECRET]],
      exitCode: 0,
    },
    "a dialog in a substitution, which reads in the shell's own group": {
      command: `word=$(whiptail --passwordbox Secret 8 40 3>&1 1>&2 2>&3); [ "$word" = ${SECRET} ]`,
      answers: [[/Secret/, SECRET]],
      exitCode: 0,
    },
    "git, for a name and a password": {
      command: `git -c credential.helper= ls-remote http://127.0.0.1:${git.addr.port}/x`,
      answers: [[/^Username for/, "me"], [/^Password for/, SECRET]],
      exitCode: 128,
    },
    "sudo, three times in vain": {
      command: `${asNobody}sudo -k true`,
      answers: [[/password for/, WRONG], [/password for/, WRONG], [/password for/, WRONG]],
      exitCode: 1,
    },
  };

  for (const [name, { command, answers, exitCode }] of Object.entries(programs)) {
    await t.step(name, async () => {
      const call = pane.client.ok("execute-command", { paneId, command, onInput: "person", timeout: 60 });
      const ended = call.then((result) => assert(false, `Ended before it asked: ${JSON.stringify(result)}`));
      ended.catch(() => {});
      for (const [, typed] of answers) {
        await Promise.race([person.untilAsked(/^%\d+ \(.*\) \S+ waits for a/m), ended]);
        await person.type(typed);
        await person.untilAnswered();
      }
      const { handedOver = [], ...result } = await call;
      assertEquals([result.status, result.exitCode], ["completed", exitCode], JSON.stringify(result));
      assertEquals(handedOver.length, answers.length, JSON.stringify(handedOver));
      for (const [index, { prompt, outcome }] of handedOver.entries()) {
        assertMatch(prompt, answers[index]![0]);
        assertEquals(outcome, "answered");
      }
    });
  }
});

test("a question stays one question while its program handles a new size of its terminal", async (pane) => {
  const { world, paneId, client } = pane;
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  await using person = await PersonAtTerminal.attach(world, { session });
  const handled = `${world.folder}/handled`;
  const command = `python3 -c '
import getpass, signal, time
def resized(*_):
  time.sleep(0.15)
  open("${handled}", "w")
signal.signal(signal.SIGWINCH, resized)
raise SystemExit(getpass.getpass("Key: ") != "${SECRET}")'`;
  const call = client.ok("execute-command", { paneId, command, onInput: "person", timeout: 30 });
  call.catch(() => {});
  await person.untilAsked(/waits for a password: Key:/);
  await world.tmux("resize-window", "-t", session, "-x", "70", "-y", "20");
  await until(async () => (await Deno.stat(handled).catch(() => undefined)) !== undefined);
  assertMatch(await world.tmux("show-options", "-wv", "-t", paneId, "@tmux_mcp_waiting"), /a password/);
  await person.type(SECRET);
  const { exitCode, handedOver } = await call;
  assertEquals([exitCode, handedOver.length, handedOver[0].outcome], [0, 1, "answered"]);
});

const AGAIN = String.raw`\033[H\033[2J\033[3JPIN: `;

for (
  const [name, command, resizes] of [
    ["after a new size", `sh -c 'printf "Name: "; read a; printf "Delete all? [y/N] "; read b'`, true],
    ["below its prompt", `sh -c 'echo "Your age?"; read a; echo "Your town?"; read b'`, true],
    ["with a longer prompt", `sh -c 'printf "PIN: "; read a; printf "Repeat PIN: "; read b'`, true],
    ["in the same place", `sh -c 'printf "${AGAIN}"; read a; sleep 3; printf "${AGAIN}"; read b'`, false],
  ] as const
) {
  test(`another question of a program ${name} is a question of its own`, async (pane) => {
    const { world, paneId, client } = pane;
    const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
    await using person = await PersonAtTerminal.attach(world, { session });
    const call = client.ok("execute-command", { paneId, command, onInput: "person", timeout: 90 });
    call.catch(() => {});
    for (const answer of ["bob", "y"]) {
      await person.untilAsked(/^%\d+ \(.*\) \S+ waits for a/m);
      if (resizes && answer === "bob") {
        await world.tmux("resize-window", "-t", session, "-x", "70", "-y", "20");
      }
      await person.type(answer);
      await person.untilAnswered();
    }
    const { handedOver, exitCode } = await call;
    const outcomes = handedOver.map((each: { outcome: string }) => each.outcome);
    assertEquals([exitCode, outcomes], [0, ["answered", "answered"]]);
  });
}

test("a long prompt that a new size wraps stays one question, with the answer that is begun", async (pane) => {
  const { world, paneId, client } = pane;
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  await using person = await PersonAtTerminal.attach(world, { session });
  const prompt = "Enter the name of the new project, without any blanks: ";
  const command = `bash -c 'read -e -p "${prompt}" x; [ "$x" = abcdef ]'`;
  const call = client.ok("execute-command", { paneId, command, onInput: "person", timeout: 30 });
  call.catch(() => {});
  await person.untilAsked(/waits for a keypress/);
  const shows = async (text: string) =>
    (await world.tmux("capture-pane", "-p", "-J", "-t", paneId)).trimEnd().endsWith(text);
  for (const typed of ["a", "ab", "abc", "abcd", "abcde"]) {
    await world.tmux("send-keys", "-t", paneId, "-l", typed.at(-1)!);
    await until(() => shows(typed));
    if (typed === "a") await world.tmux("resize-window", "-t", session, "-x", "40", "-y", "20");
  }
  assertMatch(await world.tmux("show-options", "-wv", "-t", paneId, "@tmux_mcp_waiting"), /a keypress/);
  await person.type("f");
  const { exitCode, handedOver } = await call;
  assertEquals([exitCode, handedOver.length], [0, 1]);
});

/** Commands that ask for a name, and what the notice says of their questions. */
const NAME_QUESTIONS = {
  "a line": `script -qc 'printf "Name: "; read x; [ "$x" = "$NAME" ]' /dev/null`,
  "a keypress": `bash -c 'read -e -p "Name: " x; [ "$x" = "$NAME" ]'`,
};

for (const [kind, command] of Object.entries(NAME_QUESTIONS)) {
  test(`a long answer is answered by Enter, and by none of its keys: ${kind}`, async (pane) => {
    const { world, paneId, client } = pane;
    const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
    await using person = await PersonAtTerminal.attach(world, { session });
    const name = "abcdefghijklmnopqrstuvwxyz".repeat(sized({ gate: 1, soak: 2 }));
    const call = client.ok("execute-command", {
      paneId,
      command: `NAME=${name} ${command}`,
      onInput: "person",
      timeout: 30,
    });
    call.catch(() => {});
    await person.untilAsked(new RegExp(`waits for ${kind}`));
    for (let typed = 1; typed < name.length; typed++) {
      await world.tmux("send-keys", "-t", paneId, "-l", name[typed - 1]!);
      await until(async () =>
        (await world.tmux("capture-pane", "-p", "-t", paneId)).includes(`Name: ${name.slice(0, typed)}`)
      );
    }
    assertMatch(
      await world.tmux("show-options", "-wv", "-t", paneId, "@tmux_mcp_waiting"),
      new RegExp(kind),
    );
    await person.type(name.at(-1)!);
    const { exitCode, handedOver } = await call;
    assertEquals([exitCode, handedOver.map((each: { outcome: string }) => each.outcome)], [0, ["answered"]]);
  });
}
