import { assert, assertEquals, assertMatch } from "@std/assert";
import { isHook } from "../../src/tools/option_commands.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";

const test = inTurnOnOneServer("options, environments and hooks");

test("options are read as they hold and set as given, user text never expanded", async ({ client }) => {
  const { sessionId, windowId, paneId } = await client.ok("create-session", { name: "o" });
  const show = (option: string, args = {}): Promise<Record<string, unknown>> =>
    client.ok("show-option", { option, ...args });

  assertEquals(await show("history-limit"), { option: "history-limit", value: "2000" });
  assertEquals(await show("history-limit", { target: "o" }), {
    option: "history-limit",
    value: "2000",
    inherited: true,
  });
  assertEquals(await client.ok("set-option", { option: "history-limit", value: "99", target: "o" }), {
    option: "history-limit",
    value: "99",
  });
  assertEquals(await show("history-limit", { target: sessionId }), { option: "history-limit", value: "99" });
  assertEquals(await client.ok("set-option", { option: "history-limit", value: null, target: "o" }), {
    option: "history-limit",
  });
  assertEquals((await show("history-limit", { target: sessionId })).inherited, true);
  assertMatch((await show("buffer-limit", { scope: "server" })).value as string, /^\d+$/);

  for (const [target, scope] of [["o", "session"], [windowId, "window"], [paneId, "pane"]]) {
    for (const value of ["a b;", "-x", "", "#{pid} %H ##", "l1\nl2", "'\"$HOME", "é"]) {
      await client.ok("set-option", { option: "@mine", value, scope, target });
      assertEquals([scope, (await show("@mine", { scope, target })).value], [scope, value]);
    }
  }
  for (const name of ["@my.option", "@theme/fg:1", "@é+b", "@1"]) {
    await client.ok("set-option", { option: name, value: "own", target: paneId });
    assertEquals((await show(name, { target: paneId })).value, "own", name);
    const { value } = await client.ok("expand-format", { format: `#{=9:${name}}#{?${name},!,}`, paneId });
    assertEquals(value, "own!", name);
  }
  for (const option of ["@a b", "@a}b", "@a,b", "@#(b)", "@", "my.option"]) {
    const { code } = await client.fails("set-option", { option, value: "x", target: paneId });
    assertEquals(code, "invalid-argument", option);
  }
  const set = (option: string, value: unknown): Promise<Record<string, unknown>> =>
    client.ok("set-option", { option, value, global: true });
  assertEquals([await set("history-limit", 5000), (await show("history-limit")).value], [
    { option: "history-limit", value: "5000" },
    "5000",
  ]);
  for (const [value, word] of [[true, "on"], ["false", "off"], ["true", "on"], [false, "off"]] as const) {
    assertEquals([await set("mouse", value), (await show("mouse")).value], [
      { option: "mouse", value: word },
      word,
    ]);
  }
  assertEquals([await set("status", false), (await show("status")).value], [{
    option: "status",
    value: "off",
  }, "off"]);
  assertEquals([await set("@mine", true), (await show("@mine")).value], [
    { option: "@mine", value: "true" },
    "true",
  ]);
  // A format may not end so.
  for (const [option, value] of [["@lang", "C#"], ["@sign", "#"], ["word-separators", " -#"]] as const) {
    assertEquals([(await set(option, value)).value, (await show(option)).value], [value, value]);
  }
  const format = { option: "status-left", value: "C#", global: true };
  assertEquals((await client.fails("set-option", format)).code, "invalid-argument");

  await client.ok("set-option", { option: "@all", value: "g", global: true });
  assertEquals((await show("@all")).value, "g");

  assertEquals((await client.fails("show-option", { option: "@none" })).code, "not-found");
  for (const option of ["no-such", "history-lim", "histor", "-g", ""]) {
    assertEquals((await client.fails("show-option", { option })).code, "invalid-argument");
    assertEquals(
      (await client.fails("set-option", { option, value: "1", global: true })).code,
      "invalid-argument",
    );
  }
  // No name is empty, which would be near a short one.
  const { hint } = await client.fails("set-option", { option: "x", value: "1", global: true });
  assertMatch(hint!, /^Options are listed/);
  const refused: Record<string, unknown>[] = [
    { option: "history-limit", value: "x", global: true },
    { option: "history-limit", value: "5" },
    { option: "history-limit", value: "5", scope: "window", target: sessionId },
    { option: "history-limit", value: "5", target: sessionId, global: true },
    { option: "history-limit", value: 5.5, global: true },
  ];
  for (const args of refused) {
    assertEquals((await client.fails("set-option", args)).code, "invalid-argument", JSON.stringify(args));
  }
  assertEquals(
    (await client.fails("set-option", { option: "@x", value: "1", target: "%99" })).code,
    "not-found",
  );
  assertEquals((await client.fails("show-option", { option: "@x", target: "dev" })).code, "not-found");
});

