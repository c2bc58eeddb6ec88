// Our entry is added to each client's configuration, and nothing else there changes.
import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { parse as parseToml } from "@std/toml";
import { parse as parseJson } from "jsonc-parser";
import { nested } from "../../src/cli/config_table.ts";
import { DOCUMENT_FORMATS } from "../../src/cli/documents.ts";
import { type ClientConfig, CLIENTS, commandOf } from "../../src/cli/clients.ts";
import { addEntry, entryText, missingMembers, readServers, removeEntry } from "../../src/cli/entry.ts";
import { AppError } from "../../src/errors.ts";

const LAUNCH = { command: "/opt/tmux-mcp", args: ["--scope=all"] };

function client(name: string): ClientConfig {
  return CLIENTS.find((each) => each.name === name)!;
}

function add(name: string, text: string, launch = LAUNCH): string | undefined {
  const found = client(name);
  return addEntry(found, { path: "/home/me/file", text }, { launch, force: false });
}

function refused(name: string, text: string): string {
  return assertThrows(() => add(name, text), AppError).message;
}

/** The entry as each client's documentation shows one. */
const DOCUMENTED: Record<string, unknown> = {
  "claude-code": { mcpServers: { tmux: { type: "stdio", ...LAUNCH, env: {} } } },
  "claude-desktop": { mcpServers: { tmux: LAUNCH } },
  codex: {
    mcp_servers: {
      tmux: {
        ...LAUNCH,
        env_vars: [
          "SHELL",
          "USER",
          "LOGNAME",
          "LC_ALL",
          "LC_CTYPE",
          "TZ",
          "TMPDIR",
          "TMUX",
          "TMUX_PANE",
          "TMUX_TMPDIR",
          "XDG_RUNTIME_DIR",
          "XDG_CONFIG_HOME",
          "XDG_STATE_HOME",
          "DISPLAY",
          "WAYLAND_DISPLAY",
          "SSH_AUTH_SOCK",
          "HTTP_PROXY",
          "http_proxy",
          "HTTPS_PROXY",
          "https_proxy",
          "NO_PROXY",
          "no_proxy",
        ],
        startup_timeout_sec: 20,
        tool_timeout_sec: 600,
      },
    },
  },
  gemini: { mcpServers: { tmux: { ...LAUNCH, timeout: 600_000 } } },
  cursor: { mcpServers: { tmux: LAUNCH } },
  windsurf: { mcpServers: { tmux: LAUNCH } },
  vscode: { servers: { tmux: { type: "stdio", ...LAUNCH } } },
  copilot: { mcpServers: { tmux: { type: "local", ...LAUNCH, tools: ["*"], timeout: 600_000 } } },
  zed: { context_servers: { tmux: { ...LAUNCH, timeout: 600 } } },
  amp: { "amp.mcpServers": { tmux: LAUNCH } },
  antigravity: { mcpServers: { tmux: LAUNCH } },
  cline: { mcpServers: { tmux: { ...LAUNCH, disabled: false, autoApprove: [], timeout: 600 } } },
  goose: {
    extensions: {
      tmux: {
        name: "tmux",
        type: "stdio",
        cmd: LAUNCH.command,
        args: LAUNCH.args,
        envs: {},
        enabled: true,
        timeout: 300,
      },
    },
  },
  jetbrains: { mcpServers: { tmux: LAUNCH } },
  kiro: { mcpServers: { tmux: LAUNCH } },
  qwen: { mcpServers: { tmux: { ...LAUNCH, timeout: 600_000 } } },
  opencode: {
    mcp: {
      tmux: { type: "local", command: ["/opt/tmux-mcp", "--scope=all"], enabled: true, timeout: 300_000 },
    },
  },
};

/** A file that says something else, with a comment. */
const BESIDE: Record<ClientConfig["format"], string> = {
  json: '{\n  // mine\n  "theme": "dark" }\n',
  toml: '# mine\ntheme = "dark"\n[other]\nname = "x"\n',
  yaml: "# mine\ntheme: dark # best\nother:\n  name: x\n",
};

