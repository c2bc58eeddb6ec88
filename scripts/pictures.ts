// Draws the pictures in the pages: docs/pictures/agent.png and the animated agent.svg show an agent's calls
// next to the panes they act on; docs/pictures/live_view.png shows htop in open-live-view, in Chromium.
import { setTimeout as delay } from "node:timers/promises";
import { dirname, fromFileUrl, join } from "@std/path";
import { THEMES } from "../src/terminal/pictures/theme.ts";
import { AppHost } from "../tests/support/app_host.ts";
import { Chromium } from "../tests/support/chromium.ts";
import { type TestClient, World } from "../tests/support/world.ts";
import { drawFilm } from "./show/film.ts";
import { type Project, writeProject } from "./show/project.ts";

const PICTURES = fromFileUrl(new URL("../docs/pictures/", import.meta.url));
const PICTURE = join(PICTURES, "agent.png");
const FILM = join(PICTURES, "agent.svg");
const VIEW = join(PICTURES, "live_view.png");
const VIEW_WIDTH = 760;
const COLUMNS = 118;
const ROWS = 20;
const RIGHT = 52;
/** Pause after a caption and after an answer, for viewers of the animation (ms). */
const READING_MS = 1600;
const STYLE = { caption: "\x1b[1;33m", call: "\x1b[36m", answer: "\x1b[32m", plain: "\x1b[0m" };

/** Makes calls and logs them for the pane that shows them, with only the event and the exit code. */
class Agent {
  readonly client: TestClient;
  readonly #log: string;

  constructor(client: TestClient, log: string) {
    this.client = client;
    this.#log = log;
  }

  async say(style: keyof typeof STYLE, text: string): Promise<void> {
    await Deno.writeTextFile(this.#log, `${STYLE[style]}${text}${STYLE.plain}\n`, { append: true });
  }

  async caption(text: string): Promise<void> {
    await this.say("caption", text);
    await delay(READING_MS);
  }

  async call(tool: string, shown: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    await this.say("call", `  ${tool}  ${shown}`);
    const answer = await this.client.ok(tool, args);
    const facts = answer.exitCode === undefined ? answer.event : `exit code ${answer.exitCode}`;
    await this.say("answer", `  => ${facts}   (${answer.elapsed.toFixed(1)} s)\n`);
    await delay(READING_MS);
    return answer;
  }
}

/** Sets up a shell that reveals nothing about the machine. */
async function furnish(world: World): Promise<Project> {
  const prompt = `PS1='\\[\\e[1;34m\\]~/app\\[\\e[0m\\] $ '`;
  const path = `PATH=${dirname(Deno.execPath())}:$PATH`;
  await Deno.writeTextFile(join(world.folder, ".bash_profile"), `${prompt}\n${path}\n`);
  return await writeProject(world.folder);
}

/** Arranges the panes: the agent's on the left, the server's above the work pane on the right. */
async function arrange({ client }: Agent, log: string): Promise<{ server: string; work: string }> {
  const { paneId } = await client.ok("create-session", {
    name: "app",
    width: COLUMNS,
    height: ROWS,
    command: `tail -n +1 -f ${log}`,
  });
  const server = (await client.ok("split-pane", { paneId, direction: "right", size: RIGHT })).paneId;
  const work = (await client.ok("split-pane", { paneId: server, direction: "below", size: 62 })).paneId;
  for (const pane of [server, work]) await client.ok("execute-command", { paneId: pane, command: "clear" });
  return { server, work };
}

/** Plays the scene up to the question and after it; `asked` runs in between. */
async function play(
  agent: Agent,
  { passphrase }: Project,
  panes: { server: string; work: string },
  { world, asked }: { world: World; asked: () => Promise<void> },
): Promise<void> {
  await agent.caption("1. Start the dev server, return when it is ready");
  await agent.call("start-and-watch", "npm run dev", {
    paneId: panes.server,
    command: "npm run dev",
    pattern: "localhost:\\d+",
  });
  await agent.caption("2. Run the tests, return at the end");
  await agent.call("execute-command", "npm test", { paneId: panes.work, command: "npm test" });
  await agent.caption("3. It asks for a passphrase: you type it");
  const waits = await agent.call("start-and-watch", "ssh-keygen -y -f key", {
    paneId: panes.work,
    command: "ssh-keygen -y -f key",
    triggers: "user_input,exit",
  });
  await asked();
  await world.tmux("send-keys", "-t", panes.work, "-l", passphrase);
  await world.tmux("send-keys", "-t", panes.work, "Enter");
  await agent.call("get-command-result", "", { commandId: waits.commandId, waitSeconds: 20 });
}

/** A person's terminal: a pane of another tmux server, attached to the session. */
async function attachPerson(world: World, person: World): Promise<{ watcher: TestClient; paneId: string }> {
  const watcher = await person.serve({ args: [`--allowed-output-paths=${PICTURES},${person.folder}`] });
  const { paneId } = await watcher.ok("create-session", {
    name: "person",
    width: COLUMNS,
    height: ROWS + 1,
    command: `tmux -u -S ${world.socket} attach -t app`,
  });
  await person.tmux("set-option", "-g", "status", "off");
  return { watcher, paneId };
}

async function drawAgent(): Promise<void> {
  await using world = await World.create();
  await using person = await World.create();
  const log = join(world.folder, "log");
  const cast = join(person.folder, "agent.cast");
  await Deno.writeTextFile(log, "");
  const project = await furnish(world);
  const agent = new Agent(await world.serve(), log);
  const panes = await arrange(agent, log);
  const { watcher, paneId } = await attachPerson(world, person);
  await watcher.ok("wait-for-text", { paneId, pattern: "~/app", timeout: 20 });
  await watcher.ok("record-pane", { paneId, action: "start", outputPath: cast });
  const asked = async (): Promise<void> => {
    await watcher.ok("wait-for-text", { paneId, pattern: "user_input", timeout: 20 });
    await watcher.ok("screenshot-pane", { paneId, output: "file", path: PICTURE });
  };
  await play(agent, project, panes, { world, asked });
  await watcher.ok("wait-for-text", { paneId, pattern: "exit code 0", timeout: 20 });
  await watcher.ok("record-pane", { paneId, action: "stop" });
  await Deno.writeTextFile(FILM, await drawFilm(await Deno.readTextFile(cast), THEMES.dark));
}

async function drawView(): Promise<void> {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const client = await world.serve();
  await writeProject(world.folder);
  const { paneId } = await client.ok("create-session", {
    name: "app",
    width: 84,
    height: 16,
    startDirectory: world.folder,
    // A separate process namespace reveals nothing about the machine; tmux shows the first program's name.
    command: "exec -a htop unshare --pid --fork --mount-proc bash -c 'node dev.js >/dev/null & exec htop'",
  });
  const host = await AppHost.show(browser, client, {
    tool: "open-live-view",
    args: { paneId },
    width: VIEW_WIDTH,
    height: 600,
  });
  await host.untilShown("Load average");
  await host.focus();
  const height = await host.evaluate("Math.ceil(document.body.getBoundingClientRect().height)") as number;
  await Deno.writeFile(VIEW, await host.page.picture(VIEW_WIDTH, height));
}

if (import.meta.main) {
  const [name] = Deno.args;
  if (name !== "live_view") await drawAgent();
  if (name !== "agent") await drawView();
}
