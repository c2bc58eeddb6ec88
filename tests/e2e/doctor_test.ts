// `tmux-mcp doctor` on this machine, and on one that lacks what the server needs.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { launch, LAUNCHER } from "../support/launched.ts";
import { findUnshare } from "../support/pid_namespace.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
const UNSHARE = await findUnshare();

/** The verdict of each finding by its name. */
function verdicts(stdout: string): Record<string, string> {
  const lines = stdout.split("\n").filter((line) => /^(works|partly|fails) /.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(8, 22).trim(), line.slice(0, 8).trim()]));
}

async function writeIn(world: World, path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(join(world.folder, path)), { recursive: true });
  await Deno.writeTextFile(join(world.folder, path), text);
}

Deno.test("doctor proves the server on a tmux of its own, and leaves nothing behind", async () => {
  await using world = await World.create();
  const temporary = join(world.folder, "tmp");
  await Deno.mkdir(temporary);
  const env = { ...world.env, TMPDIR: temporary };
  const { code, stdout, stderr } = await launch(["doctor", "--socket", world.socket], { env });
  assertEquals([code, stderr], [0, ""]);
  const found = verdicts(stdout);
  for (const name of ["tmux", "permissions", "C library", "server", "watching", "protocol", "terminal"]) {
    assertEquals([name, found[name]], [name, "works"], stdout);
  }
  assertMatch(stdout, /wait for input was detected in [\d.]+ s: /);
  assertMatch(stdout, /The server can work here\n$/);
  assertEquals(await Array.fromAsync(Deno.readDir(temporary)), []);
  assertMatch(await world.tmux("list-sessions").catch(String), /no server|No such file/);
});

Deno.test("doctor tells of the server it would use, and of a locale that is not UTF-8", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "cat");
  const env = { ...world.env, LANG: "C", SHELL: "/usr/bin/nu" };
  const { code, stdout } = await launch(["doctor", "--socket", world.socket], { env });
  assertEquals(code, 0);
  assertMatch(stdout, new RegExp(`works +server +\\S+ on ${world.socket}, sessions: 1\n`));
  assertMatch(stdout, new RegExp(`works +socket +${world.socket}: chosen by configuration`));
  assertMatch(stdout, /partly +terminal .*the locale C:.*\n +fix: Set LANG/);
  assertMatch(stdout, /works +protocol +2024-11-05 to 2025-11-25 and 2026-07-28\n/);
  assertMatch(stdout, /partly +shells +execute-command runs in bash, .*yash/);
  assertMatch(stdout, /partly +shells .*yours is \/usr\/bin\/nu\n +fix: /);
});

Deno.test("doctor warns of a configuration file that every user can change", async () => {
  await using world = await World.create();
  const folder = join(world.folder, "settings");
  const path = join(folder, "c.toml");
  await writeIn(world, "settings/c.toml", "");
  const check = async (mode: { file: number; folder: number }): Promise<string> => {
    await Deno.chmod(path, mode.file);
    await Deno.chmod(folder, mode.folder);
    const env = { ...world.env, LANG: "" };
    const { code, stdout } = await launch(["doctor", "--config", path, "--socket", world.socket], { env });
    assertEquals(code, 0);
    assertMatch(stdout, /partly +terminal .*the locale is not set: .*print only ASCII\n/);
    return stdout;
  };
  assertStringIncludes(await check({ file: 0o644, folder: 0o1777 }), `works   config file    ${path}\n`);
  for (
    const [mode, open] of [[{ file: 0o666, folder: 0o755 }, path], [
      { file: 0o600, folder: 0o777 },
      folder,
    ]] as const
  ) {
    const stdout = await check(mode);
    assertStringIncludes(
      stdout,
      `partly  config file    every user can change ${open}, and so what this server runs`,
    );
    assertStringIncludes(stdout, `fix: chmod o-w ${open}\n`);
  }
});