for (const each of CLIENTS) {
  const read = (text: string): Record<string, unknown> =>
    JSON.parse(JSON.stringify(DOCUMENT_FORMATS[each.format].parse(text)));

  Deno.test(`${each.name}: a new configuration holds the documented entry, and a second time changes nothing`, () => {
    const text = add(each.name, "")!;
    assertEquals(read(text), DOCUMENTED[each.name]);
    assertEquals(text, entryText(each, LAUNCH));
    assertEquals(add(each.name, text), undefined);
    assertEquals(commandOf(readServers(each, { path: "", text })["tmux"]), ["/opt/tmux-mcp", "--scope=all"]);
  });

  Deno.test(`${each.name}: an entry of that name with another command is refused`, () => {
    const text = add(each.name, "", { command: "/usr/bin/other", args: [] })!;
    assertStringIncludes(refused(each.name, text), `"tmux" runs /usr/bin/other`);
    const config = { path: "/home/me/file", text };
    assertThrows(() => removeEntry(each, config, { force: false }), AppError, "runs /usr/bin/other");
    const forced = addEntry(each, config, { launch: LAUNCH, force: true })!;
    assertEquals(read(forced), DOCUMENTED[each.name]);
  });

  Deno.test(`${each.name}: an entry that is turned off is turned on by force, with what else it has`, () => {
    const config = (own: object): { path: string; text: string } => {
      const data = nested([...each.servers, "tmux"], own);
      return { path: "/home/me/file", text: DOCUMENT_FORMATS[each.format].print(data) };
    };
    const ours = each.entry(LAUNCH);
    for (const off of [{ enabled: false }, { disabled: true }]) {
      const { text } = config({ ...ours, ...off });
      assertStringIncludes(refused(each.name, text), '"tmux" is turned off');
    }
    const theirs = { env: { TMUX_MCP_SAFETY: "readonly" }, timeout: 9, enabled: false };
    const before = config({ ...each.entry({ command: "/opt/tmux-mcp", args: [] }), ...theirs });
    const text = addEntry(each, before, { launch: LAUNCH, force: true })!;
    const servers = readServers(each, { path: "", text });
    const { enabled: _, ...kept } = theirs;
    const on = "enabled" in ours ? { enabled: true } : {};
    assertEquals(JSON.parse(JSON.stringify(servers["tmux"])), { ...ours, ...kept, ...on });
    assertEquals(add(each.name, text), undefined);
  });

  Deno.test(`${each.name}: an entry that was added can be removed, and the rest of the file stays`, () => {
    const before = BESIDE[each.format];
    const added = add(each.name, before)!;
    const removed = removeEntry(each, { path: "", text: added }, { force: false })!;
    const first = each.servers[0]!;
    assertEquals(
      each.servers.reduce((at, key) => (at[key] ?? {}) as Record<string, unknown>, read(removed)),
      {},
    );
    assertEquals({ ...read(removed), [first]: 0 }, { ...read(before), [first]: 0 });
    for (const kept of before.trim().split("\n")) assertStringIncludes(removed, kept.replace(/ ?}$/, ""));
    assertEquals(removeEntry(each, { path: "", text: removed }, { force: false }), undefined);
  });
}

Deno.test("an entry that Codex wrote itself gets what it lacks by force, beside what the person added", () => {
  const codex = client("codex");
  const launch = { ...LAUNCH, variables: ["TMUX_MCP_SAFETY"] };
  const own =
    `[mcp_servers.tmux]\ncommand = "/opt/tmux-mcp"\nargs = ["--scope=all"]\ntool_timeout_sec = 90\n`;
  const listed = `${own}env_vars = ["MINE", { name = "TMUX", source = "local" }]\n`;
  for (
    const [text, lacks] of [[own, ["env_vars", "startup_timeout_sec"]], [listed, [
      "startup_timeout_sec",
      "env_vars",
    ]]] as const
  ) {
    const config = { path: "/home/me/file", text };
    assertEquals(addEntry(codex, config, { launch, force: false }), undefined);
    assertEquals(missingMembers(codex, config, launch).sort(), [...lacks].sort());
    const forced = { path: "", text: addEntry(codex, config, { launch, force: true })! };
    const entry = readServers(codex, forced)["tmux"] as Record<string, unknown>;
    assertEquals([entry["tool_timeout_sec"], entry["startup_timeout_sec"]], [90, 20]);
    const names = (entry["env_vars"] as (string | { name: string })[]).map((each) =>
      typeof each === "string" ? each : each.name
    );
    assertEquals(names.includes("MINE"), text === listed);
    for (const name of ["TMUX", "SHELL", "TMUX_MCP_SAFETY"]) {
      assertEquals(names.filter((each) => each === name), [name]);
    }
    assertEquals(missingMembers(codex, forced, launch), []);
    assertEquals(addEntry(codex, forced, { launch, force: true }), undefined);
  }
});

