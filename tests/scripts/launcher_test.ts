// scripts/tmux-mcp finds its checkout from anywhere and grants what is named, and nothing else.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { environmentNameOf, flagOf } from "../../src/config/option_row.ts";
import { ROWS } from "../../src/config/table.ts";
import { asOrdinaryUser, Checkout, PINNED } from "./checkout.ts";

/** A checkout whose Deno answers with its own arguments, a NUL after each. */
async function bootstrapped(): Promise<Checkout> {
  const checkout = await Checkout.create();
  await Deno.mkdir(join(checkout.root, ".tools"));
  const lock = await Deno.readTextFile(join(checkout.root, "deno.lock"));
  await Deno.writeTextFile(join(checkout.root, ".tools/installed.lock"), `${PINNED}\n${lock}`);
  await checkout.provide("deno", `printf '%s\\0' "$@"; printf '%s\\0' "$PWD"`, join(checkout.root, ".tools"));
  await checkout.provide("tmux");
  return checkout;
}

interface Launched {
  args: string[];
  cwd: string;
  flag(name: string): string[];
}

async function launch(
  checkout: Checkout,
  script: string,
  options: Parameters<Checkout["run"]>[1] = {},
): Promise<Launched> {
  const { code, stdout, stderr } = await checkout.run(script, options);
  assertEquals([code, stderr], [0, ""]);
  const args = stdout.split("\0").slice(0, -1);
  const cwd = args.pop() ?? "";
  const flag = (name: string): string[] =>
    args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3).split(",") ?? [];
  return { args, cwd, flag };
}

Deno.test("the launcher hands its arguments on, keeps the working folder, and refuses to ask or download", async () => {
  await using checkout = await bootstrapped();
  const { args, cwd } = await launch(checkout, "scripts/tmux-mcp", {
    args: ["--socket", "a b", ""],
    cwd: "/usr",
  });
  assertEquals(args.slice(-4), [join(checkout.root, "main.ts"), "--socket", "a b", ""]);
  assertEquals(args.slice(0, 5), ["run", "--quiet", "--no-prompt", "--cached-only", "--frozen"]);
  assertEquals(cwd, "/usr");
});

Deno.test("the launcher runs the bundle until a source is newer, or was removed", async () => {
  await using checkout = await bootstrapped();
  const source = join(checkout.root, "src/server.ts");
  const entry = join(checkout.root, ".tools/entry");
  const bundle = async (): Promise<void> => {
    await Deno.writeTextFile(entry, ".tools/bundle/main.js\n");
    // Time stamps of files that are written at once may be the same.
    const later = new Date(Date.now() + 1000);
    await Deno.utime(entry, later, later);
  };
  const change = async (path: string): Promise<void> => {
    const later = new Date(Date.now() + 5000);
    await Deno.utime(path, later, later);
  };
  const launched = async (): Promise<string> =>
    (await launch(checkout, "scripts/tmux-mcp")).args.at(-1)!.slice(checkout.root.length + 1);
  const bundlings = async (): Promise<number> =>
    (await checkout.calls()).filter((call) => call.endsWith("/scripts/bundle.ts")).length;

  await Deno.writeTextFile(source, "");
  assertEquals([await launched(), await bundlings()], ["main.ts", 1]);
  await bundle();
  assertEquals([await launched(), await bundlings()], [".tools/bundle/main.js", 1]);
  await change(source);
  assertEquals([await launched(), await bundlings()], ["main.ts", 2]);
  await Deno.remove(source);
  await bundle();
  await change(join(checkout.root, "src"));
  assertEquals([await launched(), await bundlings()], ["main.ts", 3]);
});

Deno.test("a start without find keeps the bundle", async () => {
  await using checkout = await bootstrapped();
  await Deno.writeTextFile(join(checkout.root, ".tools/entry"), ".tools/bundle/main.js\n");
  await Deno.remove(join(checkout.bin, "find"));
  const { args } = await launch(checkout, "scripts/tmux-mcp");
  assertEquals(args.at(-1), join(checkout.root, ".tools/bundle/main.js"));
  assertEquals((await checkout.calls()).filter((call) => call.endsWith("bundle.ts")), []);
});

