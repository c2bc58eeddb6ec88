// Shells as their users have set them up: each command runs once, whole, and with its own exit code.
import { assertEquals } from "@std/assert";
import { type TestClient, World } from "../support/world.ts";

interface SetUp {
  name: string;
  /** The command line of the shell; `HOME_` stands for the folder of its start-up files. */
  shell: string;
  environment?: Readonly<Record<string, string>>;
  files?: Readonly<Record<string, string>>;
}

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

async function open(world: World, client: TestClient, { name, shell, environment, files = {} }: SetUp) {
  const home = `${world.folder}/${name.replaceAll(/\W/g, "-")}`;
  await Deno.mkdir(home);
  for (const [file, text] of Object.entries(files)) await Deno.writeTextFile(`${home}/${file}`, text);
  const { paneId } = await client.ok("create-session", {
    command: shell.replaceAll("HOME_", home),
    environment: { HOME: home, ZDOTDIR: home, ENV: `${home}/rc`, ...environment },
  });
  return (command: string) => client.ok("execute-command", { paneId, command });
}

Deno.test("a prompt that runs programs is waited for", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  await Promise.all(SLOW_PROMPTS.map((setUp) =>
    t.step({
      name: setUp.name,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      fn: async () => {
        const run = await open(world, client, setUp);
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

Deno.test("a program of a prompt in a shell that a command began is waited for", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const run = await open(world, client, {
    name: "outer",
    shell: "bash --norc",
    files: { rc: "PROMPT_COMMAND='sleep 0.5'" },
  });
  await run("bash --rcfile $HOME/rc");
  for (const said of ["one", "two"]) assertEquals((await run(`echo ${said}`)).output, said);
});

Deno.test("the exit code of a command is there for the next one in every shell", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const shells = ["bash --norc", "zsh -f", "fish", "dash -i", "busybox ash", "ksh93", "mksh", "yash"];
  for (const shell of shells) {
    await t.step(shell, async () => {
      const run = await open(world, client, { name: shell, shell, environment: { ENV: "/dev/null" } });
      await run("sh -c 'exit 3'");
      assertEquals((await run(shell === "fish" ? "echo $status" : "echo $?")).output, "3");
    });
  }
});