Deno.test("an entry of ours without a time limit gets it by force, and keeps another one", () => {
  const older = { type: "local", command: [LAUNCH.command, ...LAUNCH.args] };
  const limits: [name: string, own: Record<string, unknown>, timeout: unknown, mine: unknown][] = [
    ["zed", { context_servers: { tmux: LAUNCH } }, 600, 90],
    ["copilot", { mcpServers: { tmux: { type: "local", ...LAUNCH, tools: ["*"] } } }, 600_000, 90_000],
    ["opencode", { mcp: { servers: { tmux: older } } }, { execution: 600_000 }, { startup: 9_000 }],
  ];
  for (const [name, data, timeout, mine] of limits) {
    const found = client(name);
    const config = { path: "/home/me/file", text: JSON.stringify(data) };
    assertEquals(missingMembers(found, config, LAUNCH), ["timeout"]);
    const forced = { path: "", text: addEntry(found, config, { launch: LAUNCH, force: true })! };
    const entry = readServers(found, forced)["tmux"] as Record<string, unknown>;
    assertEquals(entry["timeout"], timeout);
    const own = {
      path: "",
      text: JSON.stringify(data).replace('"command"', `"timeout":${JSON.stringify(mine)},"command"`),
    };
    assertEquals(missingMembers(found, own, LAUNCH), []);
    assertEquals(addEntry(found, own, { launch: LAUNCH, force: true }), undefined);
  }
});

Deno.test("JSON with comments, tabs and a trailing comma keeps them", () => {
  const text = [
    "{",
    "\t// the theme",
    '\t"theme": "dark", /* really */',
    '\t"mcp": {',
    '\t\t"other": { "type": "local", "command": ["x"] },',
    "\t},",
    "}",
    "",
  ].join("\n");
  const added = add("opencode", text)!;
  for (const kept of ["\t// the theme\n", '\t"theme": "dark", /* really */\n', '\t\t"other"']) {
    assertStringIncludes(added, kept);
  }
  assertStringIncludes(added, '\n\t\t"tmux": {\n\t\t\t"type": "local"');
  assertEquals(Object.keys(parseJson(added, [], { allowTrailingComma: true }).mcp), ["other", "tmux"]);
});

Deno.test("opencode's newer format, where a file is written in it, gets its own entry", () => {
  const text =
    '{\n  // mine\n  "mcp": { "servers": { "other": { "type": "local", "command": ["x"] } } }\n}\n';
  const added = add("opencode", text)!;
  assertStringIncludes(added, "// mine");
  const { servers, ...rest } = parseJson(added).mcp;
  assertEquals(rest, {});
  const timeout = { execution: 600_000 };
  assertEquals(servers.tmux, { type: "local", command: ["/opt/tmux-mcp", "--scope=all"], timeout });
  assertEquals(add("opencode", added), undefined);
  assertEquals(parseJson(entryText(client("opencode"), LAUNCH, { path: "", text })), {
    mcp: { servers: { tmux: servers.tmux } },
  });
  // A server of the older format can have that name.
  const named = add("opencode", '{"mcp": {"servers": {"type": "local", "command": ["x"]}}}')!;
  assertEquals(Object.keys(parseJson(named).mcp), ["servers", "tmux"]);
});

Deno.test("null counts as no table, and a byte order mark stays", () => {
  for (const text of ["null", '{"mcpServers": null}']) {
    const data = parseJson(add("gemini", text)!);
    assertEquals(Object.keys(data.mcpServers), ["tmux"], text);
  }
  assertMatch(
    add("goose", "# mine\nextensions:\nmodel: x\n")!,
    /^# mine\nextensions:\n +tmux:\n[^]*\nmodel: x\n$/,
  );
  assertEquals(add("cursor", "// mine"), `// mine\n${add("cursor", "")}`);
  assertEquals(
    add("cursor", "\ufeff/* mine */\r\n"),
    `\ufeff/* mine */\r\n${add("cursor", "")!.replaceAll("\n", "\r\n")}`,
  );
  const marked = add("cursor", '\ufeff{\n  "mcpServers": {}\n}\n')!;
  assertEquals(marked.startsWith("\ufeff{\n"), true);
  assertEquals(Object.keys(parseJson(marked.slice(1)).mcpServers), ["tmux"]);
});