Deno.test("the launcher runs the sources where they could not be bundled, and tries only once", async () => {
  await using checkout = await bootstrapped();
  await checkout.provide(
    "deno",
    `[[ $* != *bundle.ts ]] || echo main.ts >'${checkout.root}/.tools/entry'; printf '%s\\0' "$@" "$PWD"`,
    join(checkout.root, ".tools"),
  );
  for (const _ of [1, 2]) {
    const { args } = await launch(checkout, "scripts/tmux-mcp");
    assertEquals(args.at(-1), join(checkout.root, "main.ts"));
  }
  assertEquals((await checkout.calls()).filter((call) => call.endsWith("bundle.ts")).length, 1);
});

Deno.test("the launcher is found through symbolic links, absolute and relative", async () => {
  await using checkout = await bootstrapped();
  await Deno.symlink(join(checkout.root, "scripts/tmux-mcp"), join(checkout.bin, "one"));
  await Deno.symlink("one", join(checkout.bin, "two"));
  await Deno.symlink("./two", join(checkout.bin, "three"));
  const named = { args: ["three"], cwd: checkout.bin };
  for (const launched of [join(checkout.bin, "two"), join(checkout.bin, "bash")]) {
    const { args } = await launch(checkout, launched, launched.endsWith("bash") ? named : {});
    assertEquals(args.at(-1), join(checkout.root, "main.ts"));
  }
});

Deno.test("the launcher keeps from Deno what a client's environment tells it to do", async () => {
  await using checkout = await bootstrapped();
  await checkout.provide("deno", "env", join(checkout.root, ".tools"));
  const given = [
    "DENO_AUDIT_PERMISSIONS=a",
    "DENO_COVERAGE_DIR=a",
    "DENO_PERMISSION_BROKER_PATH=/a",
    "DENO_UNSTABLE_CONTROL_SOCK=unix:/a",
    "DENO_V8_FLAGS=--prof",
    "NODE_CHANNEL_FD=9",
    "OTEL_DENO=true",
    "NODE_OPTIONS=--inspect",
    "NODE_OPTIONS=--max-old-space-size=99 --inspect-brk=0.0.0.0:9",
    "NODE_OPTIONS=-r /a.cjs",
    'NODE_OPTIONS="--require" "/a b.cjs"',
    String.raw`NODE_OPTIONS="--re\quire" /a.cjs`,
  ];
  const kept = [
    "NODE_OPTIONS=--max-old-space-size=99",
    "NODE_OPTIONS=",
    "DENO_INSTALL=/a",
    "OTEL_SERVICE_NAME=a",
  ];
  for (const variable of [...given, ...kept]) {
    const [name, ...value] = variable.split("=") as [string, ...string[]];
    const { code, stdout } = await checkout.run("scripts/tmux-mcp", { env: { [name]: value.join("=") } });
    assertEquals(code, 0);
    assertEquals(stdout.split("\n").includes(variable), kept.includes(variable), variable);
  }
});

Deno.test("the launcher runs no shell code from the environment, and passes it on", async () => {
  await using checkout = await bootstrapped();
  const noise = join(checkout.bin, "noise");
  await Deno.writeTextFile(noise, "echo noise\n");
  const deno = join(checkout.root, ".tools/deno");
  await Deno.writeTextFile(deno, "#!/bin/sh\nenv\n");
  const env = {
    BASH_ENV: noise,
    "BASH_FUNC_cd%%": "() { echo noise; }",
    PATH: `${checkout.bin}:/usr/bin:/bin`,
  };
  const { code, stdout } = await checkout.run("scripts/tmux-mcp", { env });
  assertEquals([code, stdout.split("\n").includes("noise")], [0, false]);
  assert(stdout.includes(`BASH_ENV=${noise}\n`), stdout);
});

Deno.test("the launcher finds its checkout by a relative path, whatever CDPATH is", async () => {
  await using checkout = await bootstrapped();
  await Deno.mkdir(join(checkout.bin, "scripts"));
  for (const CDPATH of [".:/", checkout.bin]) {
    const bash = join(checkout.bin, "bash");
    const args = ["-c", "scripts/tmux-mcp"];
    const launched = await launch(checkout, bash, { args, cwd: checkout.root, env: { CDPATH } });
    assertEquals(launched.args.at(-1), join(checkout.root, "main.ts"));
  }
});

