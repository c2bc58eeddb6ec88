// The option table from outside: every option each way, every mistake stops the start.
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { completeOptions, ConfigError, describeConfig, type OptionName } from "../src/config.ts";
import { environmentNameOf, flagOf } from "../src/config/option_row.ts";
import { ROWS } from "../src/config/table.ts";
import { complaint, FILE, type Given, load } from "./support/config_input.ts";

/** For each option: text for a flag or variable, the same in TOML, and what both mean. */
const SAMPLES: Record<OptionName, [text: string, toml: string, value: unknown]> = {
  scope: ["all", `"all"`, "all"],
  safety: ["readonly", `"readonly"`, "readonly"],
  channel: ["true", "true", true],
  socket: ["/tmp/x", `"/tmp/x"`, "/tmp/x"],
  instance: ["blue", `"blue"`, "blue"],
  tmuxBin: ["/opt/tmux", `"/opt/tmux"`, "/opt/tmux"],
  tmuxProtocol: ["false", "false", false],
  promptsAsTools: ["1", "true", true],
  log: ["debug", `"debug"`, "debug"],
  shellType: ["fish", `"fish"`, "fish"],
  ssh: ["-p 22 me@host", `"-p 22 me@host"`, "-p 22 me@host"],
  hosts: ["a=-p 22 me@host", `{ a = { ssh = "-p 22 me@host" } }`, { a: { ssh: "-p 22 me@host" } }],
  errorPattern: ["bo{1,2}m", `"bo{1,2}m"`, "bo{1,2}m"],
  errorIgnorePattern: ["fine", `"fine"`, "fine"],
  attach: ["false", "false", false],
  maxWatches: ["3", "3", 3],
  maxWorkers: ["2", "2", 2],
  securityEnabled: ["0", "false", false],
  allowExecuteCommand: ["false", "false", false],
  allowRawMode: ["false", "false", false],
  allowSendKeys: ["false", "false", false],
  allowKill: ["false", "false", false],
  allowCreate: ["false", "false", false],
  allowSplit: ["false", "false", false],
  allowRename: ["false", "false", false],
  allowMove: ["false", "false", false],
  allowCapture: ["false", "false", false],
  allowList: ["false", "false", false],
  allowedSockets: ["a, /b", `["a", "/b"]`, ["a", "/b"]],
  allowedSessions: [`["a,b", "$1"]`, `["a,b", "$1"]`, ["a,b", "$1"]],
  allowedPanes: ["", "[]", []],
  allowedBufferPaths: ["/tmp", `["/tmp"]`, ["/tmp"]],
  allowedOutputPaths: ["/tmp", `["/tmp"]`, ["/tmp"]],
  filterMode: ["denylist", `"denylist"`, "denylist"],
  filterPatterns: ["[rm]{1,2}, ", `["[rm]{1,2}, "]`, ["[rm]{1,2}, "]],
  filterRawInput: ["track", `"track"`, "track"],
  filterEnvironment: ["PATH", `["PATH"]`, ["PATH"]],
  tools: ["allow:@read,kill-pane", `{ mode = "allow", items = ["@read", "kill-pane"] }`, {
    mode: "allow",
    items: ["@read", "kill-pane"],
  }],
  auditPath: ["/var/log/a", `"/var/log/a"`, "/var/log/a"],
  auditLevel: ["denied", `"denied"`, "denied"],
  completedRetentionMinutes: ["7", "7", 7],
  completedMaxEntries: ["7", "7", 7],
  maxOutputBytes: ["7", "7", 7],
  durableEnabled: ["false", "false", false],
  durablePath: ["/state", `"/state"`, "/state"],
  durableMaxBytes: ["4096", "4096", 4096],
  durableKeepHours: ["3", "3", 3],
  searchStreamingThreshold: ["7", "7", 7],
  mask: ["env:TOKEN", `["env:TOKEN"]`, ["env:TOKEN"]],
  answerBytes: ["65536", "65536", 65_536],
  clientName: ["codex", `"codex"`, "codex"],
  clientCallSeconds: ["300", "300", 300],
  clientAnswerBytes: ["16384", "16384", 16_384],
  clientToolNames: ["underscores", `"underscores"`, "underscores"],
  clientReads: ["text", `"text"`, "text"],
  tasksAfterSeconds: ["0", "0", 0],
  typePasswords: ["false", "false", false],
  handoverNotify: ["osc777", '"osc777"', "osc777"],
};

