// Commands whose clients are detached just before their output begins, so that nobody reads mark C.
import { assertEquals } from "@std/assert";
import { ShellPane } from "../support/shell_pane.ts";
import { World } from "../support/world.ts";

const SESSION = `session=$(tmux display-message -p -t "$TMUX_PANE" '#{session_id}')`;
const DETACH = 'tmux detach-client -s "$session"';
const REFUSE = `tmux set-hook -g client-attached "detach-client -s '$session'"`;

const DETACHED: Record<string, string> = {
  "are detached": `${SESSION}; ${DETACH}`,
  "are detached as soon as they attach": `${SESSION}; ${REFUSE}; ${DETACH}; sleep 0.05`,
};

for (const [what, detach] of Object.entries(DETACHED)) {
  Deno.test(`a command that begins as its clients ${what} runs to its end`, async () => {
    await using world = await World.create();
    if (!await world.attaches()) return;
    const pane = await openDetachingDash(world, detach);
    const go = `${world.folder}/go`;
    const command = `echo one; until [ -e ${go} ]; do sleep 0.05; done; echo two; (exit 3)`;
    const { commandId } = await pane.begin(command, 0);
    await Deno.writeTextFile(go, "");
    const { status, exitCode, output } = await pane.client.commandResult(commandId);
    assertEquals([status, exitCode], ["completed", 3], output);
    const next = await pane.run("echo next");
    assertEquals([next.status, next.output], ["completed", "next"]);
  });

  Deno.test(`a command that is over as its clients ${what} has run`, async () => {
    await using world = await World.create();
    if (!await world.attaches()) return;
    const pane = await openDetachingDash(world, detach);
    const { status, exitCode, outputTruncated } = await pane.run("echo one; (exit 3)");
    assertEquals([status, exitCode, outputTruncated], ["completed", 3, true]);
  });
}

/** Opens a dash that runs this script as it takes its terminal back, just before the output of its first command. */
async function openDetachingDash(world: World, script: string): Promise<ShellPane> {
  const { folder, env: { PATH = "" } } = world;
  await Deno.mkdir(`${folder}/bin`);
  const once = `${folder}/once`;
  await Deno.writeTextFile(once, "");
  await Deno.writeTextFile(
    `${folder}/bin/stty`,
    `#!/bin/sh
case "$*" in
  -g | -echo*) ;;
  *) if rm ${once} 2>/dev/null; then ${script}; fi ;;
esac
PATH='${PATH}' exec stty "$@"
`,
    { mode: 0o755 },
  );
  const client = await world.serve();
  await client.ok("create-session", { name: "keep", command: "cat" });
  return await ShellPane.add(world, client, `env PATH='${folder}/bin:${PATH}' dash -i`);
}