/** The lines of a goose entry with this command, indented as the mapping it is in. */
function gooseLines(indent: string, command: string): string {
  const text = add("goose", "", { command, args: [] })!;
  return text.split("\n").slice(1, -1).map((line) => `${indent}${line.slice(2)}\n`).join("");
}

Deno.test("YAML keeps every byte around an entry that is added, replaced and removed", () => {
  const numbers =
    "id: 12345678901234567890 # long\nzip: 00123\npi: 1.2345678901234567890123\nk: 1e3\nhex: 0xFF\n";
  const styles = `${numbers}list:   [a,  b]\ntext: >-\n    folded\n    ${"word ".repeat(30)}\n\n# the end\n`;
  const cases: [file: (entry: string) => string, indent: string, left?: string][] = [
    [(entry) => `${styles}extensions:\n${entry}`, "  ", `${styles}extensions: {}\n`],
    [(entry) => `extensions: # mine\n${entry}    # one\n    other: {cmd: x}\n${styles}`, "    "],
    [
      (entry) => `# a\nextensions: &e\n${entry}  other:\n      cmd: 'x'\n      # two\n\n# three\n${styles}`,
      "  ",
    ],
    [
      (entry) => `---\n${numbers}extensions:\n${entry}...\n# end\n`,
      "  ",
      `---\n${numbers}extensions: {}\n...\n# end\n`,
    ],
    [(entry) => `extensions:\n${entry}${styles}`, "  ", `extensions: {}\n${styles}`],
  ];
  assertMatch(add("goose", "---\na: 1\n...\n")!, /^---\na: 1\nextensions:\n[^]*\n\.\.\.\n$/);
  assertEquals(add("goose", numbers)!.startsWith(`${numbers}extensions:\n  tmux:\n`), true);
  const goose = client("goose");
  const config = (text: string): { path: string; text: string } => ({ path: "", text });
  for (const eol of ["\n", "\r\n"]) {
    for (const mark of ["", "\ufeff"]) {
      for (const [lines, indent, left = lines("")] of cases) {
        const written = (text: string): string => mark + text.replaceAll("\n", eol);
        const added = written(lines(gooseLines(indent, "/opt/tmux-mcp")));
        const other = written(lines(gooseLines(indent, "/opt/other")));
        const launch = { command: "/opt/tmux-mcp", args: [] };
        assertEquals(addEntry(goose, config(written(left)), { launch, force: false }), added);
        assertEquals(addEntry(goose, config(other), { launch, force: true }), added);
        assertEquals(removeEntry(goose, config(added), { force: false }), written(left));
      }
    }
  }
});

Deno.test("YAML in braces keeps every byte around an entry that is added, replaced and removed", () => {
  const ours = (command: string): string =>
    `tmux: {name: "tmux", type: "stdio", cmd: "${command}", args: [], envs: {}, enabled: true, timeout: 300}`;
  const files: [before: string, after: string, comma?: string][] = [
    ["extensions: {", "a: {cmd: x}}\n", ", "],
    ["# mine\nextensions: {", " a: { cmd: 'x' } } # one\nn: 00123\n", " "],
    ["extensions: {", "\n  a: {cmd: x}, # one\n  # two\n  b: {cmd: y},\n}\nz: 1\n", "\n  "],
    ["extensions: !!map {", "a: {cmd: x,\n    args: []},}\n", ", "],
    ["{extensions: {", "a: {cmd: x}}, b: 1e3}", ", "],
    ['{"model": "x", "extensions": {', "}}"],
  ];
  const goose = client("goose");
  const launch = { command: "/opt/tmux-mcp", args: [] };
  for (const [before, after, gap = ""] of files) {
    for (const [mark, eol] of [["", "\n"], ["\ufeff", "\r\n"]] as const) {
      const written = (command?: string): string => {
        const space = gap.replace(", ", "");
        const comma = gap === "" ? "" : gap === ", " ? ", " : ",";
        const entry = command === undefined ? "" : `${space}${ours(command)}${comma}`;
        return mark + `${before}${entry}${after}`.replaceAll("\n", eol);
      };
      const config = (text: string) => ({ path: "", text });
      const added = written("/opt/tmux-mcp");
      assertEquals(addEntry(goose, config(written()), { launch, force: false }), added);
      assertEquals(addEntry(goose, config(written("/opt/other")), { launch, force: true }), added);
      assertEquals(removeEntry(goose, config(added), { force: false }), written());
    }
  }
  // A person may have written the entry last.
  const last = { path: "", text: "extensions: {a: {cmd: x}, tmux: {cmd: /opt/tmux-mcp} }\n" };
  assertEquals(removeEntry(goose, last, { force: false }), "extensions: {a: {cmd: x} }\n");
});