Deno.test("the launcher grants no permission wholesale but reading, of files and of the environment", async () => {
  await using checkout = await bootstrapped();
  await checkout.provide("ssh");
  const { args, flag } = await launch(checkout, "scripts/tmux-mcp");
  assertEquals(args.filter((arg) => /^(-A|--allow-[^=]*)$/.test(arg)), ["--allow-env", "--allow-read"]);
  const opener = Deno.build.os === "darwin" ? /\/open$/ : /\/xdg-open$/;
  const programs = flag("allow-run").filter((path) => !opener.test(path));
  assertEquals(new Set(programs), new Set([join(checkout.bin, "tmux"), join(checkout.bin, "ssh")]));
  assertEquals(flag("allow-write"), ["/", "/tmp", "/tmp"]);
  for (const path of flag("allow-ffi")) assert(path.startsWith("/"), path);
});

Deno.test("the launcher with no tmux anywhere starts the server, which is to say so", async () => {
  await using checkout = await bootstrapped();
  await Deno.remove(join(checkout.bin, "tmux"));
  const { args } = await launch(checkout, "scripts/tmux-mcp");
  assert(!args.some((arg) => arg === "--allow-run=" || arg === "--allow-run"), args.join(" "));
});

Deno.test("a package that its user can't write to has Deno's caches in the user's own folder", async () => {
  await using checkout = await bootstrapped();
  await Deno.writeTextFile(join(checkout.root, "package.json"), "{}");
  const deno = join(checkout.root, "node_modules/@deno/linux");
  await Deno.mkdir(deno, { recursive: true });
  await Deno.writeTextFile(join(deno, "deno"), '#!/usr/bin/env bash\necho "$DENO_DIR"\n', { mode: 0o755 });
  const words = await asOrdinaryUser(checkout);
  const run = async (env: Record<string, string>): Promise<string> => {
    const args = [...words, join(checkout.root, "scripts/tmux-mcp")];
    const { code, stdout, stderr } = await checkout.run("/usr/bin/env", {
      args,
      env: { PATH: `${checkout.bin}:/usr/bin:/bin`, ...env },
    });
    assertEquals([code, stderr], [0, ""]);
    return stdout.trim();
  };
  const own = join(checkout.root, ".tools/deno_dir");
  assertEquals(await run({ HOME: "/home/me" }), own);
  await Deno.chmod(checkout.root, 0o555);
  assertEquals(await run({ HOME: "/home/me" }), "/home/me/.cache/tmux-mcp/deno");
  assertEquals(await run({ HOME: "/home/me", XDG_CACHE_HOME: "/srv" }), "/srv/tmux-mcp/deno");
  assertEquals(await run({}), own);
  await Deno.chmod(checkout.root, 0o755);
});

Deno.test("the launcher says that it found no C library", async () => {
  await using checkout = await bootstrapped();
  const launcher = join(checkout.root, "scripts/tmux-mcp");
  const text = await Deno.readTextFile(launcher);
  await Deno.writeTextFile(launcher, text.replaceAll("/libc.so.6", "/musl.so").replace("darwin*", "mac"));
  const { code, stdout, stderr } = await checkout.run("scripts/tmux-mcp");
  assertEquals([code, stdout], [1, ""]);
  assert(/^tmux-mcp: no glibc [^\n]+\n$/.test(stderr), stderr);
});

Deno.test("the launcher looks for tmux beyond a folder with a comma, which cannot be granted", async () => {
  await using checkout = await bootstrapped();
  const folder = join(checkout.root, "a,b");
  await Deno.mkdir(folder);
  await checkout.provide("tmux", "", folder);
  const env = { PATH: `${folder}:${checkout.bin}` };
  const { flag } = await launch(checkout, "scripts/tmux-mcp", { env });
  const granted = flag("allow-run");
  assert(granted.includes(join(checkout.bin, "tmux")), granted.join(" "));
  assertEquals(granted.filter((path) => path === "b/tmux" || path.endsWith("/a")), []);
});

