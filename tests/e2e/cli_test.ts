// The subcommands as a person runs them, through the launcher.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { launch, LAUNCHER } from "../support/launched.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

/** Names of what is in a folder, apart from what each world begins with. */
async function filesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).filter((name) =>
    name !== ".local"
  );
}

Deno.test("config prints what is in force and where each value was set", async () => {
  await using world = await World.create();
  const file = join(world.folder, "c.toml");
  await Deno.writeTextFile(file, `[server]\nsafety = "readonly"\nscope = "primitives"\n`);
  const env = { ...world.env, TMUX_MCP_MAX_WATCHES: "3" };
  const { code, stdout, stderr } = await launch(["config", "--config", file, "--scope", "all"], { env });
  assertEquals([code, stderr], [0, ""]);
  for (
    const line of [
      `# file: ${file}`,
      `server.scope = "all"  # --scope`,
      `server.safety = "readonly"  # ${file}`,
      `watch.max_watches = 3  # TMUX_MCP_MAX_WATCHES`,
      `server.channel = false  # default`,
    ]
  ) assert(stdout.split("\n").includes(line), `${line}\n\n${stdout}`);
});

Deno.test("config --schema prints a JSON Schema of the file", async () => {
  await using world = await World.create();
  const { code, stdout } = await launch(["config", "--schema"], world);
  assertEquals(code, 0);
  assertEquals(JSON.parse(stdout).properties.server.properties.scope.enum, ["agentic", "primitives", "all"]);
});

Deno.test("a wrong setting stops every subcommand with one line and exit code 2", async () => {
  await using world = await World.create();
  for (const command of [[], ["config"], ["init", "cursor"], ["watch", "%0"]]) {
    const { code, stdout, stderr } = await launch([...command, "--scope", "everything"], world);
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, /^tmux-mcp: [^\n]*"everything"[^\n]*agentic[^\n]*\n$/);
  }
});

Deno.test("config and init refuse what a server would not start with", async () => {
  await using world = await World.create();
  const settings: [string[], RegExp][] = [
    [["--ssh", "-N x"], /"-N x": -N is not allowed here/],
    [["--hosts", "a=-p"], /"-p": -p has no value/],
    [["--mask", "regex:("], /Invalid mask number 1/],
  ];
  const removing = await launch(
    ["init", "cursor", "--remove", ...settings.flatMap(([flags]) => flags)],
    world,
  );
  assertEquals([removing.code, /is not in/.test(removing.stdout)], [0, true], removing.stderr);
  for (const [flags, said] of settings) {
    for (const command of [["config"], ["init", "cursor", "--write"]]) {
      const { code, stdout, stderr } = await launch([...command, ...flags], world);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, said);
    }
  }
  assertEquals(await filesIn(world.folder), []);
});