Deno.test("YAML in braces keeps comments beside an entry that is removed, and quoted names in one that is replaced", () => {
  const goose = client("goose");
  const ours = "tmux: {cmd: tmux-mcp}";
  const files: [text: string, kept: string][] = [
    [`extensions: { # one\n  ${ours}, a: 1 }\n`, "extensions: { # one\n  a: 1 }\n"],
    [`extensions: { # one\n  ${ours}, # two\n  a: 1 }\n`, "extensions: { # one # two\n  a: 1 }\n"],
    [`extensions: {a: 1,\n  # one, two,\n  ${ours} }\n`, "extensions: {a: 1,\n  # one, two,\n  }\n"],
    [`extensions: {\n  a: 1, # one,\n  ${ours}\n}\n`, "extensions: {\n  a: 1, # one,\n}\n"],
    [`extensions: {${ours}, # one\n  a: 1}\n`, "extensions: { # one\n  a: 1}\n"],
    [`extensions: { # one\n  ${ours}}\n`, "extensions: { # one\n  }\n"],
    [`extensions: {${ours} # one, two\n  , a: 1}\n`, "extensions: { # one, two\n  a: 1}\n"],
    [
      `extensions: {a: 1\n  , ${ours} # one\n  # two\n  , b: 2}\n`,
      "extensions: {a: 1\n  , # one\n  # two\n  b: 2}\n",
    ],
    [`extensions: { # one\n  ${ours} # two\n  , a: 1}\n`, "extensions: { # one # two\n  a: 1}\n"],
  ];
  for (const [text, kept] of files) {
    for (const eol of ["\n", "\r\n"]) {
      const config = { path: "", text: text.replaceAll("\n", eol) };
      assertEquals(removeEntry(goose, config, { force: false }), kept.replaceAll("\n", eol));
      const replaced = addEntry(goose, config, { launch: LAUNCH, force: true });
      assertStringIncludes(replaced!, "# one");
    }
  }
  const named = {
    path: "",
    text: "extensions: {tmux: {cmd: tmux-mcp, envs: {'my: key': 2, \"a, b\": 1}}, a: 1}\n",
  };
  assertStringIncludes(
    addEntry(goose, named, { launch: LAUNCH, force: true })!,
    '{"my: key": 2, "a, b": 1}',
  );
});

Deno.test("TOML keeps comments, tables, arrays of tables and its line ends", () => {
  const text = [
    "# mine",
    'model = "o" # best',
    "[mcp_servers.other]",
    'command = "x"',
    "[[hooks]]",
    "at = 2024-01-01T00:00:00Z",
  ].join("\r\n");
  const added = add("codex", text)!;
  assertEquals(added.startsWith(text), true);
  assertEquals(added.replaceAll("\r\n", "").includes("\n"), false);
  const data = parseToml(added) as Record<string, Record<string, unknown>>;
  assertEquals(Object.keys(data["mcp_servers"]!), ["other", "tmux"]);
});

Deno.test("TOML keeps the comments after an entry that is removed or replaced", () => {
  const before = '# mine\n[mcp_servers.tmux] # this one\ncommand = "/opt/tmux-mcp"\n# inside\nargs = []\n';
  const env = '[mcp_servers.tmux.env]\nA = "b"\n';
  for (const after of ['\n# work profile\n[profiles.work]\nmodel = "o"\n', "\n# the end\n", "# end"]) {
    const config = { path: "", text: before + env + after };
    assertEquals(removeEntry(client("codex"), config, { force: false }), `# mine\n${after}`);
    const replaced = addEntry(client("codex"), config, { launch: LAUNCH, force: true })!;
    assertEquals(replaced.startsWith(`# mine\n${after}`), true, replaced);
  }
});