Deno.test("the launcher grants the paths that flags, environment and configuration name", async () => {
  await using checkout = await bootstrapped();
  const config = join(checkout.bin, "config.toml");
  await Deno.writeTextFile(
    config,
    `[security]\nallowed_output_paths = ["/srv/one",\n  '~/two']\n[audit]\npath = "/srv/three.log"\n[server]\n` +
      `tmux_bin = "${join(checkout.bin, "cat")}"\n`,
  );
  const { flag } = await launch(checkout, "scripts/tmux-mcp", {
    args: ["--config", config, "--audit-path=/srv/four.log", "--allowed-buffer-paths", "/srv/five,/srv/six"],
    env: { HOME: "/home/someone", TMUX_MCP_ALLOWED_OUTPUT_PATHS: "/srv/seven", TMPDIR: "/srv/tmp" },
  });
  assertEquals(flag("allow-write").sort(), [
    "/",
    "/home/someone/.local/state/tmux-mcp",
    "/home/someone/two",
    "/srv/five",
    "/srv/four.log",
    "/srv/one",
    "/srv/seven",
    "/srv/six",
    "/srv/three.log",
    "/srv/tmp",
    "/tmp",
  ]);
  assert(flag("allow-run").includes(join(checkout.bin, "cat")));
});

Deno.test("the launcher reads the user's own configuration file where none is named", async () => {
  await using checkout = await bootstrapped();
  const folder = join(checkout.bin, "tmux-mcp");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "config.toml"), `[audit]\npath = "/srv/audit.log"\n`);
  const { flag } = await launch(checkout, "scripts/tmux-mcp", { env: { XDG_CONFIG_HOME: checkout.bin } });
  assert(flag("allow-write").includes("/srv/audit.log"));
});

/** Folders that the launcher lets a server write to, apart from those it always does. */
async function writable(checkout: Checkout, given: Parameters<Checkout["run"]>[1]): Promise<string[]> {
  const { flag } = await launch(checkout, "scripts/tmux-mcp", { cwd: "/usr/share", ...given });
  return flag("allow-write").filter((path) => !["/usr/share", "/tmp"].includes(path));
}

Deno.test("the launcher grants a folder that links lead to by both of its paths", async () => {
  await using checkout = await bootstrapped();
  const link = join(checkout.root, "../link");
  await Deno.symlink("bin", link);
  const { cwd, flag } = await launch(checkout, "scripts/tmux-mcp", {
    args: ["--audit-path=a"],
    cwd: link,
    env: { PWD: link },
  });
  assertEquals(cwd, link);
  const real = await Deno.realPath(link);
  assertEquals(flag("allow-write"), [real, link, "/tmp", "/tmp", `${real}/a`]);
});

Deno.test("the launcher reads lists and paths as the server does", async () => {
  await using checkout = await bootstrapped();
  const grants: Record<string, string[]> = {
    '--allowed-output-paths=["/srv/a", "/srv/b"]': ["/srv/a", "/srv/b"],
    "--allowed-output-paths=/srv/a , /srv/b c": ["/srv/a", "/srv/b c"],
    "--allowed-buffer-paths=../lib,*": ["/usr/share/../lib", "/usr/share/*"],
    "--audit-path=../log/a": ["/usr/share/../log/a"],
    "--audit-path=/srv/a,/srv/b": [],
    "--durable-path=~": ["/home/me"],
  };
  const env = { HOME: "/home/me", XDG_STATE_HOME: "/srv/state" };
  for (const [arg, paths] of Object.entries(grants)) {
    const found = await writable(checkout, { args: [arg], env });
    assertEquals(found, [...paths, "/srv/state/tmux-mcp"], arg);
    const [name, value] = arg.slice(2).split("=") as [string, string];
    const variable = `TMUX_MCP_${name.toUpperCase().replaceAll("-", "_")}`;
    assertEquals(await writable(checkout, { env: { ...env, [variable]: value } }), found, variable);
  }
});

