// Panes whose programs begin on a signal, watches that are known to have begun, and tmux's own list of
// clients.
import type { CallAnswer, TestClient, World } from "./world.ts";
import { until } from "./until.ts";

export type Args = Record<string, unknown>;

/** The ways in which a server follows panes, with their arguments; results are the same. */
export const WAYS: Readonly<Record<string, readonly string[]>> = {
  "with control clients": [],
  "without attaching": ["--attach=false"],
};

/** A world's panes, as tmux shows them: no server of this project is asked. */
export class Panes {
  readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** Opens a pane of 80x24 in its own session; tmux runs the command with `sh`. */
  async pane(command: string, session?: string): Promise<string> {
    const name = session === undefined ? [] : ["-s", session];
    const size = ["-x", "80", "-y", "24"];
    return (await this.world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", ...name, ...size, command))
      .trim();
  }

  /** Opens a pane whose script begins when `go` is called; the word it reads isn't echoed. */
  async waitingPane(script: string, session?: string): Promise<string> {
    const paneId = await this.pane(`exec sh ${await this.#script(script)}`, session);
    await this.until(async () => (await this.screen(paneId)).includes("waiting"));
    return paneId;
  }

  /** Starts a foreground job of a shell, which begins when `go` is called. */
  async job(paneId: string, script: string): Promise<void> {
    const file = await this.#script(script);
    // An earlier job of the shell may still show. Keys typed before this one reads would end in `\r`, not in a newline.
    const begun = async () => (await this.screen(paneId)).match(/^waiting/gm)?.length ?? 0;
    const before = await begun();
    await this.type(paneId, `sh ${file}`);
    await this.until(async () => await begun() > before);
  }

  screen(paneId: string): Promise<string> {
    return this.world.tmux("capture-pane", "-p", "-t", paneId);
  }

  async #script(script: string): Promise<string> {
    const file = `${this.world.folder}/${crypto.randomUUID()}.sh`;
    await Deno.writeTextFile(file, `stty -echo; printf waiting; read word; stty echo\n${script}\n`);
    return file;
  }

  async go(paneId: string): Promise<void> {
    await this.world.tmux("send-keys", "-t", paneId, "go", "Enter");
  }

  async type(paneId: string, text: string): Promise<void> {
    await this.world.tmux("send-keys", "-t", paneId, "-l", text);
    await this.world.tmux("send-keys", "-t", paneId, "Enter");
  }

  /** Names of the clients in tmux's own list. */
  async clients(): Promise<string[]> {
    const listed = await this.world.tmux("list-clients", "-F", "#{client_pid} #{client_control_mode}");
    return listed.split("\n").filter((row) => row !== "");
  }

  async noClients(): Promise<void> {
    await this.until(async () => (await this.clients()).length === 0);
  }

  /** Waits until a server of this project reads a pane. */
  async untilRead(): Promise<void> {
    await this.until(async () => (await this.world.readers()).length > 0);
  }

  async until(isSo: () => Promise<boolean> | boolean): Promise<void> {
    await until(isSo);
  }
}

/** The panes, and the watches of a client on them. */
export class Watching extends Panes {
  readonly client: TestClient;

  constructor(world: World, client: TestClient) {
    super(world);
    this.client = client;
  }

  /** Opens a pane with an interactive shell at its prompt. */
  async shellPane(shell = "bash --norc --noprofile"): Promise<string> {
    const paneId = await this.pane(`exec ${shell}`);
    await this.until(async () => (await this.client.ok("pane-state", { paneId })).waitingForInput);
    return paneId;
  }

  /**
   * Calls watch-pane and settles when the watch has begun. The result is a promise inside an object, so that
   * it isn't awaited.
   */
  async watch(args: Args, options = {}): Promise<{ result: Promise<CallAnswer> }> {
    const before = await this.active();
    const result = this.client.call("watch-pane", { timeout: 20, ...args }, options);
    let over = false;
    result.catch(() => {}).finally(() => over = true);
    await this.until(async () => over || (await this.active()).some((id) => !before.includes(id)));
    return { result };
  }

  /** Result of a watch on a pane whose script begins after the watch. */
  // deno-lint-ignore no-explicit-any -- tests read fields of many shapes
  async watchRun(script: string, args: Args = {}): Promise<any> {
    const paneId = await this.waitingPane(script);
    const { result } = await this.watch({ paneId, ...args });
    await this.go(paneId);
    return readResult(await result);
  }

  async active(): Promise<string[]> {
    const { active } = await this.client.ok("watch-events", { limit: 0 });
    return active.map(({ watchId }: { watchId: string }) => watchId);
  }
}

// deno-lint-ignore no-explicit-any -- tests read fields of many shapes
export function readResult(answer: CallAnswer): any {
  if (answer.isError) throw new Error(answer.content[0]?.text);
  return answer.structuredContent;
}
