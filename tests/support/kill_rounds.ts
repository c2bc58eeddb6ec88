// Kills a server, its client or both in the middle of commands and watches, and checks what two later servers
// report.
import { assert, assertEquals } from "@std/assert";
import { numbers } from "./random.ts";
import { KillableServer, VICTIMS } from "./killable_server.ts";
import { ANSWER, type CommandKind, KnownCommand, LEAVING_KINDS, STAYING_KINDS } from "./known_commands.ts";
import { until } from "./until.ts";
import { Panes } from "./watching.ts";
import { World } from "./world.ts";

/** Fate of a command: `whole`, `cut` (and flagged), `never begun`, or `lost` with its reason, and its kind. */
export type Outcome = string;

interface Running {
  command: KnownCommand;
  paneId: string;
  /** The answer that the caller got before the kill: the id, and the result if it was complete. */
  // deno-lint-ignore no-explicit-any -- results of two tools
  answer?: any;
}

interface WatchedText {
  text: string;
  watchId?: string;
}

const SHELLS = ["bash --norc --noprofile", "zsh -f", "dash -i"];
/** A shell that prints nothing when it ends, unlike bash. */
const LEFT_SHELL = "dash -i";
/** Half of the kills come this early, while commands are being typed or have just begun. */
const EARLY_MS = 500;
const LATEST_MS = 2500;
const SETTLE_MS = 300;
const PAUSE_MS = 20;

export class KillRounds implements AsyncDisposable {
  readonly #world: World;
  readonly #panes: Panes;
  readonly #pick: (below: number) => number;
  #server: KillableServer;
  #shells: string[] = [];
  #echo = "";
  #round = 0;

  private constructor(world: World, server: KillableServer, seed: number) {
    this.#world = world;
    this.#panes = new Panes(world);
    this.#server = server;
    this.#pick = numbers(seed);
  }

  static async begin(seed: number): Promise<KillRounds> {
    const world = await World.create();
    const rounds = new KillRounds(world, await KillableServer.start(world), seed);
    rounds.#shells = await Promise.all(SHELLS.map((shell) => rounds.#shell(shell)));
    rounds.#echo = await rounds.#panes.pane("exec cat");
    return rounds;
  }