Deno.test("a reader that has enough ends a subcommand without a complaint", async () => {
  await using world = await World.create();
  const child = new Deno.Command(LAUNCHER, {
    args: ["help"],
    env: world.env,
    clearEnv: true,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  assertEquals(await new Response(child.stderr).text(), "");
  assertEquals((await child.status).code, 141);
});

Deno.test("init prints the entry and writes nothing", async () => {
  await using world = await World.create();
  const { code, stdout, stderr } = await launch(["init", "vscode", "--socket", "a b"], world);
  assertEquals(code, 0);
  assertEquals(JSON.parse(stdout), {
    servers: { tmux: { type: "stdio", command: LAUNCHER, args: ["--socket=a b"] } },
  });
  assertStringIncludes(stderr, join(world.folder, ".config/Code/User/mcp.json"));
  assertEquals(await filesIn(world.folder), []);
});

Deno.test("init stores paths so that they mean the same in any folder", async () => {
  await using world = await World.create();
  const { folder: cwd, env } = world;
  await Deno.writeTextFile(join(cwd, "own.toml"), "");
  const storedArgs = async (...given: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await launch(["init", "claude-desktop", ...given], { env, cwd });
    assertEquals(code, 0, stderr);
    return JSON.parse(stdout).mcpServers.tmux.args;
  };
  assertEquals(
    await storedArgs(
      ...["--config", "./own.toml", "--audit-path", "logs/a.jsonl", "--durable-path", "state"],
      ...["--socket", "./x.sock", "--tmux-bin=bin/tmux", "--allowed-output-paths=out,/tmp,~/x"],
      '--allowed-buffer-paths=["a,b"]',
      "--allowed-sockets=work,./y",
    ),
    [
      `--config=${cwd}/own.toml`,
      `--audit-path=${cwd}/logs/a.jsonl`,
      `--durable-path=${cwd}/state`,
      `--socket=${cwd}/x.sock`,
      `--tmux-bin=${cwd}/bin/tmux`,
      `--allowed-output-paths=${cwd}/out,/tmp,~/x`,
      `--allowed-buffer-paths=["${cwd}/a,b"]`,
      `--allowed-sockets=work,${cwd}/y`,
    ],
  );
  const kept = ["--socket=work", "--tmux-bin=tmux", "--durable-path=~/state"];
  assertEquals(await storedArgs(...kept), kept);
  // These are on the other machine.
  const remote = ["--ssh=somewhere", "--socket=./x.sock", "--allowed-sockets=./x.sock"];
  assertEquals(await storedArgs(...remote, "--audit-path=a"), [...remote, `--audit-path=${cwd}/a`]);
});

Deno.test("init --write adds the entry beside others, keeps a copy and the file's mode, and is idempotent", async () => {
  await using world = await World.create();
  const folder = join(world.folder, ".cursor");
  const path = join(folder, "mcp.json");
  const before = '{"mcpServers": {"other": {"command": "x"}}}';
  await Deno.mkdir(folder);
  await Deno.writeTextFile(path, before);
  await Deno.chmod(path, 0o640);

  const first = await launch(["init", "cursor", "--write"], world);
  assertEquals([first.code, first.stderr], [0, ""]);
  const after = await Deno.readTextFile(path);
  assertEquals(JSON.parse(after).mcpServers, {
    other: { command: "x" },
    tmux: { command: LAUNCHER, args: [] },
  });
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o640);
  const copy = /\S+\.bak/.exec(first.stdout)![0];
  assertEquals(await Deno.readTextFile(copy), before);

  const second = await launch(["init", "cursor", "--write"], world);
  assertEquals(second.code, 0);
  assertEquals(second.stdout, `"tmux" is already in ${path}\n`);
  assertEquals(await Deno.readTextFile(path), after);
  assertEquals((await filesIn(folder)).length, 2);
});

Deno.test("init --write keeps a copy of each version, also of edits within one second", async () => {
  await using world = await World.create();
  const path = join(world.folder, ".cursor/mcp.json");
  await Deno.mkdir(dirname(path));
  await Deno.writeTextFile(path, "{}");
  const versions = [];
  for (let edit = 0; edit < 4; edit++) {
    versions.push(await Deno.readTextFile(path));
    const flags = edit % 2 === 0 ? ["--write"] : ["--remove"];
    assertEquals((await launch(["init", "cursor", ...flags], world)).code, 0);
  }
  const copies = (await filesIn(dirname(path))).filter((name) => name.endsWith(".bak")).sort();
  const kept = copies.map((name) => Deno.readTextFile(join(dirname(path), name)));
  assertEquals(await Promise.all(kept), versions);
});

Deno.test("init --write leaves a file to its owner, and the copy too", async () => {
  await using world = await World.create();
  const path = join(world.folder, ".claude.json");
  await Deno.writeTextFile(path, "{}");
  // Only root can give files away.
  if (Deno.uid() === 0) await Deno.chown(path, 65534, 65534);
  const { uid } = await Deno.stat(path);
  const { stdout } = await launch(["init", "claude-code", "--write"], world);
  for (const file of [path, /\S+\.bak/.exec(stdout)![0]]) assertEquals((await Deno.stat(file)).uid, uid);
});

Deno.test("init changes its own entry with --force and takes it out again with --remove", async () => {
  await using world = await World.create();
  const path = join(world.folder, ".codex/config.toml");
  await Deno.mkdir(join(world.folder, ".codex"));
  await Deno.writeTextFile(path, '# mine\nmodel = "o"\n');
  const run = async (...flags: string[]): Promise<string> => {
    const { code, stdout, stderr } = await launch(["init", "codex", ...flags], world);
    return `${code} ${stdout}${stderr}`;
  };
  assertMatch(await run("--write", "--safety=readonly"), /^0 Added/);
  assertMatch(await run("--write", "--safety=mutating"), /^2 .*Use --force to replace/);
  assertMatch(await run("--write", "--force", "--safety=mutating"), /^0 Added/);
  const text = await Deno.readTextFile(path);
  assert(
    text.startsWith("# mine\n") && text.includes("--safety=mutating") && !text.includes("readonly"),
    text,
  );
  assertMatch(await run("--remove"), /^0 Removed "tmux" from /);
  assertEquals((await Deno.readTextFile(path)).trimEnd(), '# mine\nmodel = "o"');
  assertMatch(await run("--remove"), /^0 "tmux" is not in /);
});

Deno.test("init says what an entry lacks that the client's own command added", async () => {
  await using world = await World.create();
  const path = join(world.folder, ".codex/config.toml");
  await Deno.mkdir(join(world.folder, ".codex"));
  await Deno.writeTextFile(path, `[mcp_servers.tmux]\ncommand = "${LAUNCHER}"\n`);
  const write = async (...flags: string[]): Promise<string> =>
    (await launch(["init", "codex", "--write", ...flags], world)).stdout;
  assertMatch(await write(), /^"tmux" is already in \S+, without env_vars, .*: --write --force adds that\n$/);
  assertMatch(await write("--force"), /^Added "tmux" to /);
  assertMatch(await write(), /^"tmux" is already in \S+\n$/);
});

Deno.test("init has a client pass on the variables with settings and secrets, or says that they may be lost", async () => {
  await using world = await World.create();
  const env = { ...world.env, TMUX_MCP_SAFETY: "readonly", TMUX_MCP_DURABLE: "false" };
  const codex = await launch(["init", "codex", "--mask=env:MY_TOKEN"], { env });
  const names = /^env_vars = (.*)$/m.exec(codex.stdout)?.[1] ?? "";
  assertEquals(
    ["TMUX", "TMUX_MCP_SAFETY", "TMUX_MCP_DURABLE", "MY_TOKEN"].filter((name) =>
      !names.includes(`"${name}"`)
    ),
    [],
  );
  assertEquals(codex.stderr.match(/may not reach/), null);
  const cursor = await launch(["init", "cursor", "--mask=env:MY_TOKEN"], { env });
  assertMatch(
    cursor.stderr,
    /TMUX_MCP_SAFETY, TMUX_MCP_DURABLE, MY_TOKEN may not reach a server that cursor starts: give /,
  );
  assertEquals(
    (await launch(["init", "cursor", "--safety=readonly"], world)).stderr.match(/may not reach/),
    null,
  );
});

Deno.test("init --remove leaves another program's entry alone unless it is forced", async () => {
  await using world = await World.create();
  const path = join(world.folder, ".claude.json");
  await Deno.writeTextFile(path, '{"mcpServers": {"tmux": {"command": "other"}}}');
  const refused = await launch(["init", "claude-code", "--remove"], world);
  assertEquals(refused.code, 2);
  assertMatch(refused.stderr, /runs other.*--force/);
  assertEquals((await launch(["init", "claude-code", "--remove", "--force"], world)).code, 0);
  assertEquals(JSON.parse(await Deno.readTextFile(path)), { mcpServers: {} });
});

Deno.test("help and version are words too, and a part of a client's name suggests the clients", async () => {
  await using world = await World.create();
  for (const words of [["help"], ["--help"]]) {
    const { code, stdout } = await launch(words, world);
    assertEquals([code, stdout.slice(0, 4)], [0, "NAME"]);
  }
  assertStringIncludes((await launch(["help", "init"], world)).stdout, "tmux-mcp init");
  assertMatch((await launch(["version"], world)).stdout, /^tmux-mcp \d+\.\d+\.\d+\n$/);
  const { code, stderr } = await launch(["init", "claude"], world);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "did you mean claude-code or claude-desktop?");
});

