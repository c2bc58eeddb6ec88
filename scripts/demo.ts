// Shows the main use on real programs: learning when something is ready, fails, asks or ends.
import { type Programs, writePrograms } from "./show/programs.ts";
import { expect, print, type Result, Stage } from "./show/stage.ts";
import { pollUntil } from "../src/timer.ts";

interface Scene {
  title: string;
  play(stage: Stage, programs: Programs, panes: Panes): Promise<void>;
}

interface Panes {
  session: string;
  server: string;
  build: string;
  url: string;
}

const SCENES: readonly Scene[] = [
  {
    title: "A session of its own",
    async play(stage, _programs, panes) {
      const made = await stage.call("create-session", {
        name: "demo",
        startDirectory: stage.folder,
        suppressHistory: true,
      });
      panes.session = made.sessionId ?? "";
      panes.server = made.paneId ?? "";
      panes.build =
        (await stage.call("split-pane", { paneId: panes.server, startDirectory: stage.folder })).paneId ?? "";
    },
  },
  {
    title: "A web server: told when it is ready",
    async play(stage, { webServer }, panes) {
      const ready = await stage.call("start-and-watch", {
        paneId: panes.server,
        command: webServer,
        pattern: "Listening on",
        timeout: 30,
      });
      expect(ready.event === "pattern:Listening on", `readiness, not ${ready.event}`);
      panes.url = /http:\S+/.exec(ready.output ?? "")?.[0] ?? "";
      await visit(stage, panes.url);
    },
  },
  {
    title: "A failing build in a second pane, while the server answers",
    async play(stage, { failingBuild }, panes) {
      const building = stage.call("start-and-watch", {
        paneId: panes.build,
        command: failingBuild,
        triggers: "error,exit",
      });
      await visit(stage, panes.url);
      const failed = await building;
      expect(failed.event === "error", `an error, not ${failed.event}`);
      const done = await stage.call("get-command-result", { commandId: failed.commandId, waitSeconds: 20 });
      expect(done.exitCode === 1, `exit code 1, not ${done.exitCode}`);
    },
  },
  {
    title: "A program that asks for a password",
    async play(stage, { passwordPrompt, passphrase }, panes) {
      const asks = await stage.call("start-and-watch", {
        paneId: panes.build,
        command: passwordPrompt,
        triggers: "user_input,exit",
      });
      expect(asks.event === "user_input", `a question, not ${asks.event}`);
      const state = await stage.call("pane-state", { paneId: panes.build });
      expect(state.inputKind === "password", `a password prompt, not ${state.inputKind}`);
      stage.say("(the person at the pane types the passphrase)");
      await stage.tmux("send-keys", "-t", panes.build, "-l", passphrase);
      await stage.tmux("send-keys", "-t", panes.build, "Enter");
      const done = await stage.call("get-command-result", { commandId: asks.commandId, waitSeconds: 20 });
      expect(done.exitCode === 0, `exit code 0, not ${done.exitCode}`);
    },
  },
  {
    title: "Commands whose output is longer than the pane's history",
    async play(stage, _programs, panes) {
      const counted = await stage.call("execute-command", {
        paneId: panes.build,
        command: "seq 1 100000",
        maxLines: 4,
      });
      expect(counted.totalLines === 100_000, `100,000 lines, not ${counted.totalLines}`);
      const middle = await stage.call("get-command-result", {
        commandId: counted.commandId,
        offset: 49_999,
        maxLines: 1,
      });
      expect(middle.output?.trim() === "50000", `line 50,000, not ${middle.output}`);
      const failed = await stage.call("execute-command", { paneId: panes.build, command: "(exit 3)" });
      expect(failed.exitCode === 3, `exit code 3, not ${failed.exitCode}`);
    },
  },
  {
    title: "A wait that is called off",
    async play(stage, _programs, panes) {
      const cancel = new AbortController();
      const watching = stage.call("watch-pane", { paneId: panes.server, triggers: "pattern:never" }, {
        signal: cancel.signal,
      });
      await visit(stage, panes.url);
      cancel.abort("no longer needed");
      await watching.then(() => expect(false, "the call to be cancelled"), () => stage.say("← cancelled"));
      await visit(stage, panes.url);
      const state = await stage.call("pane-state", { paneId: panes.server });
      expect(state.foregroundCmd === "deno", `the server to keep running, not ${state.foregroundCmd}`);
    },
  },
  {
    title: "Clean up",
    async play(stage, _programs, panes) {
      await stage.call("kill-session", { sessionId: panes.session });
      const left: Result = await stage.call("list-sessions");
      expect(left.sessions?.length === 0, "no session left");
      // The server ends a moment after its pane.
      const isGone = () => fetch(panes.url).then((answer) => answer.text()).then(() => false, () => true);
      expect(await pollUntil(isGone, { ms: 5000, pauseMs: 20 }), "the web server to be gone");
      stage.say("the web server is gone with its pane");
    },
  },
];

async function visit(stage: Stage, url: string): Promise<void> {
  const answer = await fetch(url);
  stage.say(`  GET ${url}: ${answer.status} ${(await answer.text()).trim()}`);
}

async function main(): Promise<number> {
  print("tmux-mcp: an agent's work on a private tmux; seconds since the start on the left\n");
  await using stage = await Stage.open();
  Deno.addSignalListener("SIGINT", () => stage[Symbol.asyncDispose]().finally(() => Deno.exit(130)));
  const programs = await writePrograms(stage.folder);
  const panes: Panes = { session: "", server: "", build: "", url: "" };
  for (const [index, scene] of SCENES.entries()) {
    stage.title(`${index + 1}. ${scene.title}`);
    await scene.play(stage, programs, panes);
  }
  print("\nDone. scripts/tmux-mcp is the server for your own client: see README.md");
  return 0;
}

if (import.meta.main) Deno.exit(await main());