  /**
   * Runs one kill.
   * @throws if something is wrong that no record reports
   */
  async round(): Promise<Outcome[]> {
    this.#round++;
    const watched = await this.#watch();
    const left = await this.#shell(LEFT_SHELL);
    const running: Running[] = [];
    const kill = wait(this.#pick(2) === 0 ? this.#pick(EARLY_MS) : this.#pick(LATEST_MS));
    const calls = [
      ...this.#shells.map((paneId) => this.#call(paneId, STAYING_KINDS, running)),
      this.#call(left, LEAVING_KINDS, running),
    ];
    const isDark = this.#pick(2) === 0;
    const printed = isDark ? Promise.resolve() : wait(this.#pick(LATEST_MS)).then(() => this.#print(watched));
    await kill;
    await this.#server.kill(VICTIMS[this.#pick(VICTIMS.length)]!);
    if (isDark) await this.#print(watched);
    const [one, two] = await Promise.all([
      KillableServer.start(this.#world),
      KillableServer.start(this.#world),
    ]);
    await Promise.all([printed, ...calls]);
    await this.#settle(running);
    const outcomes: Outcome[] = [];
    for (const each of running) outcomes.push(await this.#outcome(each, [one, two]));
    const order = await this.#checkEvents(watched, running, [one, two]);
    if (isDark) assertEquals(order, watched.map(({ watchId }) => watchId), "Out of order");
    await this.#checkLeftovers([one, two]);
    await this.#checkClosed(left, running);
    const [stays, goes] = this.#pick(2) === 0 ? [one, two] : [two, one];
    this.#server = stays;
    await goes.kill(VICTIMS[this.#pick(VICTIMS.length)]!);
    return outcomes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.#world[Symbol.asyncDispose]();
  }

  /** Opens a pane with a shell that waits for input. */
  async #shell(shell: string): Promise<string> {
    const paneId = await this.#panes.pane(`exec ${shell}`);
    await until(async () => (await this.#server.ok("pane-state", { paneId })).waitingForInput);
    return paneId;
  }

  /** Starts watches, the one for the later text first: events must come in the order of the output. */
  async #watch(): Promise<WatchedText[]> {
    const watched: WatchedText[] = [];
    for (const place of [2, 1]) {
      const text = `needle ${this.#round}-${place}`;
      const { watchId } = await this.#server.ok("watch-pane", {
        paneId: this.#echo,
        triggers: `pattern:^${text}$`,
        background: true,
        timeout: 3600,
      });
      watched.unshift({ text, watchId });
    }
    return watched;
  }

  async #print(watched: readonly WatchedText[]): Promise<void> {
    for (const { text } of watched) {
      await this.#world.tmux("send-keys", "-t", this.#echo, "-l", text);
      await this.#world.tmux("send-keys", "-t", this.#echo, "Enter");
    }
  }

  async #call(paneId: string, kinds: readonly CommandKind[], running: Running[]): Promise<void> {
    const kind = kinds[this.#pick(kinds.length)]!;
    const exitCode = this.#pick(100);
    const isWatched = this.#pick(4) === 0;
    const args = { background: isWatched || this.#pick(3) === 0, timeout: this.#pick(3) };
    await wait(this.#pick(150));
    const command = new KnownCommand(kind, {
      key: `k${this.#round}x${running.length}`,
      folder: this.#world.folder,
      exitCode,
    });
    const each: Running = { command, paneId };
    running.push(each);
    const call = isWatched
      ? this.#server.ok("start-and-watch", {
        paneId,
        command: command.text,
        ...args,
        timeout: 3600,
        triggers: "exit",
      })
      : this.#server.ok("execute-command", { paneId, command: command.text, ...args, fold: false });
    // The server dies before it answers.
    await call.then((answer) => each.answer = answer, () => {});
  }

  /** Waits until every command that has begun has ended and no other can begin. */
  async #settle(running: readonly Running[]): Promise<void> {
    const over = (): boolean => running.every(({ command }) => command.hasEnded || !command.hasBegun);
    const answered = new Set<KnownCommand>();
    for (let quiet = 0; quiet < 2; quiet++) {
      await until(async () => {
        for (const { command, paneId } of running) {
          if (command.asks && command.hasBegun && !answered.has(command)) {
            answered.add(command);
            await this.#world.tmux("send-keys", "-t", paneId, ANSWER, "Enter");
          }
        }
        return over();
      });
      await wait(SETTLE_MS);
    }
  }

  async #outcome({ command, answer }: Running, servers: readonly KillableServer[]): Promise<Outcome> {
    const [one, two] = await Promise.all(servers.map((server) => this.#read(command, server)));
    const about = `${command.text} ${JSON.stringify(one)}`;
    assertEquals(brief(two), brief(one), `Two servers differ about ${about}`);
    if (one === undefined) {
      assert(!command.hasBegun, `No record: ${about}`);
      return "never begun";
    }
    assert(one.status !== "running" && one.status !== "waiting", `Still running: ${about}`);
    if (answer?.status === "completed") {
      const { commandId, exitCode, output, totalBytes } = answer;
      const now = {
        commandId: one.commandId,
        exitCode: one.exitCode,
        output: one.output,
        totalBytes: one.totalBytes,
      };
      assertEquals(now, { commandId, exitCode, output, totalBytes }, `Not as answered: ${about}`);
    }
    if (one.status === "lost") {
      assert(one.reason, `Lost without a reason: ${about}`);
      return command.hasBegun ? `lost: ${command.kind}: ${one.reason}` : "never begun";
    }
    assertEquals([one.status, one.exitCode], ["completed", command.exitCode], about);
    if (one.isCut) return `cut: ${command.kind}`;
    const whole = command.output === "" ? [0, 0] : [command.output.split("\n").length, command.output.length];
    assertEquals([one.totalLines, one.totalBytes], whole, `${about} ${command.kind}`);
    assertEquals(one.head, command.output.slice(0, one.head.length), about);
    return "whole";
  }

  // deno-lint-ignore no-explicit-any -- a result, or nothing
  async #read(command: KnownCommand, server: KillableServer): Promise<any> {
    const { commands } = await server.ok("list-commands", { limit: 200 });
    const listed = commands.find((each: { command: string }) => command.isIn(each.command));
    if (listed === undefined) return undefined;
    const { commandId } = listed;
    const args = { commandId, waitSeconds: 15, onInput: "wait", fold: false };
    const result = await server.ok("get-command-result", args);
    // Both its beginning and its end must be readable.
    const first = await server.ok("get-command-result", {
      commandId,
      offset: 0,
      view: "head",
      fold: false,
      maxLines: 50,
    });
    const isCut = await this.#isCut(server, result);
    return { ...result, head: first.output, isCut };
  }

  /**
   * True if output is really missing. `outputTruncated` is also set if the output doesn't fit in an answer;
   * the last page tells the difference.
   */
  // deno-lint-ignore no-explicit-any -- a result
  async #isCut(server: KillableServer, { commandId, totalLines, outputTruncated }: any): Promise<boolean> {
    if (outputTruncated !== true) return false;
    const offset = Math.max(totalLines - 1, 0);
    const end = await server.ok("get-command-result", { commandId, offset, fold: false });
    return end.outputTruncated === true;
  }

  /**
   * Checks that each watch whose id was returned has fired once, in one of the servers; returns the text
   * watches in order.
   */
  async #checkEvents(
    watched: readonly WatchedText[],
    running: readonly Running[],
    servers: readonly KillableServer[],
  ): Promise<string[]> {
    const ids = [
      ...watched.map(({ watchId }) => watchId!),
      ...running.flatMap(({ answer }) => answer?.watchId ?? []),
    ];
    const events: { watchId: string; event: string; exitCode?: number; where: number }[] = [];
    const seen = (): boolean => ids.every((id) => events.some(({ watchId }) => watchId === id));
    await until(async () => {
      for (const [where, server] of servers.entries()) {
        const page = await server.ok("watch-events", {});
        // deno-lint-ignore no-explicit-any -- events
        events.push(...page.events.map((event: any) => ({ ...event, where })));
      }
      if (!seen()) await wait(PAUSE_MS);
      return seen();
    }).catch((error) => {
      throw new Error(`${error.message}: ${JSON.stringify({ ids, events })}`);
    });
    const fired = events.filter(({ watchId }) => ids.includes(watchId));
    assertEquals(fired.length, ids.length, `Fired twice: ${JSON.stringify(fired)}`);
    for (const { command, answer } of running) {
      if (answer?.watchId === undefined) continue;
      const { event, exitCode } = fired.find(({ watchId }) => watchId === answer.watchId)!;
      const about = `${command.text}: ${event} ${exitCode}`;
      assert(event === "gone" || event === "exit", about);
      assert(exitCode === undefined || exitCode === command.exitCode, about);
    }
    const texts = fired.filter(({ watchId }) => watched.some((each) => each.watchId === watchId));
    return texts.map(({ watchId }) => watchId);
  }

  /** Checks that the pane of a shell that has ended is closed, as it would be without a server. */
  async #checkClosed(paneId: string, running: readonly Running[]): Promise<void> {
    const hasBegun = running.some((each) => each.paneId === paneId && each.command.hasBegun);
    if (!hasBegun) await this.#world.tmux("kill-pane", "-t", paneId);
    await until(async () => {
      const panes = await this.#world.tmux("list-panes", "-a", "-F", "#{pane_id}");
      return !panes.split("\n").includes(paneId);
    }).catch(() => {
      throw new Error(`Still there: ${paneId}`);
    });
  }