Deno.test("started by hand in a terminal, the server says what it is and what to do", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-x", "120", "-y", "30", `${LAUNCHER}; exec cat`);
  await until(async () => (await world.tmux("capture-pane", "-pJ")).includes("tmux-mcp init CLIENT"));
});

for (const exists of [true, false]) {
  Deno.test(`init --write follows links to the file they stand for, ${exists ? "there" : "or yet to be"}`, async () => {
    await using world = await World.create();
    await Deno.mkdir(join(world.folder, "dotfiles"));
    const real = join(world.folder, "dotfiles/claude.json");
    if (exists) await Deno.writeTextFile(real, "{}");
    const links = [".claude.json", "dotfiles/link"].map((path) => join(world.folder, path));
    await Deno.symlink("dotfiles/link", links[0]!);
    await Deno.symlink("claude.json", links[1]!);
    assertEquals((await launch(["init", "claude-code", "--write"], world)).code, 0);
    for (const link of links) assertEquals((await Deno.lstat(link)).isSymlink, true);
    assertEquals(JSON.parse(await Deno.readTextFile(real)).mcpServers.tmux.command, LAUNCHER);
  });
}

Deno.test("init --write to a file that cannot be written exits with 1 and says what to do", async () => {
  await using world = await World.create();
  const place = join(world.folder, "place");
  await Deno.symlink(join(world.folder, "missing"), place);
  const env = { ...world.env, CODEX_HOME: place };
  const { code, stdout, stderr } = await launch(["init", "codex", "--write"], { env });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(stderr, /^tmux-mcp: Cannot write "[^"]*config\.toml": [^\n]*without --write[^\n]*\n$/);
});

Deno.test("init --write that fails leaves the file without a copy of it", async () => {
  await using world = await World.create();
  // The new file, which is written aside first, has a longer name than any may have; the copy's is shorter.
  const name = "x".repeat(220);
  await Deno.writeTextFile(join(world.folder, name), "{}\n");
  const env = { ...world.env, CLINE_MCP_SETTINGS_PATH: join(world.folder, name) };
  const { code, stdout, stderr } = await launch(["init", "cline", "--write"], { env });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(stderr, /File name too long/);
  assertEquals(await filesIn(world.folder), [name]);
});

