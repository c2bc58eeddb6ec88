// A user changes their own password with passwd: setuid root, so the kernel shows little of it. Then su accepts the new password.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { PersonAtTerminal } from "../support/person.ts";
import { ShellPane } from "../support/shell_pane.ts";

const OLD = "oldWord-271828";
const NEW = "newWord-314159-Q";
const WRONG = "noWord-161803";

async function run(program: string, args: string[], input = ""): Promise<void> {
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "null", stderr: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stderr } = await child.output();
  if (!success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** A user of this machine, gone when the scope ends. */
class ThrowAwayUser implements AsyncDisposable {
  readonly name: string = `tmuxmcp${crypto.randomUUID().slice(0, 8)}`;

  static async create(password: string): Promise<ThrowAwayUser> {
    const user = new ThrowAwayUser();
    await run("useradd", [
      "--no-create-home",
      "--home-dir",
      "/nonexistent",
      "--shell",
      "/bin/bash",
      user.name,
    ]);
    await run("chpasswd", [], `${user.name}:${password}\n`);
    return user;
  }

  /** Runs a shell as this user. */
  get shell(): string {
    return `setpriv --reuid=${this.name} --regid=${this.name} --clear-groups bash --norc`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run("userdel", [this.name]);
  }
}

interface Asking {
  command: string;
  answers: [prompt: RegExp, typed: string][];
  exitCode: number;
}

async function askedOf(pane: ShellPane, { command, answers, exitCode }: Asking): Promise<void> {
  const { world, paneId } = pane;
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  const line = `tmux -S ${world.socket} attach -t '${session}'`;
  await using person = await PersonAtTerminal.attach(world, { line, columns: 110 });
  const call = pane.client.ok("execute-command", { paneId, command, onInput: "person", timeout: 60 });
  call.catch(() => {});
  for (const [, typed] of answers) {
    await person.untilAsked(/waits for a password/);
    await person.type(typed);
    await person.untilAnswered();
  }
  const { handedOver = [], ...result } = await call;
  assertEquals([result.status, result.exitCode], ["completed", exitCode], JSON.stringify(result));
  assertEquals(handedOver.map(({ outcome }: { outcome: string }) => outcome), answers.map(() => "answered"));
  for (const [index, { prompt }] of handedOver.entries()) assertMatch(prompt, answers[index]![0]);
  const said = JSON.stringify([result, handedOver]);
  for (const secret of [OLD, NEW, WRONG]) assert(!said.includes(secret));
}

if (Deno.uid() === 0) {
  Deno.test("a user changes their password with passwd, and su takes the new one and not the old one", async () => {
    await using user = await ThrowAwayUser.create(OLD);
    await using pane = await ShellPane.open(user.shell);
    const retyped: Asking["answers"] = [[/^New password: $/, NEW], [/^Retype new password: $/, NEW]];
    await askedOf(pane, { command: "passwd", answers: [[/^Current password: $/, WRONG]], exitCode: 10 });
    await askedOf(pane, {
      command: "passwd",
      answers: [[/^Current password: $/, OLD], ...retyped],
      exitCode: 0,
    });
    const su = `su ${user.name} -c 'exit 7'`;
    await askedOf(pane, { command: su, answers: [[/^Password: $/, NEW]], exitCode: 7 });
    await askedOf(pane, { command: su, answers: [[/^Password: $/, OLD]], exitCode: 1 });
  });
} else {
  Deno.test("su asks for root's password, and a wrong one is refused", async () => {
    await using pane = await ShellPane.open();
    await askedOf(pane, { command: "su root -c true", answers: [[/^Password: $/, WRONG]], exitCode: 1 });
  });
}