test("hooks and the owner's mark cannot be set as options", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { name: "o" });
  for (
    const option of ["pane-died", "after-new-window", "session-created[3]", "@tmux_mcp_owner", "@tmux_mcp_x"]
  ) {
    const args = { option, value: "run-shell true", global: true };
    assertEquals((await client.fails("set-option", args)).code, "denied");
  }
  for (const option of ["@tmux_mcp_owner", "@tmux_mcp_handover", "@tmux_mcp_holder", "@tmux_mcp_waiting"]) {
    for (const value of ["x", null]) {
      assertEquals((await client.fails("set-option", { option, value, target: paneId })).code, "denied");
    }
  }
});

test("every hook of this tmux is known as one, and none of its options is", async ({ world, client }) => {
  await client.ok("create-session", { name: "o" });
  const names = async (command: string, flag: string): Promise<string[]> =>
    (await world.tmux(command, flag)).trimEnd().split("\n").map((line) => line.replace(/[\s[].*/, ""));
  for (const flag of ["-g", "-gw"]) {
    assertEquals((await names("show-hooks", flag)).filter((name) => !isHook(name)), []);
  }
  for (const flag of ["-s", "-g", "-gw"]) {
    assertEquals((await names("show-options", flag)).filter(isHook), []);
  }
});

test("global options and hooks of panes are those of windows, never the current pane's", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "o" });
  const own = () => world.tmux("show-options", "-p", "-t", paneId, "remain-on-exit");
  await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", "failed");
  await world.tmux("set-hook", "-p", "-t", paneId, "pane-died", "display-message own");
  const place = { option: "remain-on-exit", scope: "pane", global: true };
  await client.ok("set-option", { ...place, value: "on" });
  assertEquals((await own()).trim(), "remain-on-exit failed");
  assertEquals((await world.tmux("show-options", "-gwv", "remain-on-exit")).trim(), "on");
  assertEquals((await client.ok("show-option", place)).value, "on");
  assertEquals((await client.ok("show-option", { ...place, global: false })).value, "on");
  const { hooks } = await client.ok("show-hooks", { scope: "pane" });
  assertEquals(hooks.filter(({ name }: { name: string }) => name === "pane-died"), []);
});

test("show-option with scope server reads no option of tmux's current session", async ({ world, client }) => {
  await client.ok("create-session", { name: "current" });
  await world.tmux("set-option", "-t", "current", "status-left", "SECRET");
  for (const option of ["status-left", "mode-keys", "remain-on-exit"]) {
    const { code, text } = await client.fails("show-option", { option, scope: "server" });
    assertEquals(code, "invalid-argument", option);
    assertMatch(text, /does not belong there: it is a (session|window) option/);
  }
  assertEquals((await client.ok("show-option", { option: "exit-empty", scope: "server" })).value, "on");
});

test("a switch is set to a word for on or off; an empty value would turn it over", async ({ client }) => {
  const { sessionId: target } = await client.ok("create-session", {});
  const { code, text } = await client.fails("set-option", { option: "mouse", value: "", target });
  assertEquals(code, "invalid-argument");
  assertMatch(text, /^Cannot set "mouse" to "": it is a switch. Give "on" or "off"/);
  for (const [value, shown] of [["yes", "on"], ["0", "off"], ["1", "on"], ["false", "off"]]) {
    assertEquals((await client.ok("set-option", { option: "mouse", value, target })).value, shown);
  }
  assertEquals((await client.ok("set-option", { option: "base-index", value: "1", target })).value, "1");
  assertEquals((await client.ok("set-option", { option: "status-left", value: "", target })).value, "");
});