Deno.test("doctor tries a watch with a TMPDIR that is gone, or too long for a socket, and says that --channel keeps to sessions", async () => {
  await using world = await World.create();
  const long = join(world.folder, "x".repeat(90));
  await Deno.mkdir(long);
  for (const TMPDIR of [join(world.folder, "gone"), long]) {
    const { code, stdout } = await launch(["doctor", "--socket", world.socket, "--channel"], {
      env: { ...world.env, TMPDIR },
    });
    assertEquals([code, verdicts(stdout)["watching"]], [0, "works"], stdout);
    assertMatch(stdout, /works +protocol .*--channel leaves out 2026-07-28/);
  }
});

Deno.test("doctor says which settings Codex keeps from its server", async () => {
  await using world = await World.create();
  await launch(["init", "codex", "--write"], world);
  const env = { ...world.env, TMUX_MCP_MASK: "env:MY_TOKEN" };
  const check = async (): Promise<string> =>
    (await launch(["doctor", "--socket", world.socket], { env })).stdout;
  assertMatch(
    await check(),
    /partly +codex +"tmux" in .* does not pass on TMUX_MCP_MASK, MY_TOKEN, set here\n +fix: /,
  );
  await launch(["init", "codex", "--remove"], world);
  await launch(["init", "codex", "--write"], { env });
  assertMatch(await check(), /works +codex +"tmux"/);
});

Deno.test("doctor says which clients start this server, and what is wrong with the others", async () => {
  await using world = await World.create();
  const local = { projects: { "/": { mcpServers: { terminal: { command: LAUNCHER } } } } };
  await writeIn(world, ".claude.json", JSON.stringify(local));
  await writeIn(
    world,
    ".cursor/mcp.json",
    JSON.stringify({ mcpServers: { tmux: { command: "npx", args: ["-y", "other"] } } }),
  );
  await writeIn(world, ".gemini/settings.json", "{}");
  const workspace = { servers: { tmux: { command: "${workspaceFolder}/scripts/tmux-mcp" } } };
  await writeIn(world, ".config/Code/User/mcp.json", JSON.stringify(workspace));
  const packed = { command: "npx", args: ["-y", "@tmux-mcp/server@1.0.0"] };
  await writeIn(world, ".copilot/mcp-config.json", JSON.stringify({ mcpServers: { tmux: packed } }));
  await writeIn(world, ".codex/config.toml", `[mcp_servers.x]\ncommand = "/gone/scripts/tmux-mcp"\n`);
  const contained = { command: "docker", args: ["run", "--rm", "--interactive", "tmux-mcp"] };
  await writeIn(world, ".kiro/settings/mcp.json", JSON.stringify({ mcpServers: { tmux: contained } }));
  const off = { mcpServers: { tmux: { command: LAUNCHER, disabled: true } } };
  await writeIn(world, ".cline/data/settings/cline_mcp_settings.json", JSON.stringify(off));
  await writeIn(
    world,
    ".config/goose/config.yaml",
    `extensions:\n  tmux: {cmd: ${LAUNCHER}, enabled: false}\n`,
  );
  await writeIn(world, ".config/opencode/opencode.jsonc", `{ "mcp": // mine\n`);
  const { code, stdout } = await launch(["doctor"], { env: { ...world.env, TMUX: "" } });
  assertEquals(code, 0);
  for (
    const line of [
      /works +socket +\S+: the default, because the variable TMUX is empty\n/,
      /works +claude-code +"terminal" in .*\.claude\.json\n/,
      new RegExp(
        `partly +cursor +"tmux" in .* starts another program: npx\n +fix: ${LAUNCHER} init cursor --write --force `,
      ),
      /works +copilot +"tmux" in .* runs npx -y @tmux-mcp\/server@1\.0\.0\n/,
      /works +kiro +"tmux" in .* runs docker run --rm --interactive tmux-mcp\n/,
      new RegExp(
        `partly +gemini +\\S+ has no entry for this server\n +fix: ${LAUNCHER} init gemini --write, ` +
          "unless an installed extension starts it\n",
      ),
      /partly +codex +"x" in .* starts \/gone\/scripts\/tmux-mcp, which does not exist\n +fix: /,
      /partly +cline +"tmux" in .* is turned off\n +fix: Turn it on in cline\n/,
      /partly +goose +"tmux" in .* is turned off\n/,
      /partly +opencode +Cannot use ".*opencode\.jsonc": it is not JSON/,
      /works +vscode +"tmux" in .* runs \$\{workspaceFolder\}\/scripts\/tmux-mcp\n/,
      /works +clients +no configuration of claude-desktop, windsurf, zed, amp, [a-z, ]+\n/,
    ]
  ) assertMatch(stdout, line);
});

