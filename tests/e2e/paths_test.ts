// Files that calls read and write: regular ones, where no program takes them for orders, and nobody else's.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("files of calls");
const audited = inTurnOnOneServer("files of calls, with an audit log", async (world) => {
  const path = auditOf(world);
  await Deno.writeTextFile(path, "", { mode: 0o644 });
  return await world.serve({ args: ["--audit-path", path] });
});
const withoutTyping = inTurnOnOneServer(
  "files and variables, with commands and keys closed",
  (world) => world.serve({ args: ["--no-allow-execute-command", "--no-allow-send-keys"] }),
);

const auditOf = ({ folder }: World): string => `${folder}/audit.jsonl`;

const LAUNCHER = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));

async function makeFifo(path: string): Promise<string> {
  const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
  assert(success, "mkfifo");
  return path;
}

/** Runs the launcher to its end, with a deadline. */
async function run(world: World, ...args: string[]): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await new Deno.Command("timeout", {
    args: ["60", LAUNCHER, ...args],
    env: world.env,
    clearEnv: true,
    cwd: world.folder,
    stdin: "null",
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

/** A call of each tool that opens a file, with this path. */
function callsWith(path: string, paneId: string): [tool: string, args: Record<string, unknown>][] {
  return [
    ["save-buffer", { name: "b", path }],
    ["load-buffer", { name: "c", path }],
    ["pipe-pane", { paneId, outputPath: path }],
    ["record-pane", { paneId, outputPath: path, action: "start" }],
    ["screenshot-pane", { paneId, output: "file", path }],
  ];
}

test("a FIFO, a folder and a device are no files, and the server continues", async ({ world, client }, t) => {
  const { paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("set-buffer", { name: "b", content: "text" });
  const fifo = await makeFifo(`${world.folder}/fifo`);
  await Deno.symlink(fifo, `${world.folder}/link`);
  await Deno.mkdir(`${world.folder}/folder`);
  for (const path of [fifo, `${world.folder}/link`, `${world.folder}/folder`]) {
    const historyFile = { option: "history-file", value: path, scope: "server" };
    for (const [tool, args] of [...callsWith(path, paneId), ["set-option", historyFile] as const]) {
      await t.step(`${tool} ${path.slice(world.folder.length)}`, async () => {
        assertEquals((await client.fails(tool, args)).code, "invalid-argument");
      });
    }
  }
  await client.ok("save-buffer", { name: "b", path: `${world.folder}/plain` });
  assertEquals(await Deno.readTextFile(`${world.folder}/plain`), "text");
});

test("a path that no file can have is refused as that, and not by a setting", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("set-buffer", { name: "b", content: "text" });
  for (
    const [name, reason] of [["x".repeat(256), "a name in it is too long"], ["x\0", "it contains a NUL"]]
  ) {
    const path = `${world.folder}/${name}`;
    for (const [tool, args] of callsWith(path, paneId)) {
      const { code, text } = await client.fails(tool, args);
      assertEquals([tool, code, text.includes(reason!)], [tool, "invalid-argument", true]);
    }
  }
});

test("a link to nothing is no file: tmux would make one that everyone may read", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("set-buffer", { name: "b", content: "text" });
  const path = `${world.folder}/unborn-link`;
  await Deno.symlink("unborn", path);
  const calls: [string, Record<string, unknown>][] = [
    ["save-buffer", { name: "b", path }],
    ["pipe-pane", { paneId, outputPath: path }],
    ["record-pane", { paneId, outputPath: path, action: "start" }],
    ["screenshot-pane", { paneId, output: "file", path }],
    ["set-option", { option: "history-file", value: path, scope: "server" }],
  ];
  for (const [tool, args] of calls) {
    const { code, text } = await client.fails(tool, args);
    assertEquals([code, text.includes(`${world.folder}/unborn`)], ["invalid-argument", true], tool);
  }
  await assertRejects(() => Deno.stat(`${world.folder}/unborn`), Deno.errors.NotFound);
});

test(
  "`..` after a symbolic link leads out of no allowed folder, and empties no file beside the link",
  async ({ world, client }, t) => {
    const { paneId } = await client.ok("create-session", { command: "cat" });
    await client.ok("set-buffer", { name: "b", content: "new" });
    await using outside = await World.create();
    await Deno.mkdir(`${outside.folder}/inner`);
    await Deno.mkdir(`${world.folder}/deep/inner`, { recursive: true });
    await Deno.symlink(`${outside.folder}/inner`, `${world.folder}/out`);
    await Deno.symlink(`${world.folder}/deep/inner`, `${world.folder}/in`);
    await Deno.symlink("out/../unborn", `${world.folder}/dangling`);
    const beside = [world.folder, outside.folder, `${world.folder}/deep`].map((folder) => `${folder}/decoy`);
    for (const file of beside) await Deno.writeTextFile(file, "old");
    const calls = (path: string): [string, Record<string, unknown>][] => [
      ["save-buffer", { name: "b", path }],
      ["load-buffer", { name: "c", path }],
      ["apply-workspace", { file: path }],
      ["pipe-pane", { paneId, outputPath: path }],
      ["record-pane", { paneId, outputPath: path, action: "start" }],
      ["screenshot-pane", { paneId, output: "file", path }],
      ["set-option", { option: "history-file", value: path, scope: "server" }],
    ];
    for (const [path, code] of [["out/../decoy", "denied"], ["in/../decoy", "invalid-argument"]]) {
      for (const [tool, args] of calls(`${world.folder}/${path}`)) {
        await t.step(`${tool} ${path}`, async () => {
          assertEquals((await client.fails(tool, args)).code, code);
        });
      }
    }
    assertEquals(
      (await client.fails("save-buffer", { name: "b", path: `${world.folder}/dangling` })).code,
      "denied",
    );
    for (const file of beside) assertEquals(await Deno.readTextFile(file), "old", file);
    const plain = `${world.folder}/deep/../plain`;
    await client.ok("save-buffer", { name: "b", path: plain });
    assertEquals((await client.ok("load-buffer", { name: "c", path: plain })).size, 3);
  },
);

Deno.test("a FIFO for a log or a configuration stops the start instead of hanging it", async () => {
  await using world = await World.create();
  const fifo = await makeFifo(`${world.folder}/fifo`);
  const claude = `${world.folder}/.claude.json`;
  await makeFifo(claude);
  for (const args of [["--audit-path", fifo], ["--config", fifo], ["init", "claude-code", "--write"]]) {
    const { code, stderr } = await run(world, ...args);
    assert(code !== 0 && code !== 124, `${args}: ${code}`);
    assertMatch(stderr, /it is not a regular file/, String(args));
  }
});

audited(
  "the audit log is its owner's alone, and goes on where a rotated one was",
  async ({ world, client }) => {
    const path = auditOf(world);
    await client.call("list-sessions");
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
    await Deno.rename(path, `${path}.1`);
    await client.call("list-panes");
    assertEquals(JSON.parse(await Deno.readTextFile(`${path}.1`)).tool, "list-sessions");
    assertEquals(JSON.parse(await Deno.readTextFile(path)).tool, "list-panes");
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  },
);

audited("history-file is a path that calls may write, or refused", async ({ world, client }) => {
  await client.ok("create-session", { command: "cat" });
  const set = { option: "history-file", scope: "server" };
  for (const value of ["/etc/decoy", `${world.folder}/../decoy`, auditOf(world)]) {
    assertEquals((await client.fails("set-option", { ...set, value })).code, "denied", value);
  }
  assertEquals(
    (await client.fails("set-option", { ...set, option: "history-f", value: "/etc/decoy" })).code,
    "denied",
  );
  for (const value of ["~/decoy", "decoy"]) {
    assertEquals((await client.fails("set-option", { ...set, value })).code, "invalid-argument", value);
  }
  const inside = `${world.folder}/history`;
  assertEquals((await client.ok("set-option", { ...set, value: inside })).value, inside);
  await client.ok("set-option", { ...set, value: null });
});

withoutTyping(
  "a server started in the home folder writes no file there that programs take for orders",
  async ({ world, client }) => {
    const { paneId } = await client.ok("create-session", {});
    await client.ok("set-buffer", { name: "b", content: "touch canary\n" });
    await Deno.mkdir(`${world.folder}/bin`);
    await Deno.mkdir(`${world.folder}/.config/fish`, { recursive: true });
    for (
      const file of [".bashrc", ".profile", ".config/fish/config.fish", "bin/ls", ".tmux.conf", "./.zshenv"]
    ) {
      const path = `${world.folder}/${file}`;
      assertEquals((await client.fails("save-buffer", { name: "b", path })).code, "denied", file);
      assertEquals(
        (await client.fails("record-pane", { paneId, outputPath: path, action: "start" })).code,
        "denied",
      );
    }
    await client.ok("save-buffer", { name: "b", path: `${world.folder}/notes.txt` });
    await client.ok("split-pane", { paneId });
    // A folder that is listed is meant.
    const told = await world.serve({ args: ["--allowed-buffer-paths", world.folder] });
    await told.ok("save-buffer", { name: "b", path: `${world.folder}/.notes` });
    // In a folder that programs take for orders, or that holds the home folder, no file is written unless it is listed.
    for (const cwd of [`${world.folder}/.config`, "/"]) {
      const there = await world.serve({ cwd });
      const path = `${cwd === "/" ? world.folder : cwd}/decoy`;
      assertEquals((await there.fails("save-buffer", { name: "b", path })).code, "denied", cwd);
    }
  },
);

Deno.test("a server that does not know the home folder writes no file in the one it was started in", async () => {
  await using world = await World.create();
  // The test of server_policy.ts names other homes that do not exist.
  const client = await world.serve({ env: { HOME: "relative" }, cwd: world.folder });
  await client.ok("create-session", {});
  await client.ok("set-buffer", { name: "b", content: "touch canary\n" });
  const { code } = await client.fails("save-buffer", { name: "b", path: `${world.folder}/.bashrc` });
  assertEquals(code, "denied");
});

withoutTyping("no variable is set either, whatever its name", async ({ client }) => {
  await client.ok("create-session", { name: "s" });
  for (
    const name of ["PROMPT_COMMAND", "LD_PRELOAD", "PATH", "ENV", "PS1", "BASH_ENV", "ZDOTDIR", "MY_OWN"]
  ) {
    for (const where of [{}, { sessionId: "s" }]) {
      const { code, text } = await client.fails("set-environment", { name, value: "touch canary", ...where });
      assertEquals(code, "denied", name);
      assertMatch(text, /security\.allow_execute_command = false/);
    }
  }
  await client.ok("set-environment", { name: "MY_OWN", value: null });
});

Deno.test("a folder that others made or can enter is not taken for this server's own", async () => {
  await using world = await World.create();
  const temporary = `${world.folder}/tmp`;
  const own = `${temporary}/tmux-mcp`;
  await Deno.mkdir(`${world.folder}/elsewhere`, { mode: 0o700 });
  await Deno.mkdir(`${world.folder}/work`);
  await Deno.mkdir(temporary);
  const client = await world.serve({ env: { TMPDIR: temporary }, cwd: `${world.folder}/work` });
  const { paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("set-buffer", { name: "b", content: "text" });
  const refused = async (): Promise<void> => {
    assertEquals((await client.fails("screenshot-pane", { paneId, output: "file" })).code, "denied");
    assertEquals((await client.fails("save-buffer", { name: "b", path: `${own}/x` })).code, "denied");
  };
  await Deno.symlink(`${world.folder}/elsewhere`, own);
  await refused();
  await Deno.remove(own);
  await Deno.mkdir(own);
  await Deno.chmod(own, 0o777);
  await refused();
  await Deno.remove(own);
  await client.ok("screenshot-pane", { paneId, output: "file" });
  assertEquals((await Deno.lstat(own)).mode! & 0o777, 0o700);
  await client.ok("save-buffer", { name: "b", path: `${own}/x` });
  await assertRejects(() => Deno.stat(`${world.folder}/elsewhere/x`));
});

Deno.test("~ in settings is the home folder: of the program, the audit log and the allowed folders", async () => {
  await using world = await World.create();
  const home = `${world.folder}/home`;
  for (const folder of ["bin", "in"]) await Deno.mkdir(`${home}/${folder}`, { recursive: true });
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "command -v tmux"] }).output();
  await Deno.symlink(new TextDecoder().decode(stdout).trim(), `${home}/bin/tmux`);
  const config = `${world.folder}/config.toml`;
  await Deno.writeTextFile(
    config,
    '[server]\ntmux_bin = "~/bin/tmux"\n[audit]\npath = "~/audit.log"\n[security]\nallowed_buffer_paths = ["~/in"]\n',
  );
  const client = await world.serve({
    command: LAUNCHER,
    args: ["--config", config, "--socket", world.socket, "--scope", "all", "--tmux-protocol=false"],
    env: { HOME: home },
  });
  await client.ok("create-session", { command: "cat" });
  await client.ok("set-buffer", { name: "b", content: "text" });
  await client.ok("save-buffer", { name: "b", path: `${home}/in/b` });
  assertEquals(await Deno.readTextFile(`${home}/in/b`), "text");
  const { code } = await client.fails("save-buffer", { name: "b", path: `${home}/b` });
  assertEquals(code, "denied");
  assertMatch(await Deno.readTextFile(`${home}/audit.log`), /save-buffer/);
});
