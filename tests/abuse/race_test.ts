// Renames and moves things between policy's snapshot of tmux and what the call does there, as a person might.
import { assert, assertEquals } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import type { CallAnswer, TestClient, World } from "../support/world.ts";
import { CALLS, type Placeholder, URIS } from "./race_calls.ts";
import { type Call, exists } from "./stage.ts";

type Ids = Readonly<Record<Placeholder, string>>;

interface Race {
  /** Objects that the race takes out of scope. */
  readonly takes: readonly Placeholder[];
  /** tmux commands that run right after the snapshot on which the decision is made. */
  does(ids: Ids): string;
  undo(ids: Ids): readonly string[];
}

const RACES: Readonly<Record<string, Race>> = {
  "a session renamed": {
    takes: ["SESSION", "NAME", "WINDOW", "PANE"],
    does: ({ SESSION }) => `rename-session -t '${SESSION}' private`,
    undo: ({ SESSION }) => ["rename-session", "-t", SESSION, "in"],
  },
  "a session renamed, another of its name made": {
    takes: ["SESSION", "NAME", "WINDOW", "PANE"],
    does: ({ SESSION }) => `rename-session -t '${SESSION}' private ; new-session -d -s in cat`,
    undo: ({ SESSION }) => ["kill-session", "-t", "=in:", ";", "rename-session", "-t", SESSION, "in"],
  },
  "a linked window left to others": {
    takes: ["WINDOW", "PANE"],
    does: ({ WINDOW }) => `link-window -d -s '${WINDOW}' -t =out:7 ; unlink-window -t '=in:${WINDOW}'`,
    undo: (
      { WINDOW },
    ) => ["link-window", "-d", "-s", WINDOW, "-t", "=in:0", ";", "unlink-window", "-t", "=out:7"],
  },
  "a window moved": {
    takes: ["WINDOW", "PANE"],
    does: ({ WINDOW }) => `move-window -d -s '${WINDOW}' -t =out:7`,
    undo: ({ WINDOW }) => ["move-window", "-d", "-s", WINDOW, "-t", "=in:0"],
  },
  "a pane joined elsewhere": {
    takes: ["PANE"],
    does: ({ PANE }) => `join-pane -d -s '${PANE}' -t =out:0.0`,
    undo: ({ PANE, OTHER }) => ["join-pane", "-d", "-b", "-s", PANE, "-t", OTHER],
  },
  "a pane swapped": {
    takes: ["PANE"],
    does: ({ PANE }) => `swap-pane -d -s '${PANE}' -t =out:0.0`,
    undo: ({ PANE, WINDOW }) => ["swap-pane", "-d", "-s", PANE, "-t", `${WINDOW}.0`],
  },
};

/** The snapshot that decisions are made on is a list of panes. */
const HOOK = "after-list-panes";

/** All that a call could change. */
const STATE =
  "#{S:#{session_id}#{session_name} #{@x} #{W:#{window_id}#{window_name}#{window_layout}#{window_active}" +
  "#{window_zoomed_flag}#{window_width} #{P:#{pane_id}#{pane_pid}#{pane_title}#{pane_in_mode}#{pane_pipe}" +
  "#{pane_synchronized}#{pane_dead}#{@x} }}}";

/** Error of a call that noticed the race. */
const FOUND_OUT = /meanwhile|Cannot find|is gone|security\.allowed_sessions/;

function fill(value: unknown, ids: Readonly<Record<string, string>>): unknown {
  const text = JSON.stringify(value);
  return JSON.parse(text.replaceAll(/\b(?:[A-Z]{4,})\b/g, (name) => ids[name] ?? name));
}

class Track {
  readonly world: World;
  readonly client: TestClient;
  readonly ids: Ids;
  readonly #attaches: Promise<boolean>;

  private constructor(world: World, client: TestClient, ids: Ids) {
    this.#attaches = world.attaches();
    this.world = world;
    this.client = client;
    this.ids = ids;
  }