Deno.test("doctor exits with 1 where tmux is missing, broken or too old, and says what to do", async () => {
  await using world = await World.create();
  const broken = "echo 'tmux: error while loading shared libraries: libevent' >&2; exit 127";
  const programs = [["old", "echo tmux 3.1c"], ["broken", broken], ["silent", "exit 3"], [
    "other",
    "echo hello",
  ]];
  for (const [name, body] of programs) {
    await Deno.writeTextFile(join(world.folder, name!), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }
  for (
    const [name, says] of [
      ["nowhere", /no such program/],
      ["old", /tmux 3\.1c is too old/],
      ["broken", /broken -V reports no version: tmux: error while loading shared libraries: libevent/],
      ["silent", /silent -V reports no version: exit code 3/],
      ["other", /other -V reports no version: hello/],
    ] as const
  ) {
    const bin = join(world.folder, name);
    const { code, stdout, stderr } = await launch(["doctor", "--tmux-bin", bin], world);
    assertEquals([code, stderr], [1, ""]);
    assertEquals(verdicts(stdout)["tmux"], "fails");
    assertMatch(stdout, says);
    assertMatch(stdout, name === "nowhere" ? /fix: Correct its path/ : /fix: Install/);
    assert(!stdout.includes("watching"), stdout);
  }
});

Deno.test("doctor exits with 1 for settings that stop the start, and leaves no file", async (t) => {
  await using world = await World.create();
  const at = (path: string): string => join(world.folder, path);
  const log = at("log");
  const cases: [args: string[], code: number, found: [what: string, verdict: string, says: RegExp][]][] = [
    [["--audit-path", log, "--mask", "env:NOT_SET_HERE"], 0, [
      ["audit log", "works", /audit log +\S+\/log\n/],
      ["masks", "partly", /not set here: NOT_SET_HERE/],
    ]],
    [["--audit-path", at("none/log")], 1, [
      ["audit log", "fails", /cannot write .*none\/log: .*\n +fix: Set audit\.path/],
    ]],
    [["--mask", "regex:("], 1, [
      [
        "masks",
        "fails",
        /mask number 1: .*\n +fix: Give env:NAME, literal:TEXT or regex:RE2 in security\.mask/,
      ],
    ]],
    [["--socket", at("none/socket")], 1, [
      ["server", "fails", /folder does not exist\n +fix: Create the folder/],
    ]],
  ];
  for (const [args, exitCode, found] of cases) {
    await t.step(args.join(" "), async () => {
      const { code, stdout } = await launch(["doctor", "--socket", world.socket, ...args], world);
      assertEquals(code, exitCode);
      for (const [what, verdict, says] of found) {
        assertEquals(verdicts(stdout)[what], verdict, stdout);
        assertMatch(stdout, says);
      }
    });
  }
  assertEquals(
    await Array.fromAsync(Deno.readDir(world.folder)).then((all) => all.some(({ name }) => name === "log")),
    false,
  );
});

/** Runs doctor as Deno itself would, with these permissions. */
async function doctorWith(
  world: World,
  permissions: readonly string[],
  { cwd = "/", code = 1 } = {},
): Promise<string> {
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--cached-only", ...permissions, MAIN, "doctor"],
    env: { ...world.env, DENO_DIR: Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME")!, ".cache/deno") },
    clearEnv: true,
    cwd,
  }).output();
  assertEquals([output.code, new TextDecoder().decode(output.stderr)], [code, ""]);
  return new TextDecoder().decode(output.stdout);
}

