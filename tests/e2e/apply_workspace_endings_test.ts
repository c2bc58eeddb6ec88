// Workspaces whose programs end early, and calls that are cut short.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assert, assertEquals, assertMatch } from "@std/assert";
import { PersonAtTerminal } from "../support/person.ts";
import { until } from "../support/until.ts";
import { onOneServer } from "../support/one_server.ts";

/** A window that takes longer to make than a program that ends at once takes to end. */
const slow = { window_name: "slow", panes: Array(6).fill("blank") };

const test = onOneServer("a workspace that doesn't come up");

test("tries once where a program ends at once, and names it", async ({ world, client }) => {
  const runs = `${world.folder}/runs`;
  const ends: [name: string, window: Record<string, unknown>, where: RegExp][] = [
    ["window", { window_shell: "true" }, /windows\[0\]\.window_shell "true" ended/],
    ["missing", { window_shell: "/no/such/program" }, /windows\[0\]\.window_shell ".no.such.program" ended/],
    [
      "pane",
      { panes: ["blank", { shell: "true", focus: true }, "blank"] },
      /windows\[0\]\.panes\[1\]\.shell "true" ended/,
    ],
  ];
  for (const [name, window, where] of ends) {
    const workspace = {
      session_name: name,
      before_script: `echo ${name} >> ${runs}`,
      windows: [window, slow],
    };
    const { code, text } = await client.fails("apply-workspace", { workspace });
    assertEquals(code, "invalid-argument", text);
    assertMatch(text, where);
  }
  assertEquals(await Deno.readTextFile(runs), "window\nmissing\npane\n");
  const { sessions } = await client.ok("list-sessions");
  const names: string[] = sessions.map(({ name }: { name: string }) => name);
  assertEquals(names.filter((name) => ends.some(([ended]) => name === ended)), []);
});

test("tries once in a session that is there, and leaves it as it was", async ({ world, client }) => {
  const { sessionId } = await client.ok("create-session", { name: "there" });
  const before = await client.ok("list-panes", { sessionId });
  const runs = `${world.folder}/runs-there`;
  const ending = { window_name: "ending", window_shell: `echo >> ${runs}` };
  const windows = [{ window_name: "lasting", panes: ["blank"] }, ending, slow];
  const workspace = { session_name: "there", windows };
  const { text } = await client.fails("apply-workspace", { workspace });
  assertMatch(text, /windows\[1\]\.window_shell/);
  assertEquals(await Deno.readTextFile(runs), "\n");
  assertEquals(await client.ok("list-panes", { sessionId }), before);
});

test("reports a program that ends before its commands are typed", async ({ client }) => {
  const panes = ["blank", { shell: "sleep 0.5", shell_command: [{ cmd: "x", sleep_before: 2 }] }];
  const applied = await client.ok("apply-workspace", {
    workspace: { session_name: "late", windows: [{ panes }] },
  });
  const [, ended] = applied.windows[0].panes;
  assertEquals([applied.ready, ended.ready, ended.event], [false, false, "exit"]);
});

test("refuses a line that its terminal would cut, in pieces too", async ({ client }) => {
  const long = "x".repeat(4200);
  const half = { cmd: long.slice(2100), enter: false };
  for (const [at, shell_command] of [[long], [half, half]].entries()) {
    const workspace = { session_name: `cut${at}`, windows: [{ panes: [{ shell: "dash", shell_command }] }] };
    const { code, text } = await client.fails("apply-workspace", { workspace });
    assertEquals(code, "invalid-argument");
    assertMatch(text, /its terminal would cut it/);
  }
});

