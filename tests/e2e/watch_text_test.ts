// Output of a pane makes triggers true: all of it, as text, in its order.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Args, readResult, Watching, WAYS } from "../support/watching.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

interface Case {
  name: string;
  /** Runs in the pane once the watch has begun. */
  script: string;
  watch: Args;
  event: string;
  detail?: RegExp;
  output?: RegExp;
  /** Is about the triggers alone, which get the same text whichever way the pane is followed. */
  once?: true;
}

const CASES: Case[] = [
  {
    name: "a pattern fires on a finished line, with what was printed",
    script: "echo one; echo ready on 80; exec cat",
    watch: { triggers: "pattern:ready on \\d+,exit" },
    event: "pattern:ready on \\d+",
    detail: /^Matched: ready on 80$/,
    output: /one\nready on 80/,
  },
  {
    name: "a line among thousands between two inspections is not missed",
    script: "seq 1 5000; echo needle; seq 1 5000; exec cat",
    watch: { triggers: "pattern:^needle$", mode: "slow" },
    event: "pattern:^needle$",
    detail: /^Matched: needle$/,
  },
  {
    name: "a line on a screen that is cleared at once is not missed",
    script: "echo now you see me; printf '\\033[2J\\033[H\\033[3J'; exec cat",
    watch: { triggers: "pattern:you see" },
    event: "pattern:you see",
  },
  {
    name: "a line on the alternate screen is not missed",
    script: "printf '\\033[?1049h'; echo inside; printf '\\033[?1049l'; exec cat",
    watch: { triggers: "pattern:inside" },
    event: "pattern:inside",
  },
  {
    name: "text painted with cursor moves is lines",
    script: "printf '\\033[5;10Hbuild passed\\033[7;1Hnext'; exec cat",
    watch: { triggers: "pattern:^build passed$" },
    event: "pattern:^build passed$",
  },
  {
    name: "the 80-column wrap does not split the readiness line",
    script: "printf 'x%.0s' $(seq 75); echo ' Listening on http://127.0.0.1:8080/ for requests'; exec cat",
    watch: { triggers: "pattern:Listening on http://127.0.0.1:8080/ for requests$" },
    event: "pattern:Listening on http://127.0.0.1:8080/ for requests$",
  },
  {
    name: "a pattern in an array keeps the blank that ends it",
    script: "printf '>>> '; exec cat",
    watch: { triggers: ["pattern:>>> "] },
    event: "pattern:>>> ",
    once: true,
  },
  {
    name: "escape sequences inside the words are not there",
    script: "printf 'rea\\033[1;32mdy\\033[0m\\n'; exec cat",
    watch: { triggers: "pattern:^ready$" },
    event: "pattern:^ready$",
  },
  {
    name: "a prompt that never ends its line counts once it rests",
    script: "printf 'Continue? (y/n) '; exec cat",
    watch: { triggers: "pattern:\\(y/n\\) $" },
    event: "pattern:\\(y/n\\) $",
    output: /Continue\? \(y\/n\)/,
  },
  {
    name: "a progress bar's last state is its line",
    script: "for i in 10 50 99; do printf '\\r%s%%' $i; done; printf '\\rdone\\n'; exec cat",
    watch: { triggers: "pattern:^done$" },
    event: "pattern:^done$",
    output: /^done$/,
  },
  {
    name: "a line that is rewritten all the time is matched",
    script:
      "exec perl -e '$| = 1; while (1) { print qq(\\r| ready on port 3000); select undef, undef, undef, 0.02 }'",
    watch: { triggers: "pattern:ready on port 3000" },
    event: "pattern:ready on port 3000",
  },
  {
    name: "the earlier place wins over the order given",
    script: "printf 'error: first\\nready\\n'; exec cat",
    watch: { triggers: "pattern:ready,error" },
    event: "error",
    detail: /^Error line: error: first$/,
    once: true,
  },
  {
    name: "the error pattern passes over failsafe, 0 failed and no errors",
    script: "printf 'failsafe on\\n12 passed, 0 failed\\nno errors\\nnpm ERR! code 1\\n'; exec cat",
    watch: { triggers: "error" },
    event: "error",
    detail: /npm ERR! code 1/,
    once: true,
  },
  {
    name: "a line that announces a result is no error while it waits for that",
    script: "printf 'returns the error ... '; exec cat",
    watch: { triggers: "error,idle:1" },
    event: "idle:1",
    once: true,
  },
  {
    name: "the pane's bell fires",
    script: "printf 'bing\\a'; exec cat",
    watch: { triggers: "bell" },
    event: "bell",
  },
  {
    name: "a BEL that ends a title is no bell",
    script: "printf '\\033]0;title\\007'; echo set; exec cat",
    watch: { triggers: "bell,pattern:^set$" },
    event: "pattern:^set$",
  },
  {
    name: "idle fires after output as well as without",
    script: "echo some output; exec cat",
    watch: { triggers: "idle:0.3,exit" },
    event: "idle:0.3",
    output: /some output/,
  },
  {
    name: "the shorter of two idles fires",
    script: "echo some output; exec cat",
    watch: { triggers: "idle:30,idle:0.3" },
    event: "idle:0.3",
    once: true,
  },
  {
    name: "a pattern that backtracks elsewhere does not slow a watch of a line of a megabyte",
    script: "printf '!'; head -c 1000000 /dev/zero | tr '\\0' a; echo; echo ready; exec cat",
    watch: { triggers: "pattern:^(a+)+$,pattern:^ready$" },
    event: "pattern:^ready$",
    once: true,
  },
  {
    name: "invalid UTF-8 is replaced and the rest is text",
    script: "printf '\\377\\376 ready\\n'; exec cat",
    watch: { triggers: "pattern:ready$" },
    event: "pattern:ready$",
    output: /\uFFFD ready/,
  },
];

