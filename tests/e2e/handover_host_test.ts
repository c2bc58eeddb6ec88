// A person is asked for a program on a host whose connection is lost meanwhile.
import { assertEquals, assertMatch } from "@std/assert";
import { Far, remoteTest } from "../support/remote.ts";
import { ElicitRequestSchema } from "../support/sdk.ts";
import type { CallAnswer } from "../support/world.ts";
import { until } from "../support/until.ts";

const host = "far";

const CALLS: [shell: string, tool: string, args: Record<string, unknown>][] = [
  ["exec bash --norc --noprofile", "execute-command", { command: "read -p 'Name? ' x; echo got $x" }],
  ["exec python3 -q", "run-in-repl", { input: "import getpass; x = getpass.getpass('Name? ')" }],
];

remoteTest(
  "what was typed is not typed again because its host goes away while a person is asked",
  async () => {
    await using remote = await Far.create();
    let forms = 0;
    const client = await remote.world.serve({ args: ["--hosts", `far=${remote.words}`] }, {
      capabilities: { elicitation: {} },
      prepare: (mcp) =>
        mcp.setRequestHandler(ElicitRequestSchema, () => {
          forms++;
          return new Promise(() => {});
        }),
    });
    const answers: Promise<CallAnswer>[] = [];
    for (const [command, tool, args] of CALLS) {
      const { paneId } = await client.ok("create-session", { host, command });
      await client.ok("watch-pane", { host, paneId, triggers: "user_input", timeout: 100 });
      answers.push(client.call(tool, { host, paneId, ...args, onInput: "person", timeout: 8 }));
      await until(() => forms === answers.length);
    }
    await remote.sshd.goAway();
    const [command, repl] = await Promise.all(answers);
    assertMatch(command!.structuredContent.commandId, /^c\d+-/);
    assertMatch(command!.structuredContent.status, /^(waiting|lost)$/);
    assertEquals(repl!._meta?.["tmux-mcp/error"]?.retryable, false);
    assertMatch(repl!.content[0]?.text ?? "", /Check the state there before calling again: the input may/);
  },
);

remoteTest("the line that attaches to a host works where its login shell does not find tmux", async () => {
  const env = async (folder: string): Promise<Record<string, string>> => {
    const [bin, own] = [`${folder}/programs`, `${folder}/far/.local/bin`];
    await Deno.mkdir(bin);
    await Deno.mkdir(own, { recursive: true });
    for (const name of ["sh", "id", "uname", "cat", "readlink", "stty", "tr", "dd", "od", "ls", "grep"]) {
      await Deno.symlink(`/usr/bin/${name}`, `${bin}/${name}`);
    }
    const { stdout } = await new Deno.Command("which", { args: ["tmux"] }).output();
    await Deno.symlink(new TextDecoder().decode(stdout).trim(), `${own}/tmux`);
    return { PATH: bin };
  };
  await using remote = await Far.create({ env });
  await remote.tmux("new-session", "-d", "-s", "work", "cat");
  const client = await remote.serve();
  await client.ok("watch-pane", { host, paneId: "%0", triggers: "user_input", timeout: 100 });
  const { hint } = await client.ok("ask-person", { host, paneId: "%0", message: "Type" });
  const [, line] = /^A person can answer it after running: (.*)$/.exec(hint) ?? [];
  await remote.world.tmux("new-session", "-d", line!);
  await until(async () => (await remote.tmux("list-clients", "-F", "#{session_name}")) === "work\n");
});