test("gives programs the booleans of its environment as YAML spells them", async ({ client }) => {
  const environment = { CI: true, DEBUG: false, LEVEL: 3 };
  for (
    const workspace of [
      { session_name: "json", environment, windows: [{ environment, panes: ["blank"] }] },
      "session_name: yaml\nenvironment: {CI: true, DEBUG: false, LEVEL: 3}\nwindows: [panes: [blank]]",
    ]
  ) {
    const { sessionId, windows } = await client.ok("apply-workspace", { workspace });
    const { variables } = await client.ok("show-environment", { sessionId });
    assertEquals([variables.CI, variables.DEBUG, variables.LEVEL], ["true", "false", "3"]);
    const paneId = windows[0].panes[0].paneId;
    const { output } = await client.ok("execute-command", { paneId, command: "echo $CI-$DEBUG-$LEVEL" });
    assertEquals(output.trim(), "true-false-3");
  }
});

test("types a Tab into a shell as it is written", async ({ world, client }) => {
  const folder = `${world.folder}/tabs`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/xyz`, "");
  const written = ["printf '%s' 'x\ty' > part; mv part whole"];
  const windows = [{ start_directory: folder, panes: ["blank", { shell_command: written }] }];
  await client.ok("apply-workspace", { workspace: { session_name: "tabs", windows } });
  const read = () => Deno.readTextFile(`${folder}/whole`).catch(() => "");
  await until(async () => await read() !== "");
  assertEquals(await read(), "x\ty");
  for (const shell of ["dash", "zsh"]) {
    await Deno.remove(`${folder}/whole`);
    const options = { "default-shell": `/usr/bin/${shell}` };
    await client.ok("apply-workspace", { workspace: { session_name: shell, options, windows } });
    await until(async () => await read() !== "");
    assertEquals([shell, await read()], [shell, "x\ty"]);
  }
});

test("types a Tab once a shell that keeps waking up sleeps again", async ({ world, client }) => {
  const whole = `${world.folder}/awake`;
  const waking = "trap : USR1; (for i in {1..60}; do kill -USR1 $$; sleep 0.01; done) &";
  const workspace = {
    session_name: "awake",
    options: { "default-shell": "/bin/bash" },
    windows: [{ panes: ["blank", { shell_command: [waking, `printf 'x\ty' > ${whole}`] }] }],
  };
  await client.ok("apply-workspace", { workspace });
  await until(async () => await Deno.readTextFile(whole).catch(() => "") === "x\ty");
});

test("refuses a Tab for a shell that can't keep one, and types the line once it is without", async ({ world, client }) => {
  const typed = `${world.folder}/without`;
  const workspace = (command: string) => ({
    session_name: "fish",
    options: { "default-shell": "/usr/bin/fish" },
    windows: [{ panes: ["blank", { shell_command: [command] }] }],
  });
  const { code, text } = await client.fails("apply-workspace", { workspace: workspace("echo 'a\tb'") });
  assertEquals(code, "unsupported");
  assertMatch(text, /Tab into fish in pane "%\d+"/);
  await client.ok("apply-workspace", { workspace: workspace(`echo done > ${typed}`) });
  await until(async () => await Deno.readTextFile(typed).catch(() => "") === "done\n");
});

test("refuses a Tab for a bash that takes no pastes, and would complete a word", async ({ world, client }) => {
  const INPUTRC = `${world.folder}/inputrc`;
  await Deno.writeTextFile(INPUTRC, "set enable-bracketed-paste off\n");
  const workspace = {
    session_name: "old bash",
    options: { "default-shell": "/bin/bash" },
    windows: [{ environment: { INPUTRC }, panes: ["blank", { shell_command: ["echo a\tb"] }] }],
  };
  const { code, text } = await client.fails("apply-workspace", { workspace });
  assertEquals(code, "unsupported");
  assertMatch(text, /Tab into bash in pane "%\d+"/);
});

test("types what a cancelled call left out, and nothing twice", async ({ world, client }) => {
  const log = `${world.folder}/typed`;
  const workspace = (sleep_before: number) => ({
    session_name: "cut",
    windows: [{
      window_name: "w",
      options: { "synchronize-panes": true },
      panes: [
        { shell_command: [`echo one >> ${log}`, { cmd: `echo two >> ${log}`, sleep_before }] },
        "blank",
      ],
    }],
  });
  const cancelling = new AbortController();
  const cut = client.call("apply-workspace", { workspace: workspace(600) }, { signal: cancelling.signal });
  await until(async () => await Deno.readTextFile(log).catch(() => "") === "one\n");
  cancelling.abort();
  await cut.catch(() => {});
  const synchronized = () => world.tmux("show-options", "-wv", "-t", "cut:w", "synchronize-panes");
  await until(async () => (await synchronized()).trim() === "on");
  const again = await client.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals(again.windows[0].panes.map(({ status }: { status: string }) => status), ["made", "found"]);
  await until(async () => await Deno.readTextFile(log) === "one\ntwo\n");
  const { paneId } = again.windows[0].panes[1];
  assertEquals(/echo/.test(await client.ok("capture-pane", { paneId })), false);
  const third = await client.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals(third.windows[0].panes.map(({ status }: { status: string }) => status), ["found", "found"]);
});

test("a command whose call is cancelled once the shell has it is typed once", async ({ world, client }) => {
  const [log, held, go] = ["log", "held", "go"].map((name) => `${world.folder}/cancelled-${name}`);
  // bash expands PS0 once a line is entered, before the line runs.
  const PS0 = `$(echo > ${held}; until [ -e ${go} ]; do sleep 0.05; done)`;
  const panes = [{ shell_command: `echo one >> ${log}; printf 'up%s\\n' 2`, ready: { pattern: "up2" } }];
  const workspace = {
    session_name: "held",
    options: { "default-shell": "/bin/bash" },
    windows: [{ environment: { PS0 }, panes }],
  };
  const cancelling = new AbortController();
  const cut = client.call("apply-workspace", { workspace }, { signal: cancelling.signal });
  await until(() => Deno.stat(held!).then(() => true, () => false));
  cancelling.abort();
  await cut.catch(() => {});
  // The server reads its messages in order, so it knows of the cancel.
  await client.ok("list-sessions");
  await Deno.writeTextFile(go!, "");
  await until(async () => await Deno.readTextFile(log!).catch(() => "") !== "");
  const again = await client.ok("apply-workspace", { workspace });
  assertEquals([again.windows[0].panes[0].status, again.ready], ["found", true]);
  assertEquals(await Deno.readTextFile(log!), "one\n");
});

test("a call that is cut short after it left a pane leaves that pane once", async ({ world, client }) => {
  const log = `${world.folder}/left`;
  const workspace = (sleep_before: number) => ({
    session_name: "left",
    windows: [{
      panes: [
        {
          shell_command: [`echo one >> ${log}`, { cmd: `echo two >> ${log}`, sleep_before: 1 }],
          ready: { pattern: "never", timeout: 1 },
        },
        { shell_command: [{ cmd: `echo three >> ${log}`, sleep_before }] },
      ],
    }],
  });
  const cancelling = new AbortController();
  const cut = client.call("apply-workspace", { workspace: workspace(600) }, { signal: cancelling.signal });
  await until(async () => await Deno.readTextFile(log).catch(() => "") === "one\n");
  await world.tmux("copy-mode", "-t", "=left:.0");
  const marks = async () =>
    (await world.tmux("list-panes", "-t", "=left:", "-F", "#{@tmux_mcp_workspace}")).trim().split("\n");
  await until(async () => (await marks())[0]!.endsWith("/1"));
  cancelling.abort();
  await cut.catch(() => {});
  await until(async () => (await marks())[1]!.endsWith("/0"));
  await world.tmux("copy-mode", "-q", "-t", "=left:.0");
  const again = await client.ok("apply-workspace", { workspace: workspace(0) });
  assertEquals(again.windows[0].panes.map(({ status }: { status: string }) => status), ["made", "made"]);
  await until(async () => (await Deno.readTextFile(log)).trim().split("\n").length === 3);
});

test("types no line into a question that a person answers, or a password that no call may type", async ({ world, client }) => {
  const log = `${world.folder}/answer`;
  const asking = `read -rsp 'Password: ' word; echo "got $word" >> ${log}`;
  const workspace = (sleep_before: number) => ({
    session_name: "asks",
    windows: [{
      // Lines for a program of the pane's own are typed wherever it is.
      panes: [{ shell: "bash", shell_command: [asking, { cmd: `echo typed >> ${log}`, sleep_before }] }],
    }],
  });
  const cancelling = new AbortController();
  const cut = client.call("apply-workspace", { workspace: workspace(600) }, { signal: cancelling.signal });
  const shown = async (format: string) =>
    (await world.tmux("list-panes", "-t", "=asks:", "-F", format).catch(() => "")).trim();
  await until(async () => await shown("#{pane_id}") !== "");
  const paneId = await shown("#{pane_id}");
  await until(async () => (await client.ok("pane-state", { paneId })).inputKind === "password");
  cancelling.abort();
  await cut.catch(() => {});
  await until(async () => (await shown("#{@tmux_mcp_workspace}")).endsWith("/1"));

  const config = `${world.folder}/no_passwords.toml`;
  await Deno.writeTextFile(config, "[security]\ntype_passwords = false\n");
  const careful = await world.serve({ args: ["--config", config] });
  const denied = await careful.fails("apply-workspace", { workspace: workspace(0) });
  assertEquals(denied.code, "denied");
  assertMatch(denied.text, /type_passwords/);

  await using person = await PersonAtTerminal.attach(world, { session: "asks" });
  const asked = client.ok("ask-person", { paneId, message: "please", timeout: 60 });
  const ended = asked.then((result) => assert(false, `Ended before it asked: ${JSON.stringify(result)}`));
  ended.catch(() => {});
  await Promise.race([person.untilAsked(/waits for a password/), ended]);
  const busy = await client.fails("apply-workspace", { workspace: workspace(0) });
  assertEquals(busy.code, "busy");
  assertMatch(busy.text, /a person is answering/);
  await person.type("plum-55");
  assertEquals((await asked).status, "answered");
  await client.ok("apply-workspace", { workspace: workspace(0) });
  await until(async () => await Deno.readTextFile(log) === "got plum-55\ntyped\n");
});

test("leaves no session of a call that is cancelled before it has one", async ({ world, client }) => {
  const begun = `${world.folder}/begun`;
  const cancelling = new AbortController();
  const workspace = {
    session_name: "never",
    before_script: `echo >> ${begun}; sleep 600`,
    windows: [{ panes: ["blank"] }],
  };
  const cut = client.call("apply-workspace", { workspace }, { signal: cancelling.signal });
  await until(() => Deno.readTextFile(begun).then((text) => text === "\n", () => false));
  const running = () => world.tmux("list-panes", "-a", "-F", "#{session_name} #{pane_current_command}");
  await until(async () => /^tmux-mcp-workspace-\w+ sleep$/m.test(await running()));
  cancelling.abort();
  await cut.catch(() => {});
  await until(async () => !/^tmux-mcp-workspace-\w+ sleep$/m.test(await running()));
});

test("sets global options back if it fails", async ({ world, client }) => {
  await world.tmux("set-option", "-g", "update-environment", "ONE TWO");
  await world.tmux("set-option", "-g", "update-environment[7]", "THREE,FOUR");
  await world.tmux("set-option", "-g", "@my.lines", "one\ntwo");
  const options = [
    "status",
    "base-index",
    "update-environment",
    "@mine",
    "@my.lines",
    "mode-keys",
  ];
  const now = async (): Promise<string[]> =>
    await Promise.all(options.map((option) => world.tmux("show-options", "-gq", option)));
  const before = await now();
  const workspace = {
    session_name: "global",
    global_options: {
      ...{ status: "off", "base-index": 3, "update-environment": "X" },
      ...{ "@mine": "a", "@my.lines": "b", "mode-keys": "vi" },
    },
    windows: [{ options: { "no-such": 1 } }],
  };
  assertEquals((await client.fails("apply-workspace", { workspace })).code, "invalid-argument");
  assertEquals(await now(), before);
  await client.ok("apply-workspace", { workspace: { ...workspace, windows: [{}] } });
  assertEquals(await world.tmux("show-options", "-gv", "status"), "off\n");
});
