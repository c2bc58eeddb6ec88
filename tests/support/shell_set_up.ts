// Shells as their users have set them up, in panes of their own.
import { assert } from "@std/assert";
import { keepFishFromManuals, type TestClient, type World } from "./world.ts";

export interface SetUp {
  name: string;
  /** The command line of the shell; `HOME_` stands for the folder of its start-up files. */
  shell: string;
  environment?: Readonly<Record<string, string>>;
  files?: Readonly<Record<string, string>>;
}

/** Creates a session with such a shell; its pane closes with the scope. */
export async function openShell(
  world: World,
  client: TestClient,
  { name, shell, environment, files = {} }: SetUp,
) {
  const home = `${world.folder}/${name.replaceAll(/\W/g, "-")}`;
  await keepFishFromManuals(home);
  for (const [file, text] of Object.entries(files)) await Deno.writeTextFile(`${home}/${file}`, text);
  const { paneId } = await client.ok("create-session", {
    command: shell.replaceAll("HOME_", home),
    environment: { HOME: home, ZDOTDIR: home, ENV: `${home}/rc`, ...environment },
  });
  return {
    paneId,
    run: (command: string) => client.ok("execute-command", { paneId, command }),
    async [Symbol.asyncDispose](): Promise<void> {
      await world.tmux("kill-pane", "-t", paneId).catch(() => {});
    },
  };
}

/** Maximum number of commands in a test that may be refused because a job printed just when the keys were pressed. */
const MAX_REFUSED = 3;

/** Runs commands beside jobs that print: a refused one leaves nothing behind, so it runs when it is called again. */
export function besideJobs(client: TestClient, paneId: string) {
  let refused = 0;
  return async (command: string) => {
    const { isError, structuredContent } = await client.call("execute-command", { paneId, command });
    if (!isError) return structuredContent;
    assert(++refused <= MAX_REFUSED, `${refused} commands were refused, the last: ${command}`);
    return await client.ok("execute-command", { paneId, command });
  };
}