Deno.test("the launcher takes nothing from the configuration but the settings that are paths", async () => {
  await using checkout = await bootstrapped();
  const config = join(checkout.bin, "config.toml");
  await Deno.writeTextFile(
    config,
    `server.tmux_bin = "cat" # or "/srv/x"\n# tmux_bin = "head"\nsecurity.allowed_output_paths = [\n  "../one", # it's\n` +
      `]\n[audit]\n  path= 'three.log'\n[ssh]\nremote = "-i /srv/key me@host"\n[security.command_filter]\n` +
      `patterns = ["/srv/x", "~/x"]\n[durable]\nenabled = false\n`,
  );
  for (const env of [{ TMUX_MCP_CONFIG: config }, { TMUX_MCP_CONFIG: "~/config.toml", HOME: checkout.bin }]) {
    const { flag } = await launch(checkout, "scripts/tmux-mcp", { cwd: "/usr", env });
    const paths = flag("allow-write").filter((path) => path.startsWith("/usr/"));
    assertEquals(paths, ["/usr/../one", "/usr/three.log"]);
    assertEquals(flag("allow-write").filter((path) => path.startsWith("/srv")), []);
    const programs = flag("allow-run").map((path) => path.slice(path.lastIndexOf("/") + 1));
    assertEquals([programs.includes("cat"), programs.includes("head")], [true, false]);
  }
});

Deno.test("the launcher reads lists of paths with brackets, quotes and comments", async () => {
  await using checkout = await bootstrapped();
  const config = join(checkout.bin, "config.toml");
  const lists: [list: string, paths: string[]][] = [
    [`["/srv/a]b", '/srv/[c']`, ["/srv/a]b", "/srv/[c"]],
    [`["/srv/it's", "/srv/b"]`, ["/srv/it's", "/srv/b"]],
    [`[\n  "/srv/a", # it's the [first]\n  # "/srv/x"\n  '/srv/b"', # it's all\n]`, ["/srv/a", '/srv/b"']],
    [`["/srv/a#b", "/srv/c"] # "/srv/x"`, ["/srv/a#b", "/srv/c"]],
    [`[\n  "/srv/a", # it's all, path = "/srv/x"\n]`, ["/srv/a"]],
    [`["/srv/\\"", "/srv/c"] # {path = "/srv/x"`, ['/srv/"', "/srv/c"]],
    [`["""/srv/a"b""", '''/srv/c''', "", """"""]`, ['/srv/a"b', "/srv/c"]],
    [`["/srv/\\\\\\"\\t", '/srv/\\t']`, ['/srv/\\"\t', "/srv/\\t"]],
  ];
  const filter =
    `[security.command_filter]\npatterns = [\n  "/srv/x", # that's all\n  "^rm {path = '/srv/x'}",\n` +
    `  """\npath = "/srv/x"\n""", '''\npath = '/srv/x'\n''',\n]\n`;
  for (const [list, paths] of lists) {
    for (
      const text of [
        `[security]\nallowed_output_paths = ${list}\nallow_kill = true\n`,
        `security.allowed_output_paths = ${list}\n`,
        `"security".'allowed_output_paths' = ${list}\n`,
        `security . allowed_output_paths = ${list}\n`,
        `security = { allow_kill = true, allowed_output_paths = ${list}${list.includes("#") ? "\n" : ""} }\n`,
      ]
    ) {
      await Deno.writeTextFile(config, text + filter);
      assertEquals(await writable(checkout, { args: ["--config", config] }), paths, text);
    }
  }
});

Deno.test("the launcher starts the server, which says what is wrong, where a quote is never closed", async () => {
  await using checkout = await bootstrapped();
  const config = join(checkout.bin, "config.toml");
  for (const quote of [`"`, `'`, `"""`]) {
    const text =
      `[audit]\npath = "/srv/a"\ny = "\\u"\nx = ${quote}\n[durable]\npath = "123"\n[server]\ntmux_bin = "0"\n`;
    await Deno.writeTextFile(config, text);
    assertEquals(await writable(checkout, { args: ["--config", config] }), ["/srv/a"], text);
  }
});

Deno.test("the launcher grants what each option for a file or folder names, wherever it is set", async () => {
  await using checkout = await bootstrapped();
  const config = join(checkout.bin, "config.toml");
  const options = ROWS.map(([, row]) => row).filter(({ kind }) => /^(FILE|DIR)/.test(kind.placeholder));
  assert(options.length > 3);
  for (const row of options) {
    const value = row.kind.schema.type === "array" ? ["/srv/x"] : "/srv/x";
    await Deno.writeTextFile(config, `${row.key} = ${JSON.stringify(value)}\n`);
    const ways = [
      { args: ["--config", config] },
      { args: [flagOf(row), "/srv/x"] },
      { env: { [environmentNameOf(row)]: "/srv/x" } },
    ];
    for (const way of ways) assertEquals(await writable(checkout, way), ["/srv/x"], row.key);
  }
});