for (const [way, args] of Object.entries(WAYS)) {
  Deno.test(`what a pane prints, ${way}`, (t) => printing(t, args));
}

async function printing(t: Deno.TestContext, args: readonly string[]): Promise<void> {
  await using world = await World.create();
  const watching = new Watching(world, await world.serve({ args }));
  await watching.pane("cat", "keep");
  for (const { name, script, watch, event, detail = /./, output = /(?:)/, once } of CASES) {
    if (once && args.length > 0) continue;
    await t.step(name, async () => {
      const result = await watching.watchRun(script, watch);
      assertEquals(result.event, event, JSON.stringify(result));
      assertMatch(result.detail, detail);
      assertMatch(result.output, output);
      assertEquals(result.paneState.isAlive, true);
      // Some scripts never end.
      await world.tmux("kill-pane", "-t", result.paneId);
    });
  }

  await t.step("an instant command is not missed", async () => {
    const paneId = await watching.shellPane();
    const { result } = await watching.watch({ paneId, triggers: "pattern:^ready$" });
    await watching.type(paneId, "echo ready");
    assertEquals(readResult(await result).detail, "Matched: ready");
  });

  await t.step("a line that announces a result and gets none is an error once its process ends", async () => {
    const paneId = await watching.shellPane();
    await watching.job(paneId, "printf 'the build failed ... '; exit 1");
    const { result } = await watching.watch({ paneId, triggers: "error,exit" });
    await watching.go(paneId);
    assertEquals(readResult(await result).event, "error");
  });

  await t.step("what a process printed stands before its end", async () => {
    const paneId = await watching.shellPane();
    await watching.job(paneId, "seq 1 20000; echo last words; exit 1");
    const { result } = await watching.watch({ paneId, triggers: "exit,pattern:last words" });
    await watching.go(paneId);
    assertEquals(readResult(await result).event, "pattern:last words");
  });

  await t.step("an old bell and another pane's bell do not count", async () => {
    const rung = await watching.waitingPane("echo quiet; exec cat");
    await world.tmux("run-shell", "-t", rung, "true");
    const loud = await watching.waitingPane("printf '\\a'; exec cat");
    await watching.go(loud);
    const joined = await watching.waitingPane("printf '\\a'; echo after; exec cat");
    await world.tmux("join-pane", "-s", joined, "-t", rung);
    const { result } = await watching.watch({ paneId: rung, triggers: "bell,pattern:quiet" });
    await watching.go(joined);
    await watching.until(async () => (await watching.screen(joined)).includes("after"));
    await watching.go(rung);
    assertEquals(readResult(await result).event, "pattern:quiet");
  });

  await t.step("a static prompt answers with what there is and not with nothing", async () => {
    const paneId = await watching.waitingPane("true");
    const result = await watching.client.ok("watch-pane", { paneId, triggers: "user_input" });
    assertEquals(result.event, "user_input");
    assertMatch(result.detail, /^sh is waiting for a password/);
    assertEquals([result.output, result.totalLines], ["", 0]);
  });

  await t.step("output keeps the last hundred lines and says what it cut", async () => {
    const result = await watching.watchRun("seq 1 5000; echo end; exec cat", { triggers: "pattern:^end$" });
    assertEquals([result.totalLines, result.outputTruncated], [5001, true]);
    assertEquals(result.output.split("\n").length, 100);
    assert(result.output.endsWith("5000\nend"));
  });

  await t.step("text after a string that never ends is read, as tmux shows it", async () => {
    const script = "printf '\\033P'; while echo needle; do sleep 0.2; done";
    assertEquals((await watching.watchRun(script, { triggers: "pattern:needle" })).event, "pattern:needle");
  });

  await t.step("the echo of keys is output of the pane, the word before the watch is not", async () => {
    const result = await watching.watchRun("echo after; exec cat", { triggers: "pattern:after" });
    assertEquals(result.output.trim(), "after");
  });

  // Without a control client, only one server can read a pane.
  const server = args.length === 0 && await watching.world.attaches() ? "another" : "the same";
  await t.step(
    `a command line that ${server} server shows fires nothing, and what follows does`,
    async () => {
      const shows = server === "another" ? await world.serve() : watching.client;
      const paneId = await watching.shellPane();
      const { result } = await watching.watch({ paneId, triggers: "pattern:BUILD.*OK,error", mode: "slow" });
      const command = ": BUILD\tOK\n: error: failed\nread -rs word; echo $word";
      await shows.ok("start-and-watch", { paneId, command, triggers: "user_input" });
      await watching.type(paneId, "error: real");
      const { detail, output } = readResult(await result);
      assertEquals(detail, "Error line: error: real");
      assertMatch(output, /: BUILD\s+OK\n: error: failed\nread -rs word/);
    },
  );

  if (args.length > 0) return;
  await t.step(
    "events of several watches come in the order of the lines, whichever watch is older",
    () => inOrder(watching),
  );
  for (const width of [100, 40]) {
    await t.step(
      `a command that is typed in a watched pane of ${width} columns shows as a person would type it and fires nothing`,
      () => typing(watching, width),
    );
  }
}