  /** Checks that the dead server and finished commands have left nothing in the panes. */
  async #checkLeftovers(servers: readonly KillableServer[]): Promise<void> {
    const left = async (): Promise<string[]> => {
      const pids = servers.map(({ child }) => `${child.pid}`);
      const panes = [...this.#shells, this.#echo];
      const options = await Promise.all(panes.map((id) => this.#world.tmux("show-options", "-p", "-t", id)));
      const pipes = await this.#world.tmux("list-panes", "-a", "-F", "#{?pane_pipe,pipe of #{pane_id},}");
      const clients = await this.#world.tmux("list-clients", "-F", "#{client_pid}");
      const ownPids = await this.#world.tmux("list-panes", "-a", "-F", "#{pane_pid}");
      const copiers = await copiersOf((await this.#world.tmux("display-message", "-p", "#{pid}")).trim());
      return [
        ...options.flatMap((text) => text.split("\n")),
        ...pipes.split("\n"),
        ...clients.split("\n").filter((pid) => !pids.includes(pid)),
        ...copiers.filter((row) => !ownPids.split("\n").includes(row.split(" ")[0]!)),
      ].filter((each) => each !== "");
    };
    await until(async () => (await left()).length === 0).catch(async () => {
      throw new Error(`Left behind: ${await left()}`);
    });
  }
}

/** Fields of a result on which two servers must agree. */
// deno-lint-ignore no-explicit-any -- a result, or nothing
function brief(result: any): unknown {
  if (result === undefined) return undefined;
  const { commandId, status, exitCode, totalLines, totalBytes, isCut, head, reason } = result;
  return { commandId, status, exitCode, totalLines, totalBytes, isCut, head, reason };
}

/** Processes of a tmux server that copy what panes print, as pid and name. */
async function copiersOf(pid: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "pid=,comm=", "--ppid", pid] }).output();
  const rows = new TextDecoder().decode(stdout).split("\n").map((row) => row.trim());
  return rows.filter((row) => / (tee|cat)$/.test(row));
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