Deno.test("TOML keeps a table whose quoted name has a dot", () => {
  const dotted = '[mcp_servers."tmux.dev"]\ncommand = "x"\n';
  const text =
    `${dotted}[ mcp_servers . "tmux" ]\ncommand = "/opt/tmux-mcp"\n[mcp_servers.tmux.env]\nA = "b"\n`;
  const config = { path: "", text };
  assertEquals(removeEntry(client("codex"), config, { force: false }), dotted);
  const replaced = addEntry(client("codex"), config, { launch: LAUNCH, force: true })!;
  assertEquals(replaced.startsWith(dotted), true, replaced);
});

Deno.test("JSON keeps the comments around an entry that is removed, and its neighbours as they are", () => {
  const ours = '"tmux": {\n      "command": "/opt/tmux-mcp" // inside\n    }';
  const cases = [
    [
      `    // one\n    ${ours},\n    // two\n    "b": {"command": "y"}\n`,
      '    // one\n    // two\n    "b": {"command": "y"}\n',
    ],
    [
      `    "a": {"command": "x"}, // one\n    ${ours}\n    // two\n`,
      '    "a": {"command": "x"} // one\n    // two\n',
    ],
    [`    "a": {"command": "x"}, ${ours}, // one\n`, '    "a": {"command": "x"}, // one\n'],
    [`    ${ours} /* , */\n`, "     /* , */\n"],
  ];
  for (const [before, after] of cases) {
    for (const mark of ["", "\ufeff"]) {
      const file = (servers: string): string => `${mark}{\n  "mcpServers": {\n${servers}  }\n}\n`;
      const config = { path: "", text: file(before!) };
      assertEquals(removeEntry(client("cursor"), config, { force: false }), file(after!));
    }
  }
});

Deno.test("JSON keeps every byte around an entry that is added and removed", () => {
  const files = [
    '{"mcpServers": {"b": {"command": "y"}}}',
    '{ "a":1e3, "mcpServers": { "b": {"command":"y", "args":[ 1,2 ]}, /* one */ }, "n": 12345678901234567890 }',
    '{\n\t"mcpServers": {\n\t\t"b": { "command": "y" }, // one\n\t\t// two\n\t},\n}\n// three',
    '// one\n{\n   "mcpServers": {\n      /* two */ "b": {"command": "y",\n "args": [ ]} /* three */, // four\n   },\n}\n',
    '{\n  "mcpServers": {"b": {"command": "y"}\n  }\n}\n\n\n',
    '{"mcpServers": {"b": {"command": "y"} /* one */ /* * */ }, "other": {} /* two */\n}',
  ];
  for (const file of files) {
    for (const [mark, eol] of [["", "\n"], ["\ufeff", "\r\n"]] as const) {
      const text = mark + file.replaceAll("\n", eol);
      const added = add("cursor", text)!;
      assertEquals(Object.keys(parseJson(added.replace("\ufeff", "")).mcpServers), ["b", "tmux"], added);
      assertEquals(removeEntry(client("cursor"), { path: "", text: added }, { force: false }), text);
    }
  }
  const commented = '{\n  "mcpServers": {\n    "b": {"command": "y"} // of b\n    // two\n  }\n}';
  assertMatch(
    add("cursor", commented)!,
    /"b": \{"command": "y"\}, \/\/ of b\n +"tmux": [^]*\n +\/\/ two\n +\}\n\}$/,
  );
});

Deno.test("TOML does not grow each time that an entry is replaced", () => {
  const once = add("codex", 'model = "o"\n')!;
  const replace = (text: string, launch: typeof LAUNCH): string =>
    addEntry(client("codex"), { path: "", text }, { launch, force: true })!;
  assertEquals(replace(replace(once, { command: "/opt/other", args: [] }), LAUNCH), once);
});

