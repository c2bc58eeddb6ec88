// Every state of a command meets every event: which count, where they lead, and which states wait for a mark.
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import {
  type CommandEvent,
  type CommandState,
  markDeadline,
  next,
} from "../../src/commands/command_state.ts";

const failure = new AppError("incomplete-command", "The shell would ask for more");
const outcome = { status: "completed", exitCode: 2, paneAlive: true } as const;

const EVENTS: { [kind in CommandEvent["kind"]]: CommandEvent & { kind: kind } } = {
  typed: { kind: "typed" },
  ready: { kind: "ready" },
  given: { kind: "given" },
  output: { kind: "output" },
  gap: { kind: "gap" },
  asked: { kind: "asked" },
  unanswered: { kind: "unanswered" },
  stopped: { kind: "stopped" },
  done: { kind: "done", exitCode: 7 },
  answered: { kind: "answered", exitCode: 130 },
  jobEnded: { kind: "jobEnded" },
  paneEnded: { kind: "paneEnded", exitCode: 3 },
  failed: { kind: "failed", reason: "The worker crashed" },
  notRun: { kind: "notRun", failure },
  restored: { kind: "restored", outcome },
  settled: { kind: "settled" },
};
const KINDS = Object.keys(EVENTS) as CommandEvent["kind"][];

/** State after each event; an event that is not named does not count. */
const ENDS = { paneEnded: "ending", failed: "ending", notRun: "ending", restored: "ending" } as const;
const TABLE: {
  [name in CommandState["name"]]: { readonly [kind in CommandEvent["kind"]]?: CommandState["name"] };
} = {
  typing: {
    ...ENDS,
    typed: "typed",
    ready: "accepted",
    output: "running",
    stopped: "stopped",
    done: "ending",
  },
  typed: { ...ENDS, ready: "accepted", output: "running", stopped: "stopped", done: "ending" },
  accepted: { ...ENDS, given: "starting", output: "running", stopped: "stopped", done: "ending" },
  starting: { ...ENDS, output: "running", gap: "running", stopped: "stopped", done: "ending" },
  running: { ...ENDS, asked: "asking", stopped: "stopped", done: "ending" },
  asking: { ...ENDS, unanswered: "running", stopped: "stopped", answered: "ending" },
  stopped: { ...ENDS, jobEnded: "ending" },
  ending: { settled: "over" },
  over: {},
};

function stateNamed(name: string): CommandState {
  return (name === "ending" || name === "over" ? { name, outcome } : { name }) as CommandState;
}

function after(...kinds: CommandEvent["kind"][]): CommandState {
  return kinds.reduce<CommandState>((state, kind) => next(state, EVENTS[kind]), { name: "typing" });
}

for (const [name, moves] of Object.entries(TABLE)) {
  Deno.test(`a command that is ${name} takes the events that count, and no others`, () => {
    for (const kind of KINDS) {
      const state = stateNamed(name);
      const reached = next(state, EVENTS[kind]);
      assertEquals(reached.name, moves[kind] ?? name, kind);
      if (moves[kind] === undefined) assertStrictEquals(reached, state, kind);
    }
  });
}

Deno.test("an outcome says what ended the command, and nothing later changes it", () => {
  const ends: [CommandState, object][] = [
    [after("typed", "ready", "given", "output", "done"), {
      status: "completed",
      exitCode: 7,
      paneAlive: true,
    }],
    [after("output", "asked", "answered"), { status: "completed", exitCode: 130, paneAlive: true }],
    [after("output", "stopped", "jobEnded"), { status: "completed", exitCode: undefined, paneAlive: true }],
    [after("output", "paneEnded"), { status: "completed", exitCode: 3, paneAlive: false }],
    [after("output", "failed"), { status: "lost", reason: "The worker crashed", paneAlive: true }],
    [after("ready", "given", "failed"), {
      status: "lost",
      reason: "The worker crashed. Its shell never reported that the command began, so it may not have run",
      paneAlive: true,
    }],
    [after("ready", "given", "notRun"), { status: "cancelled", failure, paneAlive: true }],
    [after("output", "restored"), outcome],
    [next({ name: "running" }, { kind: "paneEnded" }), {
      status: "lost",
      reason: "Its pane was closed or respawned, or the tmux server ended, before an exit code was known",
      paneAlive: false,
    }],
    [next({ name: "starting" }, { kind: "paneEnded", exitSignal: "SIGKILL" }), {
      status: "lost",
      reason: "Its shell was ended by SIGKILL. " +
        "Its shell never reported that the command began, so it may not have run",
      paneAlive: false,
    }],
    [next({ name: "starting" }, { kind: "paneEnded", exitSignal: "SIGKILL", printed: true }), {
      status: "lost",
      reason: "Its shell was ended by SIGKILL",
      paneAlive: false,
    }],
  ];
  for (const [state, expected] of ends) {
    for (const kind of KINDS) {
      const later = next(state, EVENTS[kind]);
      assert("outcome" in later, kind);
      assertEquals<object>(later.outcome, expected, kind);
    }
  }
});

Deno.test("a command that its shell was not given was not run, however it ends", () => {
  for (const events of [[], ["typed"], ["ready"]] as const) {
    for (const end of ["failed", "paneEnded"] as const) {
      const { outcome } = after(...events, end) as Extract<CommandState, { outcome: object }>;
      assertEquals([outcome.status, outcome.exitCode, outcome.failure?.code], [
        "cancelled",
        undefined,
        "gone",
      ]);
    }
  }
});

Deno.test("a mark that comes before or after tmux's answers leaves no deadline", () => {
  const orders: CommandEvent["kind"][][] = [
    ["typed", "ready", "given", "output"],
    ["ready", "typed", "given", "output"],
    ["ready", "given", "typed", "output"],
    ["ready", "given", "output", "typed"],
    ["ready", "output", "given", "typed"],
  ];
  for (const order of orders) {
    const state = after(...order);
    assertEquals(state, { name: "running" }, order.join(" "));
    assertEquals(markDeadline(state.name), undefined);
  }
});

Deno.test("states that wait for a mark have a deadline, and missing it ends the command", () => {
  const waiting = Object.keys(TABLE).filter((name) => markDeadline(name as CommandState["name"]));
  assertEquals(waiting, ["typed", "accepted", "starting"]);
  for (const name of waiting) assertEquals(next(stateNamed(name), EVENTS.failed).name, "ending");
});