test("hooks are listed and read", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "o" });
  await world.tmux("set-hook", "-g", "after-new-window[3]", "display-message 'a b'");
  await world.tmux("set-hook", "-p", "-t", paneId, "pane-died", "display-message \\$HOME");
  await world.tmux("set-hook", "-w", "-t", paneId, "window-renamed", "display-message named");
  const { hooks } = await client.ok("show-hooks");
  assertEquals(
    hooks.filter(({ name }: { name: string }) => name === "after-new-window"),
    [
      { name: "after-new-window", index: 3, command: "display-message 'a b'" },
    ].map((hook) => ({ ...hook, command: hooks[0].command })),
  );
  assertMatch(hooks[0].command, /display-message .*a b/);
  assertEquals(await client.ok("show-hook", { name: "after-new-window" }), { hooks });
  assertEquals((await client.ok("show-hooks", { scope: "pane", target: paneId })).hooks, [
    { name: "pane-died", index: 0, command: 'display-message "\\$HOME"' },
  ]);
  const died = { name: "pane-died", index: 0, command: 'display-message "\\$HOME"' };
  const named = { name: "window-renamed", index: 0, command: "display-message named" };
  const { windowId, sessionId } = await client.ok("get-pane-info", { paneId });
  assertEquals((await client.ok("show-hooks", { target: paneId })).hooks, [died]);
  assertEquals((await client.ok("show-hooks", { target: windowId })).hooks, [named]);
  assertEquals((await client.ok("show-hooks", { target: sessionId })).hooks, []);
  assertEquals((await client.ok("show-hook", { name: "pane-died", target: paneId })).hooks, [died]);
  assertEquals((await client.ok("show-hook", { name: "window-renamed", target: paneId })).hooks, [named]);
  assertEquals((await client.ok("show-hook", { name: "pane-died", target: windowId })).hooks, []);
  assertEquals(await client.ok("show-hooks", { name: "after-new-window" }), { hooks });
  assertEquals(await client.ok("show-hook", { name: "pane-exited" }), { hooks: [] });
  for (const name of ["no-such", "status", "mouse", "command-alias", "after", "pane-border-style"]) {
    assertEquals((await client.fails("show-hook", { name })).code, "invalid-argument", name);
    assertEquals((await client.fails("show-hooks", { name })).code, "invalid-argument", name);
  }
});

test("environment is read and set, globally and of a session", async ({ world, client }) => {
  const { sessionId } = await client.ok("create-session", { name: "e" });
  // tmux 3.4 to 3.5a print control characters as escapes.
  const control = ["\x1b[1m\x07\r\b\t\v\f\x7f\\033\\a\\$_", "\x85\x1b1"];
  const values = ["plain", "a;b;", "-x", "", 'l1\nl2="x\\y"', "$HOME `id` #(id) %H", "é", ...control];
  for (const value of values) {
    assertEquals(await client.ok("set-environment", { name: "MINE", value, sessionId: "e" }), {
      name: "MINE",
      value,
    });
    assertEquals(await client.ok("show-environment", { sessionId, name: "MINE" }), {
      variables: { MINE: value },
      removed: [],
    });
  }
  await client.ok("set-environment", { name: "ALL", value: "g" });
  const all = await client.ok("show-environment");
  assertEquals([all.variables.ALL, all.variables.HOME, all.removed], ["g", world.folder, []]);
  await world.tmux("set-environment", "-t", "e", "-r", "GONE");
  assert((await client.ok("show-environment", { sessionId })).removed.includes("GONE"));
  assertEquals(await client.ok("set-environment", { name: "ALL", value: null }), { name: "ALL" });
  assertEquals((await client.fails("show-environment", { name: "ALL" })).code, "not-found");
  assertEquals((await client.fails("set-environment", { name: "A B", value: "x" })).code, "invalid-argument");
  assertEquals((await client.fails("set-environment", { name: "AB" })).code, "invalid-argument");
  assertEquals((await client.fails("show-environment", { sessionId: "x" })).code, "not-found");
});