Deno.test("each option is read from its flag, its variable and its key", async (test) => {
  for (const [name, row] of ROWS) {
    await test.step(name, async () => {
      const [text, toml, value] = SAMPLES[name];
      const byFlag = await load({ argv: [`${flagOf(row)}=${text}`] });
      const byEnvironment = await load({ env: { [environmentNameOf(row)]: text } });
      const byFile = await load({ toml: `${row.key} = ${toml}`, env: { TMUX_MCP_CONFIG: FILE } });
      assertEquals([byFlag.options[name], byFlag.sources[name].kind], [value, "flag"]);
      assertEquals([byEnvironment.options[name], byEnvironment.sources[name].kind], [value, "environment"]);
      assertEquals([byFile.options[name], byFile.sources[name].kind], [value, "file"]);
    });
  }
});

Deno.test("a flag wins over the environment, the environment over the file", async () => {
  const { options, sources, file } = await load({
    argv: ["--config", FILE, "--scope", "all"],
    env: { TMUX_MCP_SCOPE: "agentic", TMUX_MCP_LOG: "debug" },
    toml: `[server]\nscope = "primitives"\nlog = "info"\ninstance = "file"`,
  });
  assertEquals([options.scope, options.log, options.instance], ["all", "debug", "file"]);
  const names = [sources.scope.name, sources.log.name, sources.instance.name];
  assertEquals(names, ["--scope", "TMUX_MCP_LOG", "server.instance"]);
  assertEquals(file, FILE);
});

Deno.test("only a named file or the user's own is read", async () => {
  const asked: string[] = [];
  const readFile = (path: string): undefined => void asked.push(path);
  await load({ readFile });
  await load({ readFile, env: { HOME: "/home/me" } });
  await load({ readFile, env: { HOME: "/home/me", XDG_CONFIG_HOME: "/xdg" } });
  await load({ readFile, env: { XDG_CONFIG_HOME: "relative" } });
  assertEquals(asked, ["/home/me/.config/tmux-mcp/config.toml", "/xdg/tmux-mcp/config.toml"]);
  assertEquals(
    await complaint({ readFile, argv: ["--config", "/none"] }),
    'Cannot read the configuration file "/none": there is no such file',
  );
});

Deno.test("switches stand alone, can be negated, and do not take the next word", async () => {
  const { options } = await load({ argv: ["--channel", "--no-allow-kill", "--allow-split=false"] });
  assertEquals([options.channel, options.allowKill, options.allowSplit], [true, false, false]);
  assertEquals(
    await complaint({ argv: ["--channel", "false"] }),
    'Unknown command "false". Valid: doctor, config, init, watch, clean, completions, help, version',
  );
});

Deno.test("a key of another server's configuration is refused, and what replaces it is named", async () => {
  const toml = "[tracking]\ncapture_initial_lines = 1000\n";
  const said = await complaint({ toml, env: { TMUX_MCP_CONFIG: FILE } });
  assertStringIncludes(said, '"tracking.capture_initial_lines"');
  assertStringIncludes(said, "tracking.max_output_bytes");
});