const TYPED_SHELLS = ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "mksh", "ksh93"];
/** Columns of busybox's prompt. It draws the last of 40 columns apart, after one character of the loader or several. */
const ASH_PROMPTS = [2, 32, 36];

async function typing({ world, client }: Watching, width: number): Promise<void> {
  const ashes = ASH_PROMPTS.map((columns) => {
    const file = `${world.folder}/prompt-${columns}`;
    Deno.writeTextFileSync(file, `PS1='${"$ ".padStart(columns, "-")}'`);
    return { command: "busybox ash", file };
  });
  for (
    const { command, file } of [...TYPED_SHELLS.map((command) => ({ command, file: "/dev/null" })), ...ashes]
  ) {
    const environment = { PS1: "$ ", ENV: file };
    const { paneId } = await client.ok("create-session", { command, environment, width, height: 30 });
    await client.ok("execute-command", { paneId, command: "true" });
    // The prompt after it is no output of what comes.
    await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
    const triggers = ["pattern:__mcp|builtin|\\beval\\b|133;R|echo two", "pattern:^two$"];
    const watched = await client.ok("watch-pane", { paneId, triggers, background: true });
    await client.ok("execute-command", { paneId, command: "echo one; echo two" });
    const [{ event, output }] =
      (await client.ok("watch-events", { cursor: watched.cursor, waitSeconds: 20 })).events;
    assertEquals(event, "pattern:^two$", `${command}: ${output}`);
    assertMatch(output.trim(), /^.{0,70}echo one; echo two\none\ntwo/, `${command}: ${output}`);
  }
}

async function inOrder({ client }: Watching): Promise<void> {
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const texts = Array.from({ length: 6 }, (_, index) => `needle-${index}`);
  for (let round = 0; round < 3; round++) {
    const ids = new Map<string, string>();
    for (const text of texts.toReversed()) {
      const watch = { paneId, triggers: `pattern:^${text}$`, background: true, timeout: 60 };
      ids.set((await client.ok("watch-pane", watch)).watchId, text);
    }
    await client.ok("execute-command", { paneId, command: `printf 'needle-%s\\n' 0 1 2 3 4 5` });
    const seen: string[] = [];
    for (const late = performance.now() + 20_000; seen.length < texts.length && performance.now() < late;) {
      const { events } = await client.ok("watch-events", { waitSeconds: 5 });
      seen.push(...events.map(({ watchId }: { watchId: string }) => ids.get(watchId)!));
    }
    assertEquals(seen, texts);
  }
}