test("expand-format returns what a format says and refuses what would run a command", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "f" });
  await world.tmux("set-option", "-g", "@job", `#(touch ${world.folder}/HIT)`);
  const expand = async (format: string): Promise<string> =>
    (await client.ok("expand-format", { format, paneId })).value;
  assertEquals(await expand("#{pane_id} #{session_name} 100%H"), `${paneId} f 100%H`);
  assertEquals(await expand("#{?pane_active,yes,no};"), "yes;");
  assertEquals(await expand("-x #{=2:session_name}"), "-x f");
  assertEquals(await expand("#{l:$HOME} ${a} \\$_"), "$HOME ${a} \\$_");
  assertEquals(await expand(""), "");
  assertMatch(await expand("#{@job}"), /touch/);
  for (
    const format of ["#(id)", "#{E:@job}", "#{T:@job}", "#{=9;E:@job}", "#{?1,#{E:@job},}", "x#{E;l:@job}"]
  ) {
    assertEquals((await client.fails("expand-format", { format, paneId })).code, "denied");
  }
  for (const format of ["#{pane_id", "#{?a,b"]) {
    assertEquals((await client.fails("expand-format", { format })).code, "invalid-argument");
  }
  for (const format of ["x", ""]) {
    assertEquals((await client.fails("expand-format", { format, paneId: "%99" })).code, "not-found");
  }
  assertEquals(await client.ok("expand-format", { format: "" }), { value: "" });
  assertEquals((await client.ok("expand-format", { format: "#{S:#{session_name}}" })).value, "f");
  for (const format of ["#{pane_id}", "#S", "#{?pane_active,a,b}"]) {
    assertEquals((await client.fails("expand-format", { format })).code, "invalid-argument");
  }
  assertEquals(await Deno.stat(`${world.folder}/HIT`).catch(() => "untouched"), "untouched");
});

test("set-option stays with the object it is given", async ({ world, client }, t) => {
  const { sessionId, windowId, paneId } = await client.ok("create-session", { name: "main" });
  const all = ["show-options", "-s", ";", "show-options", "-g", ";", "show-options", "-gw"];
  const own = ["show-options", "-t", "main", ";", "show-options", "-w", "-t", windowId];
  const state = (): Promise<string> => world.tmux(...all, ";", ...own);
  const before = await state();
  const leaving: [Record<string, unknown>, scope: string][] = [
    [{ option: "exit-empty", value: "off", scope: "session", target: "main" }, "server"],
    [{ option: "exit-empty", value: "off", target: "main" }, "server"],
    [{ option: "copy-command", value: "cat", scope: "session", target: sessionId }, "server"],
    [{ option: "message-limit", value: "5", scope: "window", target: windowId }, "server"],
    [{ option: "buffer-limit", value: "5", target: paneId }, "server"],
    [{ option: "status", value: "off", scope: "pane", target: paneId }, "session"],
    [{ option: "status", value: "off", target: windowId }, "session"],
    [{ option: "status", value: "off", scope: "server" }, "session"],
    [{ option: "status", value: "off", scope: "window", global: true }, "session"],
    [{ option: "mode-keys", value: "vi", target: "main" }, "window"],
    [{ option: "mode-keys", value: "vi", target: paneId }, "window"],
    [{ option: "mode-keys", value: null, scope: "server" }, "window"],
    [{ option: "mode-keys", value: "vi", scope: "session", global: true }, "window"],
    [{ option: "status-format[1]", value: "x", target: paneId }, "session"],
  ];
  for (const [args, scope] of leaving) {
    await t.step(JSON.stringify(args), async () => {
      const { code, text } = await client.fails("set-option", args);
      assertEquals(code, "invalid-argument");
      assertMatch(text, new RegExp(`it is a ${scope} option`));
    });
  }
  assertEquals(await state(), before);
  const staying: Record<string, unknown>[] = [
    { option: "exit-empty", value: "on", scope: "server" },
    { option: "exit-empty", value: "on", global: true },
    { option: "buffer-limit", value: "49" },
    { option: "user-keys[0]", value: "\\e[5;30012~" },
    { option: "status", value: "off", target: "main" },
    { option: "mode-keys", value: "vi", target: windowId },
    { option: "mode-keys", value: "vi", global: true },
    { option: "mode-keys", value: "vi", scope: "window", global: true },
    { option: "remain-on-exit", value: "on", target: paneId },
    { option: "remain-on-exit", value: "on", target: windowId },
    { option: "status-format[1]", value: "x", target: "main" },
    { option: "@mine", value: "p", target: paneId },
    { option: "@mine", value: "w", target: windowId },
    { option: "@mine", value: "s", target: "main" },
  ];
  for (const args of staying) await client.ok("set-option", args);
  for (const [target, value] of [[paneId, "p"], [windowId, "w"], ["main", "s"]]) {
    assertEquals((await client.ok("show-option", { option: "@mine", target })).value, value);
  }
  assertEquals((await client.ok("show-option", { option: "buffer-limit" })).value, "49");
  for (const option of ["mouse", "mode-keys", "@mine"]) {
    assertMatch(
      (await client.fails("set-option", { option, value: "on" })).text,
      /which object.*global: true/,
    );
  }
  assertMatch((await client.fails("set-option", { option: "buffer-limt", value: "1" })).text, /buffer-limit/);
  const { text, hint } = await client.fails("set-option", { option: "mode-kys", value: "vi", global: true });
  assertMatch(`${text} ${hint}`, /mode-keys/);
});