Deno.test("misspelt config keys ignored", async (test) => {
  const cases: [string, Given, string[]][] = [
    ["flag", { argv: ["--scop", "all"] }, ['"--scop"', "did you mean --scope?", "--safety"]],
    ["negated flag that is no switch", { argv: ["--no-scope"] }, ['"--no-scope"']],
    ["negated flag with a value", { argv: ["--no-channel=true"] }, [
      '--no-channel takes no value, not "true"',
    ]],
    ["help with a value", { argv: ["--help=init"] }, ['--help takes no value, not "init"']],
    ["short flag", { argv: ["-x"] }, ['"-x"']],
    ["flag without value", { argv: ["--scope"] }, ["--scope needs a value: one of agentic, primitives, all"]],
    ["help for no command", { argv: ["help", "doktor"] }, [
      'Unknown command "doktor"',
      "did you mean doctor?",
    ]],
    ["watch without a pane", { argv: ["watch"] }, ["watch needs a pane id like %3. tmux list-panes -a"]],
    ["flag of another command", { argv: ["doctor", "--triggers", "exit"] }, ['"--triggers"']],
    ["choice", { argv: ["--safety", "safe"] }, ['"safe"', "--safety", "readonly, mutating, destructive"]],
    ...["read-only", "none", "", "READONLY"].flatMap((level): [string, Given, string[]][] => {
      const says = [`Bad value "${level}"`, "readonly, mutating, destructive"];
      const what = `invalid safety level ${JSON.stringify(level)} falls back to permissive`;
      return [
        [`${what}: flag`, { argv: ["--safety", level] }, [...says, "--safety"]],
        [`${what}: variable`, { env: { TMUX_MCP_SAFETY: level } }, [...says, "TMUX_MCP_SAFETY"]],
      ];
    }),
    ["variable", { env: { TMUX_MCP_SAFTEY: "readonly" } }, ['"TMUX_MCP_SAFTEY"', "mean TMUX_MCP_SAFETY?"]],
    ["switch", { env: { TMUX_MCP_CHANNEL: "maybe" } }, ["TMUX_MCP_CHANNEL", "true or false"]],
    ["number", { argv: ["--max-watches=-1"] }, ['"-1"', "--max-watches", "above 0"]],
    ["key", { toml: "[security]\nallow_kil = false" }, [
      '"security.allow_kil"',
      FILE,
      "mean security.allow_kill?",
    ]],
    ["table", { toml: "[secruity]\nx = 1" }, ['"secruity"', "did you mean security?"]],
    ["table that is a value", { toml: "security = 1" }, ["[security]", "must be a table"]],
    ["value in the file", { toml: '[security]\nallow_kill = "no"' }, [
      `security.allow_kill in "${FILE}"`,
      '"no"',
      "true or false",
    ]],
    ["key in a table of its own", { toml: "[security.tools]\nitms = []" }, ["security.tools", '"itms"']],
    ["key of a host", { toml: '[hosts.a]\nssh = "x"\nshh = "x"' }, ["hosts", '"shh"']],
    ["key of a host that is all it has", { toml: '[hosts.a]\nshh = "x"' }, ["hosts", 'unknown key "shh"']],
    ["bad TOML", { toml: "a = \n" }, [FILE, "line 1"]],
    ["tool", { argv: ["--tools", "kill-pan"] }, ['"kill-pan"', "did you mean kill-pane?", "send-keys"]],
    ["group", { toml: '[security.tools]\nitems = ["@kil"]' }, [
      '"@kil"',
      "@kill, @read",
      "security.tools",
      FILE,
    ]],
    ["pattern in the file", { toml: '[watch]\nerror_pattern = "("' }, [`watch.error_pattern in "${FILE}"`]],
    ["pattern", { argv: ["--filter-patterns", "(?=a)"] }, ['"(?=a)"', "--filter-patterns", "RE2"]],
    ...[`['^git status$']`, `["^ls$", "^pwd$",]`, ` [ '^ls$' , "^pwd$" ] `].map((
      given,
    ): [string, Given, string[]] => [
      `array that is no JSON: ${given}`,
      { argv: ["--filter-patterns", given] },
      [`Bad value ${JSON.stringify(given)} for --filter-patterns`, "or a JSON array"],
    ]),
    ["list in single quotes", { env: { TMUX_MCP_ALLOWED_SESSIONS: "['work']" } }, [
      "TMUX_MCP_ALLOWED_SESSIONS",
      "a list of texts",
    ]],
    ["command", { argv: ["docter"] }, ['"docter"', "did you mean doctor?"]],
    ["argument", { argv: ["doctor", "now"] }, ['"now"']],
    ["client", { argv: ["init", "emacs"] }, ['"emacs"', "claude-code"]],
    ["part of a client", { argv: ["init", "claude"] }, ["did you mean claude-code or claude-desktop?"]],
    ["force alone", { argv: ["init", "codex", "--force"] }, ["--force needs --write or --remove"]],
    ["both actions", { argv: ["init", "codex", "--write", "--remove"] }, ["--write or --remove, not both"]],
    ["pane that tools may touch", { argv: ["--allowed-panes", "%1,5"] }, ['"%1,5"', "--allowed-panes", "%5"]],
    ["pane that tools may touch, in the file", { toml: `[security]\nallowed_panes = ["5"]` }, [
      "security.allowed_panes",
      "a list of pane ids such as %5",
    ]],
    ["pane", { argv: ["watch", "3"] }, ['"3"', "%3"]],
  ];
  for (const [name, given, parts] of cases) {
    await test.step(name, async () => {
      const named = given.toml === undefined ? {} : { env: { TMUX_MCP_CONFIG: FILE } };
      const said = await complaint({ ...given, ...named });
      for (const part of parts) assert(said.includes(part), `${said}\ndoes not say ${part}`);
    });
  }
});

