// An allowlist of one command, in a pane of each shell: the command runs, and nothing else does.
import { assert, assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { exists } from "./stage.ts";

const SHELLS = {
  zsh: "zsh -f",
  fish: "fish --no-config",
  dash: "dash",
  ksh: "ksh",
  mksh: "mksh",
};

/** Texts that some reader would take for an echo; no attempt may create the file `C`. */
const ATTEMPTS = [
  'echo "hi"#;touch C',
  'echo "$\\\n(touch C)"',
  'echo "hi" \\\n#;touch C',
  'echo: touch C; echo "hi"',
  'echo "hi" >| touch C',
  'echo "hi" (touch C)',
  'echo "hi" $$(touch C)',
  "echo `touch C`",
  "echo '\\' '; touch C #'",
  'echo "hi" # it\ntouch C',
  'echo () { touch C; }; echo "hi"',
  'echo "hi" =(touch C)',
  'echo "hi" &>f touch C',
];

const test = inTurnOnOneServer("an allowlist lets one command through, and no other", async (world) => {
  const file = `${world.folder}/config.toml`;
  await Deno.writeTextFile(
    file,
    `[security.command_filter]\nmode = "allowlist"\npatterns = ['^echo "[a-z ]*"$']\n`,
  );
  return await world.serve({ args: ["--config", file] });
});

for (const [shell, command] of Object.entries(SHELLS)) {
  test(`in ${shell}`, async ({ world, client }, t) => {
    const paneId = (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", command)).trim();
    const canary = `${world.folder}/canary`;
    for (const attempt of ATTEMPTS) {
      await t.step(JSON.stringify(attempt), async () => {
        const command = attempt.replaceAll(/\bC\b/g, canary);
        const { isError, _meta } = await client.call("execute-command", { paneId, command, timeout: 5 });
        assertEquals([isError, _meta?.["tmux-mcp/error"]?.code], [true, "denied"]);
      });
    }
    const { output, exitCode } = await client.ok("execute-command", {
      paneId,
      command: 'echo "hi"; echo "you"',
    });
    assertEquals([String(output).trim(), exitCode], ["hi\nyou", 0]);
    assert(!await exists(canary), "a forbidden command has run");
  });
}