test("a session named like an id of a window has its options by scope", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "other", "cat");
  for (const [target, value] of [["@0", "11"], ["%0", "22"]]) {
    const { sessionId } = await client.ok("create-session", { name: target });
    await client.ok("set-option", { option: "base-index", value, scope: "session", target });
    const { value: shown } = await client.ok("show-option", {
      option: "base-index",
      scope: "session",
      target,
    });
    assertEquals([target, shown], [target, value]);
    assertEquals(await world.tmux("show-options", "-v", "-t", sessionId, "base-index"), `${value}\n`);
  }
});

test("no name of a window ends tmux: 3.2 crashes on the time of a session there", async ({ client }) => {
  const { windowId } = await client.ok("create-session", { command: "cat" });
  const setting = { option: "automatic-rename-format", target: windowId };
  const { text } = await client.fails("set-option", { ...setting, value: "#{t:session_created}" });
  assertMatch(text, /session_created crashes tmux 3\.2/);
  await client.ok("set-option", { ...setting, value: "#{t:window_activity}" });
  await client.ok("set-option", { option: "status-left", value: "#{t:session_created}", global: true });
});

test("tmux's default status line can be set again", async ({ world, client }) => {
  const { sessionId } = await client.ok("create-session", { command: "cat" });
  const option = "status-format[0]";
  const value = (await world.tmux("show-options", "-gv", option)).trimEnd();
  await client.ok("set-option", { option, value, target: sessionId });
  assertEquals(await world.tmux("show-options", "-v", "-t", sessionId, option), `${value}\n`);
});

test("window-size manual for all windows, of which tmux 3.3 to 3.6 end, is refused there", async ({ world, client }) => {
  const { windowId } = await client.ok("create-session", { name: "sized" });
  const size = { option: "window-size", value: "manual" };
  await client.ok("set-option", { ...size, target: windowId });
  const isDeadly = await world.isTmux(3, 3) && !await world.isTmux(3, 7);
  if (isDeadly) {
    assertEquals((await client.fails("set-option", { ...size, global: true })).code, "unsupported");
  } else await client.ok("set-option", { ...size, global: true });
  await client.ok("create-window", { sessionId: "sized" });
  await client.ok("set-option", { option: "window-size", value: null, global: true });
});