  static async open({ world, client }: Served): Promise<Track> {
    const format = ["-P", "-F", "#{session_id} #{window_id} #{pane_id}"];
    const size = ["-x", "120", "-y", "40"];
    const made = await world.tmux("new-session", "-d", ...size, ...format, "-s", "in", "sh");
    await world.tmux("set-option", "-g", "automatic-rename", "off");
    const [SESSION = "", WINDOW = "", PANE = ""] = made.trim().split(" ");
    const pane = ["-P", "-F", "#{pane_id}"];
    const OTHER = (await world.tmux("split-window", "-d", "-t", PANE, ...pane, "cat")).trim();
    const THIRD = (await world.tmux("new-window", "-d", "-t", "=in:1", ...pane, "cat")).trim();
    await world.tmux("new-session", "-d", ...size, "-s", "out", "cat");
    await client.ok("set-buffer", { name: "ours", content: "touch CANARY\n" });
    return new Track(world, client, { SESSION, NAME: "in", WINDOW, PANE, OTHER, THIRD });
  }

  /** Makes a call with the race in the middle of it; returns what it said, and whether anything has changed since. */
  async run<T>(race: Race, call: () => Promise<T>): Promise<{ answer: T; before: string; after: string }> {
    const { world, ids } = this;
    const does = `set-hook -gu ${HOOK} ; ${race.does(ids)} ; set-option -gF @before "${STATE}"`;
    await world.tmux("set-option", "-g", "@before", "none", ";", "set-hook", "-g", HOOK, does);
    const answer = await call();
    const [before = "", after = ""] = await this.#states(["set-hook", "-gu", HOOK, ";", ...race.undo(ids)]);
    assert(before !== "none", "it took no snapshot that a race could follow");
    return { answer, before, after };
  }

  /**
   * Returns the state before the call and the one after it, and undoes the race. Where no client may attach, the pipe
   * by which the call would have read the pane ends just after it.
   */
  async #states(undo: readonly string[]): Promise<string[]> {
    const { world } = this;
    const read = ["show-options", "-gqv", "@before", ";", "display-message", "-p", STATE];
    if (await this.#attaches) return (await world.tmux(...read, ";", ...undo)).split("\n");
    let states: string[] = [];
    const settled = async (): Promise<boolean> => {
      states = (await world.tmux(...read)).split("\n");
      return states[0] === states[1];
    };
    await until(settled).catch(() => {});
    await world.tmux(...undo);
    return states;
  }
}

/** True if a call is about what a race takes away. */
function meets(race: Race, call: Call | string): boolean {
  const text = JSON.stringify(call);
  return text.includes("kill-server") || race.takes.some((each) => new RegExp(`\\b${each}\\b`).test(text));
}

function told({ isError, content }: CallAnswer): string {
  return isError ? content[0]?.text ?? "" : `succeeded: ${JSON.stringify(content).slice(0, 200)}`;
}

const test = inTurnOnOneServer(
  "races with a decision",
  (world) => world.serve({ args: ["--allowed-sessions", "in", "--safety", "destructive"] }),
);

for (const [name, race] of Object.entries(RACES)) {
  test(`nothing is done or shown after ${name} since the decision`, async (served) => {
    const track = await Track.open(served);
    const { client, world } = track;
    const ids = { ...track.ids, CANARY: `${world.folder}/canary` };
    const through: string[] = [];
    for (const call of CALLS.filter((each) => meets(race, each))) {
      const [tool, args] = fill(call, ids) as [string, Record<string, unknown>];
      const { answer, before, after } = await track.run(race, () => client.call(tool, args));
      if (!FOUND_OUT.test(told(answer))) through.push(`${JSON.stringify(call)}: ${told(answer)}`);
      else if (after !== before) through.push(`${JSON.stringify(call)} did something:\n${before}\n${after}`);
    }
    for (const uri of URIS.filter((each) => meets(race, each))) {
      const read = (): Promise<string> =>
        client.client.readResource({ uri: encodeURI(fill(uri, ids) as string) }).then(JSON.stringify, String);
      const { answer } = await track.run(race, read);
      if (!FOUND_OUT.test(answer)) through.push(`${uri}: ${answer}`);
    }
    assertEquals(through, []);
    assert(!await exists(ids.CANARY), "a command has run");
  });
}

test("every tool that is aimed at a session, window or pane is raced", async ({ client }) => {
  const raced = new Set(CALLS.map(([tool]) => tool));
  const missing = (await client.client.listTools()).tools.filter(({ name, inputSchema }) =>
    /sessionId|windowId|paneId|PaneId/.test(JSON.stringify(inputSchema["properties"] ?? {})) &&
    !raced.has(name)
  );
  assertEquals(missing.map(({ name }) => name), []);
});