Deno.test("TMUX_MCP_TOOLS denies unless it says allow, and replaces [security.tools]", async () => {
  const toml = `[security.tools]\nmode = "allow"\nitems = ["@read"]`;
  const tools = async (given: string): Promise<unknown> =>
    (await load({ toml, env: { TMUX_MCP_CONFIG: FILE, TMUX_MCP_TOOLS: given } })).options.tools;
  assertEquals(await tools("kill-pane,@kill"), { mode: "deny", items: ["kill-pane", "@kill"] });
  assertEquals(await tools("deny:@kill"), { mode: "deny", items: ["@kill"] });
  assertEquals(await tools("deny:@kill, ,send-keys,"), { mode: "deny", items: ["@kill", "send-keys"] });
  assertEquals(await tools("allow:@read,send-keys"), { mode: "allow", items: ["@read", "send-keys"] });
  assertEquals(await tools("ALLOW: @read"), { mode: "allow", items: ["@read"] });
  for (const empty of ["", "  "]) assertEquals(await tools(empty), { mode: "allow", items: ["@read"] });
  assertEquals(await tools("deny:"), { mode: "deny", items: [] });
  await assertRejects(() => tools("block:@kill"), ConfigError, 'Bad value "block:@kill" for TMUX_MCP_TOOLS');
});

Deno.test("--tools given several times removes the tools of all, as every list does, and takes one mode", async () => {
  const tools = async (...argv: string[]): Promise<unknown> => (await load({ argv })).options.tools;
  assertEquals(await tools("--tools=kill-pane", "--tools", "deny:@kill,send-keys"), {
    mode: "deny",
    items: ["kill-pane", "@kill", "send-keys"],
  });
  assertEquals(await tools("--tools=allow:@read", "--tools=allow:kill-pane"), {
    mode: "allow",
    items: ["@read", "kill-pane"],
  });
  for (const other of ["allow:@read", ""]) {
    await assertRejects(
      () => tools("--tools=kill-pane", `--tools=${other}`),
      ConfigError,
      `"${other}" for --tools`,
    );
  }
});

Deno.test("commands carry what they were given", async () => {
  const command = async (...argv: string[]): Promise<unknown> => (await load({ argv })).command;
  assertEquals(await command(), { kind: "serve" });
  assertEquals(await command("--scope", "all", "doctor"), { kind: "doctor" });
  assertEquals(await command("config", "--schema"), { kind: "config", schema: true });
  assertEquals(await command("init", "codex", "--write"), {
    kind: "init",
    client: "codex",
    action: "write",
    force: false,
    args: [],
  });
  assertEquals(await command("--scope", "all", "init", "--no-channel", "cursor", "--tools=kill-pane,@kill"), {
    kind: "init",
    client: "cursor",
    action: "print",
    force: false,
    args: ["--scope=all", "--channel=false", "--tools=kill-pane,@kill"],
  });
  assertEquals(await command("watch", "%3", "--triggers=exit,pattern:a{1,3}", "--timeout", "2.5"), {
    kind: "watch",
    paneId: "%3",
    triggers: "exit,pattern:a{1,3}",
    timeout: 2.5,
    mode: undefined,
    host: undefined,
  });
});

Deno.test("commas divide every list in a flag or variable but patterns, and masks only before another mask", () => {
  const lists = ROWS.filter(([, row]) => row.kind.schema.type === "array");
  assert(lists.length > 6);
  for (const [name, { kind }] of lists) {
    const isPatterns = kind.expects.includes("one pattern, or a JSON array");
    assertEquals(isPatterns, name === "filterPatterns");
    const given = name === "mask" ? "env:A, literal:b,c,regex:d{1,2}" : "a,b";
    const items = name === "mask"
      ? ["env:A", "literal:b,c", "regex:d{1,2}"]
      : isPatterns
      ? ["a,b"]
      : ["a", "b"];
    assertEquals(kind.read([given]), items, name);
  }
});

