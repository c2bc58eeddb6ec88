// Draws the pictures of the pages: docs/pictures/agent.png, an agent's calls beside the panes they act on, by our own
// screenshot tool; docs/pictures/live_view.png, a pane as open-live-view shows it, in Chromium.
import { dirname, fromFileUrl, join } from "@std/path";
import { AppHost } from "../tests/support/app_host.ts";
import { Chromium } from "../tests/support/chromium.ts";
import { type TestClient, World } from "../tests/support/world.ts";
import { writePrograms } from "./show/programs.ts";

const PICTURE = fromFileUrl(new URL("../docs/pictures/agent.png", import.meta.url));
const VIEW = fromFileUrl(new URL("../docs/pictures/live_view.png", import.meta.url));
const VIEW_WIDTH = 760;
const COLUMNS = 146;
const ROWS = 25;
const STYLE = { call: "\x1b[1;36m", answer: "\x1b[32m", note: "\x1b[33m", plain: "\x1b[0m" };

/** What a reader of the picture wants to see of an answer. */
const SHOWN = [
  "event",
  "detail",
  "elapsed",
  "status",
  "exitCode",
  "waitingForInput",
  "inputKind",
  "evidence",
];

/** Makes calls, and writes them down for the pane that shows them. */
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

  async call(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    await this.say("call", `→ ${tool} ${JSON.stringify(args)}`);
    const answer = await this.client.ok(tool, args);
    const facts = { ...answer, ...(tool === "pane-state" ? {} : { evidence: undefined }) };
    const shown = Object.fromEntries(
      SHOWN.flatMap((key) => facts[key] === undefined ? [] : [[key, facts[key]]]),
    );
    await this.say("answer", `← ${JSON.stringify(shown)}\n`);
    return answer;
  }
}

/** A shell that shows nothing of the machine it runs on. */
async function furnish(world: World): Promise<Record<"server" | "build" | "key" | "passphrase", string>> {
  const prompt = `PS1='\\[\\e[1;34m\\]~/app\\[\\e[0m\\] $ '`;
  const path = `PATH=${dirname(Deno.execPath())}:$PATH`;
  await Deno.writeTextFile(join(world.folder, ".bash_profile"), `${prompt}\n${path}\n`);
  const { webServer, failingBuild, passwordPrompt, passphrase } = await writePrograms(world.folder);
  const [server, build] = [webServer, failingBuild].map((command) =>
    command.replace(Deno.execPath(), "deno")
  );
  return { server: server!, build: build!, key: passwordPrompt, passphrase };
}

/** The agent's pane on the left, the server's above the build's on the right. */
async function arrange(agent: Agent, log: string): Promise<{ server: string; build: string }> {
  const { client } = agent;
  const { paneId } = await client.ok("create-session", {
    name: "app",
    width: COLUMNS,
    height: ROWS,
    command: `tail -n +1 -f ${log}`,
  });
  const server = (await client.ok("split-pane", { paneId, direction: "right", size: 46 })).paneId;
  const build = (await client.ok("split-pane", { paneId: server, direction: "below", size: 66 })).paneId;
  for (const pane of [server, build]) await client.ok("execute-command", { paneId: pane, command: "clear" });
  return { server, build };
}

async function work(
  agent: Agent,
  programs: Awaited<ReturnType<typeof furnish>>,
  panes: { server: string; build: string },
) {
  await agent.call("start-and-watch", {
    paneId: panes.server,
    command: programs.server,
    pattern: "Listening on",
  });
  const failed = await agent.call("start-and-watch", { paneId: panes.build, command: programs.build });
  await agent.call("get-command-result", { commandId: failed.commandId, waitSeconds: 20 });
  await agent.call("start-and-watch", {
    paneId: panes.build,
    command: programs.key,
    triggers: "user_input,exit",
  });
  await agent.call("pane-state", { paneId: panes.build });
  await agent.say("note", "It asks for a passphrase: please type it in the pane below on the right.");
}

/** A person's terminal is a pane of another tmux server, attached to the session. */
async function draw(world: World, shown: string): Promise<void> {
  const person = await World.create();
  try {
    const watcher = await person.serve({ args: [`--allowed-output-paths=${PICTURE}`] });
    const { paneId } = await watcher.ok("create-session", {
      name: "person",
      width: COLUMNS,
      height: ROWS + 1,
      command: `tmux -u -S ${world.socket} attach -t app`,
    });
    await person.tmux("set-option", "-g", "status", "off");
    await watcher.ok("wait-for-text", { paneId, pattern: shown, timeout: 20 });
    await watcher.ok("screenshot-pane", { paneId, output: "file", path: PICTURE });
  } finally {
    await person[Symbol.asyncDispose]();
  }
}

async function drawView(): Promise<void> {
  await using world = await World.create();
  await using browser = await Chromium.start();
  const client = await world.serve();
  await writePrograms(world.folder);
  const { paneId } = await client.ok("create-session", {
    name: "app",
    width: 84,
    height: 14,
    startDirectory: world.folder,
    command: "vim -u NONE -c 'syntax on' -c 'set nu cul ls=2 nocp bg=dark' -c 'norm 3G' server.ts",
  });
  const host = await AppHost.show(browser, client, {
    tool: "open-live-view",
    args: { paneId },
    width: VIEW_WIDTH,
    height: 600,
  });
  await host.untilShown("Listening on");
  await host.focus();
  const height = await host.evaluate("Math.ceil(document.body.getBoundingClientRect().height)") as number;
  await Deno.writeFile(VIEW, await host.page.picture(VIEW_WIDTH, height));
}

async function drawAgent(): Promise<void> {
  await using world = await World.create();
  const log = join(world.folder, "log");
  await Deno.writeTextFile(log, "");
  const agent = new Agent(await world.serve(), log);
  const programs = await furnish(world);
  const panes = await arrange(agent, log);
  await work(agent, programs, panes);
  await draw(world, "please type it");
}

if (import.meta.main) {
  const [name] = Deno.args;
  if (name !== "live_view") await drawAgent();
  if (name !== "agent") await drawView();
}