/** Text as an editor set to Latin-1 saves it. */
function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

Deno.test("a file that is not UTF-8 is refused, naming the line, and stays as it is", async () => {
  await using world = await World.create();
  const [settings, client] = [join(world.folder, "c.toml"), join(world.folder, ".claude.json")];
  const wide = join(world.folder, "utf16.toml");
  await Deno.writeFile(wide, latin1("\xff\xfe[\0s\0]\0"));
  await Deno.writeFile(settings, latin1('[security]\nallowed_sessions = ["caf\xe9"]\n'));
  const before = latin1('{\n  "theme": "/opt/caf\xe9/x"\n}\n');
  await Deno.writeFile(client, before);
  const attempts: [args: string[], said: string][] = [
    [["--config", settings], `Cannot read the configuration file "${settings}": line 2 is not UTF-8`],
    [["--config", wide], `Cannot read the configuration file "${wide}": line 1 is not UTF-8`],
    [["init", "claude-code", "--write"], `Cannot read "${client}": line 2 is not UTF-8`],
  ];
  for (const [args, said] of attempts) {
    const { code, stdout, stderr } = await launch(args, world);
    assertEquals([code, stdout, stderr], [2, "", `tmux-mcp: ${said}; save the file in that encoding\n`]);
  }
  const { code, stdout, stderr } = await launch(["init", "claude-code"], world);
  assertEquals(code, 0);
  assertStringIncludes(stdout, '"mcpServers"');
  assertStringIncludes(stderr, `tmux-mcp: ${attempts.at(-1)![1]}`);
  assertEquals(await Deno.readFile(client), before);
});

Deno.test("a configuration file that links lead away to nowhere stops the start, since it may hold limits", async () => {
  await using world = await World.create();
  const folder = join(world.folder, ".config/tmux-mcp");
  const file = join(folder, "config.toml");
  await Deno.mkdir(folder, { recursive: true });
  for (const link of [file, folder]) {
    await Deno.remove(link, { recursive: true }).catch(() => {});
    await Deno.symlink(join(world.folder, "dotfiles"), link);
    const { code, stdout, stderr } = await launch(["config"], world);
    const says = `Cannot read the configuration file "${file}": "${link}" is a link to what is missing`;
    assertEquals([code, stdout, stderr], [2, "", `tmux-mcp: ${says}\n`]);
  }
  await Deno.mkdir(join(world.folder, "dotfiles"));
  assertMatch((await launch(["config"], world)).stdout, /^# file: none\n/);
});

Deno.test("init --write leaves a file it cannot parse as it is, and says where it breaks", async () => {
  await using world = await World.create();
  const path = join(world.folder, ".claude.json");
  await Deno.writeTextFile(path, '{"mcpServers": ');
  const { code, stdout, stderr } = await launch(["init", "claude-code", "--write"], world);
  assertEquals([code, stdout], [2, ""]);
  assertMatch(stderr, /^tmux-mcp: [^\n]*\.claude\.json[^\n]*line 1[^\n]*\n$/);
  assertEquals(await Deno.readTextFile(path), '{"mcpServers": ');
  assertEquals(await filesIn(world.folder), [".claude.json"]);
  const removing = await launch(["init", "claude-code", "--remove"], world);
  assertEquals([removing.code, removing.stderr], [2, stderr]);
  assertMatch(stderr, /\. Edit it by hand: init without --write prints the entry\n$/);
});

Deno.test("init writes where a client's own variable says", async () => {
  await using world = await World.create();
  const elsewhere = await Deno.makeTempDir({ dir: "/var/tmp" });
  try {
    const env = { ...world.env, CODEX_HOME: elsewhere };
    assertEquals((await launch(["init", "codex", "--write"], { env })).stderr, "");
    assertStringIncludes(await Deno.readTextFile(join(elsewhere, "config.toml")), LAUNCHER);
  } finally {
    await Deno.remove(elsewhere, { recursive: true });
  }
});

Deno.test("a relative XDG_CONFIG_HOME leaves the user's own configuration its paths", async () => {
  await using world = await World.create();
  const elsewhere = await Deno.makeTempDir({ dir: "/var/tmp" });
  try {
    const folder = join(world.folder, ".config/tmux-mcp");
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "config.toml"), `[audit]\npath = "${elsewhere}/a.jsonl"\n`);
    const env = { ...world.env, XDG_CONFIG_HOME: "x" };
    const { stdout } = await launch(["doctor", "--socket", world.socket], { env, cwd: world.folder });
    assertMatch(stdout, /^works +audit log /m);
  } finally {
    await Deno.remove(elsewhere, { recursive: true });
  }
});