const REFUSED: [what: string, client: string, text: string, says: string][] = [
  ["broken JSON", "cursor", '{\n  "mcpServers": {\n', "in line 3"],
  ["two values", "cursor", "{} {}", "not JSON"],
  ["a list", "gemini", "[]", "not an object"],
  ["servers that are no table", "vscode", '{"servers": []}', '"servers" is not a table'],
  ["broken TOML", "codex", "a = 1\nb = \n", "in line 2"],
  [
    "an inline table of servers",
    "codex",
    'mcp_servers = { other = { command = "x" } }',
    "cannot be edited",
  ],
  ["broken YAML", "goose", "a: b: c\n", "at line 1, column 4"],
  ["a mapping with an alias", "goose", "extensions: &e { a: { cmd: x } }\nb: *e\n", "cannot be edited"],
  ["servers given twice", "cursor", '{"mcpServers": {}, "mcpServers": {"a": {}}}', "cannot be edited"],
  [
    "options in the program",
    "cursor",
    '{"mcpServers": {"tmux": {"command": "/opt/tmux-mcp --scope=all"}}}',
    "runs",
  ],
  ["a null entry", "cursor", '{"mcpServers": {"tmux": null}}', "something else"],
];

for (const [what, name, text, says] of REFUSED) {
  Deno.test(`${what} is refused, naming the file and the reason`, () => {
    const message = refused(name, text);
    assertStringIncludes(message, '"/home/me/file"');
    assertStringIncludes(message, says);
    assertMatch(message, /[^.:]$/);
  });
}

Deno.test("places follow the user's own variables and the system's habits", () => {
  const at = (name: string, os: string, env: Record<string, string>): string[] =>
    client(name).paths({ os, variable: (key) => ({ HOME: "/home/me", ...env })[key] });
  assertEquals(at("claude-code", "linux", {}), ["/home/me/.claude.json"]);
  assertEquals(at("claude-code", "linux", { CLAUDE_CONFIG_DIR: "/c" }), ["/c/.claude.json"]);
  assertEquals(at("codex", "darwin", {}), ["/home/me/.codex/config.toml"]);
  assertEquals(at("codex", "linux", { CODEX_HOME: "/c" }), ["/c/config.toml"]);
  assertEquals(at("vscode", "linux", {}), ["/home/me/.config/Code/User/mcp.json"]);
  assertEquals(at("vscode", "darwin", {}), ["/home/me/Library/Application Support/Code/User/mcp.json"]);
  assertEquals(at("copilot", "linux", {}), ["/home/me/.copilot/mcp-config.json"]);
  assertEquals(at("copilot", "linux", { COPILOT_HOME: "/c" }), ["/c/mcp-config.json"]);
  assertEquals(at("zed", "darwin", { XDG_CONFIG_HOME: "/x" }), ["/home/me/.config/zed/settings.json"]);
  assertEquals(at("zed", "linux", { XDG_CONFIG_HOME: "/x" }), ["/x/zed/settings.json"]);
  const cline = "settings/cline_mcp_settings.json";
  assertEquals(at("cline", "linux", {})[0], `/home/me/.cline/data/${cline}`);
  assertEquals(at("cline", "linux", { CLINE_DIR: "/c" })[0], `/c/data/${cline}`);
  assertEquals(at("cline", "linux", { CLINE_DIR: "/c", CLINE_DATA_DIR: "/d" })[0], `/d/${cline}`);
  assertEquals(
    at("cline", "linux", { CLINE_DATA_DIR: "/d", CLINE_MCP_SETTINGS_PATH: "/m.json" })[0],
    "/m.json",
  );
  const older = "/home/me/.codeium/windsurf/mcp_config.json";
  assertEquals(at("windsurf", "linux", {}), ["/home/me/.config/devin/mcp_config.json", older]);
  assertEquals(at("opencode", "linux", { XDG_CONFIG_HOME: "/x" })[1], "/x/opencode/opencode.jsonc");
  for (const name of CLIENTS.map(({ name }) => name)) {
    const none = { XDG_CONFIG_HOME: "", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", COPILOT_HOME: "" };
    assertEquals(at(name, "linux", none), at(name, "linux", {}));
    assertEquals(at(name, "linux", { XDG_CONFIG_HOME: "x" }), at(name, "linux", {}));
  }
  assertEquals(at("codex", "linux", { CODEX_HOME: "x" }), [join(Deno.cwd(), "x/config.toml")]);
  assertThrows(() => at("gemini", "linux", { HOME: "" }), AppError, "HOME is not set");
});

Deno.test("a client whose file is the user's only has none in a project", () => {
  assertEquals(client("cline").project, undefined);
  assertEquals(client("cursor").project, ".cursor/mcp.json");
});
