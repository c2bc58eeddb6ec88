// Traps of watching: each test is named after what breaks in other servers.
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { launch } from "../support/launched.ts";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

Deno.test("traps of watching", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);

  await t.step("`idle` never fires once something was printed", async () => {
    const result = await watching.watchRun("echo printed; exec sleep 1000", { triggers: "idle:2" });
    assertEquals([result.event, result.output], ["idle:2", "printed"]);
  });

  await t.step("unknown triggers dropped silently", async () => {
    const paneId = await watching.shellPane();
    for (const triggers of ["exit,finished", "idle:0", "", "pattern:", "Exit", ["exit", "x"]]) {
      const { code, text } = await client.fails("watch-pane", { paneId, triggers });
      assertEquals([triggers, code], [triggers, "invalid-argument"]);
      assertMatch(
        text,
        /Valid triggers: exit, shell, user_input, error, bell, port\[:NUMBER\], idle:SECONDS, pattern:REGEX/,
      );
    }
  });

  await t.step("commas split the regex", async () => {
    const result = await watching.watchRun("echo baaab; exec cat", {
      triggers: "pattern:ba{2,3}b,bell",
      timeout: 5,
    });
    assertEquals(result.event, "pattern:ba{2,3}b");
  });

  await t.step(
    "error pattern matches `failsafe`, `0 failed` and the echoed command line itself",
    async () => {
      const paneId = await watching.shellPane();
      const command = "printf 'failsafe\\n0 failed\\nno errors\\n'; : error: failed";
      const { event, output } = await client.ok("start-and-watch", {
        paneId,
        command,
        triggers: "error,exit",
      });
      assertEquals([event, output], ["exit", "failsafe\n0 failed\nno errors"]);
    },
  );

  await t.step("80-column wrap splits the readiness line", async () => {
    const paneId = await watching.shellPane();
    const command = "printf '%076d' 0; echo ' ready to serve'";
    const { event } = await client.ok("start-and-watch", { paneId, command, pattern: "0 ready to serve$" });
    assertEquals(event, "pattern:0 ready to serve$");
  });

  await t.step(
    "screen diff: everything looks new after a scroll, lines between two polls never seen",
    async () => {
      const paneId = await watching.shellPane();
      await watching.type(paneId, "echo old-$((40+2))");
      await watching.until(async () => /^old-42$/m.test(await watching.screen(paneId)));
      const triggers = ["pattern:^old-42$", "pattern:^last-42$"];
      const { result } = await watching.watch({ paneId, triggers, mode: "slow" });
      await watching.type(paneId, "seq 1 500; echo last-$((40+2))");
      const { event, output, totalLines } = readResult(await result);
      assertEquals([event, totalLines > 500], ["pattern:^last-42$", true]);
      const end = [...Array.from({ length: 90 }, (_, at) => 411 + at), "last-42"].join("\n");
      assertStringIncludes(output, end);
    },
  );
});

// `tests/config_test.ts` has more levels.
Deno.test("invalid safety level falls back to permissive", async () => {
  const env = { PATH: Deno.env.get("PATH")!, HOME: "/nonexistent" };
  const byFlag = await launch(["--safety", "READONLY"], { env });
  const byVariable = await launch([], { env: { ...env, TMUX_MCP_SAFETY: "" } });
  for (const { code, stdout, stderr } of [byFlag, byVariable]) {
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, /readonly, mutating, destructive/);
  }
});
