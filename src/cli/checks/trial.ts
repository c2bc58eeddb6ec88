// Watches a program that asks for input in a private tmux, which exercises every part of the server.
import { join } from "@std/path";
import { Engine } from "../../engine.ts";
import { oneLine } from "../../errors.ts";
import { type Program, runProgram } from "../../tmux/spawn.ts";
import type { WatchResult } from "../../watch/inbox.ts";
import type { Invocation } from "../invocation.ts";
import type { Finding } from "./finding.ts";
import { bestEffort } from "../../promises.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const NAME = "watching";
const TIMEOUT_SECONDS = 10;

export async function checkWatching({ config, environment: env }: Invocation): Promise<Finding> {
  const { options } = config;
  // The path of a socket has at most 103 bytes on macOS, and 107 on Linux.
  const dir = [temporaryFolder(env)].find(({ length }) => length <= 60) ?? "/tmp";
  let folder: string;
  try {
    folder = await Deno.makeTempDir({ dir, prefix: "tmux-mcp-doctor-" });
  } catch (error) {
    const says = `not tried: no folder for a private tmux in ${dir}: ${oneLine(error)}`;
    return { name: NAME, verdict: "partly", says, fix: "Let this program write there, or set TMPDIR" };
  }
  try {
    const socket = join(folder, "tmux.sock");
    // The private tmux runs on this machine, also where `--ssh` names another.
    const here = { ...options, socket, ssh: undefined, hosts: {} };
    const engine = new Engine({ options: here, env });
    // Runs tmux without the user's configuration, because its hooks and plugins must not run for this check.
    const client = (...args: string[]): Program => ({
      bin: options.tmuxBin,
      args: ["-u", "-f", "/dev/null", "-S", socket, ...args],
      env,
    });
    try {
      await runProgram(client("new-session", "-d", "-x", "80", "-y", "24", "sh", "-c", "read line"));
      return judge(await watchFirstPane(engine));
    } finally {
      await engine.close();
      await bestEffort(runProgram(client("kill-server")));
      await Deno.remove(folder, { recursive: true });
    }
  } catch (error) {
    return { name: NAME, verdict: "fails", says: oneLine(error) };
  }
}

async function watchFirstPane(engine: Engine): Promise<WatchResult> {
  const { watches } = engine;
  const tmux = engine.connect();
  const source = await watches.paneSource(tmux, ["%0"]);
  const triggers = await watches.triggers("user_input,exit");
  const request = { tmux, triggers, timeout: TIMEOUT_SECONDS } as const;
  return await watches.run(source, request, new AbortController().signal);
}

function judge({ event, detail, elapsed, paneState }: WatchResult): Finding {
  if (event === "user_input") {
    const evidence = paneState === undefined ? "" : `: ${paneState.evidence}`;
    const says = `a program's wait for input was detected in ${elapsed} s${evidence}`;
    return { name: NAME, verdict: "works", says };
  }
  return event === "timeout"
    ? { name: NAME, verdict: "partly", says: "a program's wait for input was not detected" }
    : { name: NAME, verdict: "fails", says: `${event}: ${detail}` };
}
