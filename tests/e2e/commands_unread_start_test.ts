// Commands whose clients are detached just before their output begins, so that nobody reads mark C.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";

const SESSION = `session=$(tmux display-message -p -t "$TMUX_PANE" '#{session_id}')`;
const DETACH = 'tmux detach-client -s "$session"';
const REFUSE = `tmux set-hook -g client-attached "detach-client -s '$session'"`;

const DETACHED: Record<string, string> = {
  "are detached": `${SESSION}; ${DETACH}`,
  "are detached as soon as they attach": `${SESSION}; ${REFUSE}; ${DETACH}; sleep 0.05`,
};

const test = inTurnOnOneServer("a command whose clients are detached as it begins");

for (const [what, detach] of Object.entries(DETACHED)) {
  test(`a command that begins as its clients ${what} runs to its end`, async ({ world, client }) => {
    if (!await world.attaches()) return;
    const pane = await openDetachingDash({ world, client }, detach);
    const { paneId } = pane;
    const { commandId } = await pane.begin("echo one; head -n 1; seq 1 5000; (exit 3)", 0);
    await pane.untilRunning("head");
    await until(async () => {
      await world.tmux("send-keys", "-t", paneId, "a");
      return /^a+$/m.test((await client.ok("get-command-result", { commandId, fold: false })).output);
    });
    await world.tmux("send-keys", "-t", paneId, "Enter");
    const { status, exitCode, totalLines } = await client.commandResult(commandId);
    assertEquals([status, exitCode], ["completed", 3]);
    const last = { offset: totalLines - 5001, maxLines: 5001, fold: false };
    const { output } = await client.ok("get-command-result", { commandId, ...last });
    const numbers = Array.from({ length: 5000 }, (_, at) => `${at + 1}`).join("\n");
    assertEquals(output.replace(/^a+/, "a"), `a\n${numbers}`);
    const next = await pane.run("echo next");
    assertEquals([next.status, next.output], ["completed", "next"]);
  });

  test(`a watch on a command that begins as its clients ${what} sees what it prints, asks and where it ends`, async ({ world, client }) => {
    if (!await world.attaches()) return;
    const pane = await openDetachingDash({ world, client }, detach);
    const { paneId } = pane;
    const asked = await client.ok("start-and-watch", {
      paneId,
      command: "sleep 0.5; printf 'name? '; head -n 1; sleep 1000",
      triggers: "user_input",
      timeout: 20,
    });
    assertEquals(asked.event, "user_input", asked.detail);
    await world.tmux("send-keys", "-t", paneId, "typed", "Enter");
    await pane.untilRunning("sleep");
    // So long after the gap, only Ctrl-C's echo shows that the shell is back at its prompt.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await world.tmux("send-keys", "-t", paneId, "C-c");
    const { status, exitCode } = await client.commandResult(asked.commandId);
    assertEquals([status, exitCode], ["completed", 130]);
  });

  test(`a command that is over as its clients ${what} has run`, async ({ world, client }) => {
    if (!await world.attaches()) return;
    const pane = await openDetachingDash({ world, client }, detach);
    const { status, exitCode, outputTruncated } = await pane.run("echo one; (exit 3)");
    assertEquals([status, exitCode, outputTruncated], ["completed", 3, true]);
  });
}

/** Opens a dash that runs this script as it takes its terminal back, just before the output of its first command. */
async function openDetachingDash({ world, client }: Served, script: string): Promise<ShellPane> {
  const { folder, env: { PATH = "" } } = world;
  await Deno.mkdir(`${folder}/bin`, { recursive: true });
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
  await client.ok("create-session", { name: "keep", command: "cat" });
  return await ShellPane.add(world, client, `env PATH='${folder}/bin:${PATH}' dash -i`);
}