Deno.test("init --write may write wherever a client's file is, and tools without the security tables anywhere", async () => {
  await using checkout = await bootstrapped();
  const config = join(checkout.bin, "config.toml");
  const off = [
    "security.enabled = false\n",
    "[security]\nallow_kill = false\nenabled=false\n[audit]\n",
    "[ security ] # mine\nenabled = false\n",
    "security = { enabled = false }\n",
    'security = { command_filter = { mode = "off" }, enabled = false }\n[audit]\n',
    "[security] # mine\n  # [durable]\n\n  enabled = false\n",
    `durable.enabled = true\n'security' = { allowed_output_paths = [\n  "[}", # it's }\n], "enabled" = false }\n`,
  ];
  const on = [
    "security = { enabled = true }\ndurable = { enabled = false }\n",
    "[security]\n[durable]\nenabled = false\n",
    "[security]\nallow_kill = false\n  [durable]\n  enabled = false\n",
    "  [durable]\n  enabled = false\n",
    "durable.path = 'a'\n[durable]\nsecurity.enabled = false\n",
    "security = { enabled = true } # not { a, enabled = false }\n",
    'security = { command_filter = { patterns = ["{a, enabled = false"] } }\n',
    "security = { command_filter = { enabled = false } }\n",
    "security.command_filter = { mode = 'off', enabled = false }\n",
    '[security]\nx = """\nenabled = false"""\n',
  ];
  const everywhere = async (args: string[], env = {}): Promise<boolean> => {
    const { flag } = await launch(checkout, "scripts/tmux-mcp", { args, env, cwd: "/usr" });
    return flag("allow-write").includes("/");
  };
  for (
    const args of [
      ["init", "codex", "--write"],
      ["--channel", "init", "--write", "codex"],
      ["--channel", "init", "--safety", "readonly", "--remove=true", "codex"],
    ]
  ) {
    assertEquals(await everywhere(args), true, args.join(" "));
  }
  for (const args of [["init", "codex"], ["--instance", "init", "--scope=all"], ["--instance=init"]]) {
    assertEquals(await everywhere(args), false, args.join(" "));
  }
  for (const args of [["--security=false"], ["--no-security"]]) assertEquals(await everywhere(args), true);
  assertEquals(await everywhere([], { TMUX_MCP_SECURITY: "0" }), true);
  for (const text of off) {
    await Deno.writeTextFile(config, text);
    assertEquals(await everywhere(["--config", config]), true, text);
    assertEquals(await everywhere(["--config", config, "--security=true"]), false, text);
  }
  for (const text of on) {
    await Deno.writeTextFile(config, text);
    assertEquals(await everywhere(["--config", config]), false, text);
  }
});

Deno.test("the launcher bootstraps a checkout once another Deno is pinned", async () => {
  await using checkout = await bootstrapped();
  const environment = join(checkout.root, "scripts/environment.bash");
  const text = await Deno.readTextFile(environment);
  await Deno.writeTextFile(environment, text.replace(/^deno_version=.*$/m, "deno_version=99.0.0"));
  await checkout.provide("npm", "exit 1");
  const { stderr } = await checkout.run("scripts/tmux-mcp");
  assert(stderr.includes("could not fetch Deno 99.0.0"), stderr);
});

Deno.test("the launcher bootstraps a checkout that is not ready, with nothing on stdout", async () => {
  await using checkout = await bootstrapped();
  await Deno.remove(join(checkout.root, ".tools"), { recursive: true });
  await checkout.provide("deno", "echo deno 1.0.0");
  await checkout.provide("npm", "echo noise; exit 1");
  await checkout.provide("tmux", "echo tmux 3.3a");
  const { code, stdout, stderr } = await checkout.run("scripts/tmux-mcp");
  assertEquals([code, stdout], [1, ""]);
  assert(stderr.includes("could not fetch Deno"), stderr);
});