Deno.test("doctor without the right to load the C library says which permission is missing", async () => {
  await using world = await World.create();
  const stdout = await doctorWith(world, ["--allow-read", "--allow-env", "--allow-run=tmux"]);
  assertMatch(stdout, /fails +permissions +--allow-ffi=\S+ is missing, --allow-write=/);
  assertMatch(stdout, /fails +C library +Cannot load the C library/);
  assertMatch(stdout, /is missing.*\n +fix: Start through scripts\/tmux-mcp, which grants them/);
  const cwd = join(world.folder, "a,b");
  await Deno.mkdir(cwd);
  const there = await doctorWith(world, ["--allow-read", "--allow-env", "--allow-run=tmux"], { cwd });
  assertMatch(there, /is missing.*\n +fix: Use folders without a comma/);
});

Deno.test("doctor without the right to run tmux says so, and not that there is none", async () => {
  await using world = await World.create();
  const stdout = await doctorWith(world, ["--allow-read", "--allow-env", "--allow-ffi"]);
  assertMatch(stdout, /fails +tmux +Cannot start "tmux": this process has no permission to run it\n +fix: /);
});

Deno.test("without --socket and TMUX the tmux server that doctor runs in is the one it would use", async () => {
  await using world = await World.create();
  const found = join(world.folder, "found");
  const without = "env -u TMUX -u TMUX_PANE -u TMUX_TMPDIR";
  const command = `${without} ${LAUNCHER} doctor >${found} 2>&1; tmux wait-for -S done; cat`;
  await world.tmux("new-session", "-d", command);
  await world.tmux("wait-for", "done");
  const stdout = await Deno.readTextFile(found);
  const above = `works +socket +${world.socket}: that of the tmux server above this process \\(pid \\d+\\)\n`;
  assertMatch(stdout, new RegExp(above));
  assertMatch(stdout, new RegExp(`works +server .*on ${world.socket}, .*you are in its pane %0\n`));
});

Deno.test("a tmux server that is the first process of its container is found above", async () => {
  await using world = await World.create();
  if (Deno.uid() !== 0) return;
  const { folder, socket, env } = world;
  const [file, found] = [join(folder, "tmux.conf"), join(folder, "found")];
  const program = `env -u TMUX -u TMUX_PANE ${LAUNCHER} doctor >${found}; tmux wait-for -S done; exec cat`;
  await Deno.writeTextFile(file, `new-session -d '${program}'\n`);
  const args = ["--pid", "--fork", "--mount-proc", "--kill-child", "tmux", "-D", "-S", socket, "-f", file];
  const server = new Deno.Command("unshare", { args, env, clearEnv: true, stdin: "null" }).spawn();
  // unshare ignores SIGTERM.
  await using _ended = {
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await server.status;
    },
  };
  await until(() => world.tmux("wait-for", "done").then(() => true, () => false));
  assertStringIncludes(
    await Deno.readTextFile(found),
    `${socket}: that of the tmux server above this process (pid 1)`,
  );
});

Deno.test({
  name: "doctor says that the programs of a tmux outside of its container can't be seen",
  ignore: UNSHARE === undefined,
  async fn() {
    await using world = await World.create();
    await world.tmux("new-session", "-d", "cat");
    const args = [...UNSHARE!, LAUNCHER, "doctor", "--socket", world.socket];
    const { stdout } = await new Deno.Command("unshare", { args, env: world.env, clearEnv: true }).output();
    assertMatch(
      new TextDecoder().decode(stdout),
      /partly +server +\S+ on .*: tmux runs in another pid namespace\n +fix: Run this server where tmux runs\n/,
    );
  },
});

for (const HOME of ["", "relative"]) {
  Deno.test(`doctor says once that clients are not found where HOME is "${HOME}"`, async () => {
    await using world = await World.create();
    const { stdout } = await launch(["doctor", "--socket", world.socket], { env: { ...world.env, HOME } });
    assertEquals(stdout.match(/HOME is not set.*\n +fix: Set HOME to the absolute path/g)?.length, 1, stdout);
  });
}

Deno.test("doctor finds that a server works without the right to write, and tries no watch", async () => {
  await using world = await World.create();
  const permissions = ["--allow-read", "--allow-env", "--allow-ffi", "--allow-run"];
  const stdout = await doctorWith(world, permissions, { code: 0 });
  assertMatch(stdout, /partly +watching +not tried: no folder for a private tmux in \S+: .* no permission/);
  assertMatch(stdout, /\nThe server can work here\n$/);
});
