// Answers that are cut hold no half of a character: the parsers of Rust's and Python's clients refuse such a line.
import { assert, assertEquals } from "@std/assert";
import { RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

/** Fails for a half of a surrogate pair, which JSON escapes, and for what would replace one. */
function assertWhole(answer: unknown): void {
  const json = JSON.stringify(answer);
  assert(!/\\ud[89a-f]|\ufffd/.test(json), json);
}

Deno.test("answers that are cut", async (t) => {
  await using world = await World.create();
  await using raw = new RawClient(world);
  await raw.initialize();
  let id = 1;
  const call = async (name: string, args?: Record<string, unknown>) => {
    const { result } = await raw.call(++id, name, args);
    assert(!result.isError, JSON.stringify(result));
    return result.structuredContent;
  };

  await t.step("a long command with emoji is listed up to a whole character", async () => {
    const { paneId } = await call("create-session", { name: "emoji" });
    // Character 200 is the first half of a rocket.
    const command = `echo ${"🚀".repeat(120)}`;
    await call("execute-command", { paneId, command });
    const listed = await call("list-commands");
    assertEquals(listed.commands[0].command, `echo ${"🚀".repeat(97)}`);
    assertWhole(listed);
  });

  await t.step("what a pane that isn't ready printed is shown from a whole character on", async () => {
    const pane = {
      "shell_command": ["printf '😀%.0s' {1..300}; printf x; sleep 99"],
      ready: { pattern: "never", timeout: 3 },
    };
    const made = await call("apply-workspace", {
      workspace: { "session_name": "pane", windows: [{ panes: [pane] }] },
    });
    const { output } = made.windows[0].panes[0];
    assert(output.endsWith("😀x"), output);
    assertWhole(made);
  });

  await t.step(
    "the error for a line that is no JSON and begins with an emoji is quoted without half of it",
    async () => {
      await raw.line("🚀");
      const { error } = await raw.next();
      assertEquals(error?.code, -32700);
      assert(error!.message.isWellFormed(), error!.message);
    },
  );
});