Deno.test("an error shows a number that JSON lacks as it was written", async () => {
  for (const written of ["1e400", "-1e999", "inf", "-inf", "nan"]) {
    const toml = `[watch]\nmax_watches = ${written} # many\n[limits]\nanswer_bytes = 20000`;
    const input = { toml, env: { TMUX_MCP_CONFIG: FILE } };
    await assertRejects(() => load(input), ConfigError, `Bad value ${written} for watch.max_watches in `);
  }
  assertThrows(() => completeOptions({ maxWatches: NaN }), ConfigError, "Bad value NaN for maxWatches");
});

Deno.test("a number that is larger than any JSON holds is the largest of those", async () => {
  const { options } = await load({ argv: ["--max-watches", "9".repeat(400)] });
  assertEquals(options.maxWatches, Number.MAX_SAFE_INTEGER);
});

Deno.test("an error shows no mask", async () => {
  const inputs = [{ argv: ["--mask=hunter2"] }, { env: { TMUX_MCP_MASK: "hunter2" } }, {
    toml: 'security.mask = ["env:TOKEN", "hunter2"]',
    env: { TMUX_MCP_CONFIG: FILE },
  }];
  for (const input of inputs) {
    const { message } = await assertRejects(() => load(input), ConfigError, 'Bad value "***"');
    assertEquals(message.includes("hunter2"), false, message);
  }
});

Deno.test("config shows no mask that is a secret's own text", async () => {
  const mask = ["literal:hunter2\nand more", "env:TOKEN", "regex:sk-[a-z]+"];
  const shown = describeConfig(await load({ argv: mask.map((each) => `--mask=${each}`) }));
  assertStringIncludes(shown, 'security.mask = ["literal:***", "env:TOKEN", "regex:sk-[a-z]+"]');
});

Deno.test("what config prints is TOML that means the same", async () => {
  const first = await load({
    argv: ["--hosts", "a=b", "--tools", "@kill", "--allowed-panes", "%1,%2", "--socket=a\x7f\u0080\t"],
  });
  const shown = describeConfig({ ...first, file: "/home/me/\x7f\n/c.toml" });
  const again = await load({ argv: ["--config", FILE], toml: shown });
  assertEquals(again.options, first.options);
});

Deno.test("~ is the home folder in every path of this machine", async () => {
  const given = ["--socket=~/x", "--allowed-sockets=~/x,work", "--tmux-bin=~/bin/tmux", "--durable-path=~"];
  const lists = '[security]\nallowed_buffer_paths = ["~/in", "/b"]\nallowed_output_paths = ["~/out"]\n';
  const toml = `${lists}[audit]\npath = "~/a~/log"\n`;
  const paths = async (argv: string[], env: Record<string, string> = { HOME: "/home/me" }) => {
    const { options } = await load({ argv: ["--config", FILE, ...given, ...argv], toml, env });
    const { socket, allowedSockets, tmuxBin, allowedBufferPaths, allowedOutputPaths } = options;
    return {
      others: [socket, ...allowedSockets!, tmuxBin, ...allowedBufferPaths!, ...allowedOutputPaths!],
      always: [options.auditPath, options.durablePath],
    };
  };
  const written = ["~/x", "~/x", "work", "~/bin/tmux", "~/in", "/b", "~/out"];
  const others = written.map((path) => path.replace("~", "/home/me"));
  const always = ["/home/me/a~/log", "/home/me"];
  assertEquals(await paths([]), { others, always });
  // With --ssh, the others are on the other machine.
  assertEquals(await paths(["--ssh=there"]), { others: written, always });
  assertEquals(await paths([], {}), { others: written, always: ["~/a~/log", "~"] });
});

Deno.test("the configuration file is found below ~, and an empty TMUX_MCP_CONFIG names none", async () => {
  const asked: string[] = [];
  const readFile = (path: string): string => {
    asked.push(path);
    return "";
  };
  const env = { HOME: "/home/me" };
  await load({ readFile, argv: ["--config=~/c.toml"], env });
  await load({ readFile, env: { ...env, TMUX_MCP_CONFIG: "~/d.toml" } });
  await load({ readFile, env: { ...env, TMUX_MCP_CONFIG: "" } });
  assertEquals(asked, ["/home/me/c.toml", "/home/me/d.toml", "/home/me/.config/tmux-mcp/config.toml"]);
});
