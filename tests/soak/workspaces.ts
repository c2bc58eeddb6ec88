// Every example of tmuxp's source package, loaded by tmuxp and by apply-workspace: both make the same session.
import { assert, assertEquals } from "@std/assert";
import { World } from "../support/world.ts";

/** Seconds until shells have run what was typed. */
const SETTLED = 20;
/** Programs whose screens differ from moment to moment. */
const LIVELY = /^(top|htop|tail|man|less|vim|ssh)/;
/** Our own, and the window option that an example gives for its session: tmuxp sets it on a window that it closes. */
const DIFFERENT_OPTIONS = /^(@tmux_mcp_|main-pane-height "\\\$)/;

async function run(
  command: string[],
  { env, cwd }: { env: Record<string, string>; cwd: string },
): Promise<{ success: boolean; text: string }> {
  const { success, stdout, stderr } = await new Deno.Command(command[0]!, {
    ...{ args: command.slice(1), env, cwd, clearEnv: true, stdin: "null" },
  }).output();
  const decoder = new TextDecoder();
  return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Installs tmuxp, and unpacks its examples. */
async function install(folder: string): Promise<{ bin: string; examples: string }> {
  const env = Deno.env.toObject();
  const must = async (...command: string[]): Promise<void> => {
    const { success, text } = await run(command, { env, cwd: folder });
    assert(success, text);
  };
  await must("python3", "-m", "venv", "venv");
  await must("venv/bin/pip", "install", "-q", "tmuxp");
  await must("venv/bin/pip", "download", "-q", "--no-deps", "--no-binary", "tmuxp", "tmuxp", "-d", "source");
  await must("sh", "-c", "tar xzf source/*.tar.gz && mv tmuxp-*/examples .");
  return { bin: `${folder}/venv/bin/tmuxp`, examples: `${folder}/examples` };
}

class Pair {
  readonly world: World;
  readonly env: Record<string, string>;
  readonly work: string;
  readonly other: string;

  constructor(world: World) {
    this.world = world;
    this.work = `${world.folder}/work`;
    this.other = `${world.folder}/tmuxp.sock`;
    this.env = {
      ...world.env,
      ...{ COLUMNS: "200", LINES: "50", USER: "me", PWD: this.work, MY_ENV_VAR: world.folder },
    };
  }

  async tmux(socket: string, ...args: string[]): Promise<string> {
    const command = ["tmux", "-u", "-f", "/dev/null", "-S", socket, ...args];
    const { success, text } = await run(command, { env: this.env, cwd: this.work });
    return success ? text : "";
  }

  /** The part of a server that can be compared. */
  async picture(socket: string): Promise<unknown> {
    const windowFormat = "#{session_name}|#{window_index}|#{window_name}|#{window_active}|#{window_layout}";
    const windows = (await this.tmux(socket, "list-windows", "-a", "-F", windowFormat)).trim().split("\n");
    const paneFormat =
      "#{pane_id} #{window_index}.#{pane_index} #{pane_active} #{pane_dead} #{pane_current_command} #{pane_current_path}";
    const rows = (await this.tmux(socket, "list-panes", "-a", "-F", paneFormat)).trim().split("\n");
    const panes = await Promise.all(rows.map(async (row) => {
      const [id = "", ...facts] = row.split(" ");
      const screen = await this.tmux(socket, "capture-pane", "-p", "-J", "-S", "-", "-t", id);
      return [...facts, LIVELY.test(facts[3] ?? "") ? [] : linesOf(screen)];
    }));
    const options = await Promise.all(windows.map(async (row) => {
      const shown = await this.tmux(socket, "show-options", "-w", "-t", `:${row.split("|")[1]}`);
      return shown.split("\n").filter((line) => !DIFFERENT_OPTIONS.test(line));
    }));
    return {
      windows: windows.map((row) =>
        row.replace(/\|[0-9a-f]{4},/, "|").replaceAll(/(\d+x\d+,\d+,\d+),\d+/g, "$1")
      ),
      panes,
      options,
      environment: (await this.tmux(socket, "show-environment")).split("\n").sort(),
    };
  }

  async killServers(): Promise<void> {
    for (const socket of [this.world.socket, this.other]) await this.tmux(socket, "kill-server");
  }
}

/** The screen without its prompts: text typed before a prompt is there is shown twice, or before it. */
function linesOf(screen: string): string[] {
  const pieces = screen.replaceAll(/(?<=Pane is dead).*/g, "").split(/\n|>>>|[$#>] +/);
  return [...new Set(pieces.map((piece) => piece.trim()))].filter((piece) => piece !== "").sort();
}

Deno.test("tmuxp's examples", async (t) => {
  await using world = await World.create();
  const { bin, examples } = await install(world.folder);
  const pair = new Pair(world);
  await Deno.mkdir(`${pair.work}/test`, { recursive: true });
  await Deno.writeTextFile(`${world.folder}/.bash_profile`, `PS1='$ '\nPATH='${world.env["PATH"]}'\n`);
  await Deno.writeTextFile(`${world.folder}/test3.sh`, "#!/bin/sh\ntrue\n", { mode: 0o755 });
  const client = await world.serve({
    args: ["--allowed-buffer-paths", world.folder],
    env: pair.env,
    cwd: pair.work,
  });
  const only = Deno.env.get("ONLY");
  const names = (await Array.fromAsync(Deno.readDir(examples))).map(({ name }) => name).sort();
  for (const name of names.filter((name) => only === undefined || name.includes(only))) {
    await t.step(name, async () => {
      const file = `${examples}/${name}`;
      try {
        const load = [bin, "load", "-d", "-y", "-S", pair.other, "-f", "/dev/null", file];
        const [{ success, text }, answer] = await Promise.all([
          run(load, { env: pair.env, cwd: pair.work }),
          client.call("apply-workspace", { file }),
        ]);
        const made = success && (await pair.tmux(pair.other, "list-sessions")) !== "";
        assertEquals(answer.isError !== true, made, `${text}\n${JSON.stringify(answer.content)}`);
        if (!made) return;
        const until = performance.now() + SETTLED * 1000;
        for (;;) {
          const [theirs, ours] = await Promise.all([
            pair.picture(pair.other),
            pair.picture(world.socket),
          ]);
          if (JSON.stringify(ours) === JSON.stringify(theirs)) break;
          if (performance.now() > until) assertEquals(ours, theirs);
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      } finally {
        await pair.killServers();
      }
    });
  }
});
