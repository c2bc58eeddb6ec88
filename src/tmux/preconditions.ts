// Preconditions of a call, which tmux checks again in the step that acts, so that nothing can be renamed or moved
// between.
import { AppError } from "../errors.ts";
import type { Command, Exec } from "../tmux_exec/exec.ts";
import { equals } from "./row_codec.ts";
import { SERVER_KEY } from "./server_key.ts";
import { quoteBatch, quoteCommand } from "./quoting.ts";

export interface NamedSession {
  readonly id: string;
  readonly name: string;
}

/** Facts about one target that must still hold; absent ones may have changed. */
export interface Precondition {
  readonly kind: "session" | "window" | "pane" | "server";
  /** Id of the object; empty for the server. */
  readonly id: string;
  /** Session in which it was found; it must still be there, and the session must have the same name. */
  readonly session?: NamedSession;
  /** Sessions that its window is linked into, as tmux lists them. */
  readonly linkedInto?: string;
  /** All panes of the session or window; for a pane, those of its window. */
  readonly panes?: readonly string[];
  readonly sessions?: readonly NamedSession[];
  readonly synchronized?: boolean;
  /** Pid of a pane's first process. */
  readonly pid?: number;
}

/** Preconditions of one call. Work that continues after the call stays allowed, even if its objects are renamed. */
export class Preconditions {
  readonly #preconditions: readonly Precondition[];
  readonly #serverKey: string;
  readonly #refusal = crypto.randomUUID();
  #lifted = false;

  /** @param serverKey Pid and start time of the tmux server that the ids belong to. */
  constructor(preconditions: readonly Precondition[], serverKey: string) {
    this.#preconditions = preconditions;
    this.#serverKey = serverKey;
  }

  get lifted(): boolean {
    return this.#lifted;
  }

  /** Stops checking them, because the call is over. */
  lift(): void {
    this.#lifted = true;
  }

  /** Returns the commands wrapped in checks: none of them runs if a precondition does not hold. */
  bind(commands: readonly Command[]): readonly Command[] {
    if (this.#lifted) return commands;
    const members = this.#preconditions.map(placeOf).filter((place) => place !== undefined);
    const [first, ...others] = this.#checks();
    const all = quoteBatch([...members.map((place) => ["has-session", "-t", place]), ...commands]);
    const otherwise = quoteCommand(["display-message", "-p", this.#refusal]);
    const inner = others.reduce((rest, check) => `${quoteCommand(check)} { ${rest} } { ${otherwise} }`, all);
    return [[...first, inner, otherwise]];
  }

  /** @throws {AppError} `busy` if this is the output of wrapped commands that were not run; hooks may print after it */
  #checkRan(stdout: Uint8Array): void {
    if (new TextDecoder().decode(stdout.subarray(0, this.#refusal.length)) !== this.#refusal) return;
    const names = this.#preconditions.map(({ kind, id }) =>
      kind === "server" ? "the server" : `${kind} "${id}"`
    );
    const what = `Cannot use ${names.join(" and ")}: it was moved, renamed or ended meanwhile`;
    throw new AppError("busy", what, { hint: "Call list-panes for what is there now, then call again" });
  }

  /** Returns an exec that wraps every batch in the checks. */
  exec(exec: Exec): Exec {
    return async (commands, options) => {
      const reply = await exec(this.bind(commands), options);
      this.#checkRan(reply.stdout);
      return reply;
    };
  }

  /** Checks to run: one for the server in any case, then those of single sessions and objects. */
  #checks(): [Command, ...Command[]] {
    const sessions = new Map(
      this.#preconditions.flatMap(({ session }) => session ? [[session.id, session]] : []),
    );
    return [
      check([], [equals(SERVER_KEY, this.#serverKey)]),
      ...[...sessions.values()].map((session) =>
        check(["-t", `${session.id}:`], [equals("#{session_id} #{session_name}", sessionText(session))])
      ),
      ...this.#preconditions.flatMap((precondition) => {
        const conditions = conditionsOf(precondition);
        if (conditions.length === 0) return [];
        const place = placeOf(precondition);
        return [check(place === undefined ? [] : ["-t", place], conditions)];
      }),
    ];
  }
}

/** Target that names the object where it was found; if it is gone from there, nothing else in that session matches. */
function placeOf({ kind, id, session }: Precondition): string | undefined {
  if (kind === "server") return undefined;
  if (kind === "session") return `${id}:`;
  if (session === undefined) return id;
  return kind === "window" ? `${session.id}:${id}` : `${session.id}:.${id}`;
}

function conditionsOf({ kind, linkedInto, panes, sessions, synchronized, pid }: Precondition): string[] {
  return [
    ...(linkedInto === undefined ? [] : [equals("#{window_linked_sessions_list}", linkedInto)]),
    ...(panes === undefined ? [] : [allMarked(panes, eachPane(kind, markPane(panes)))]),
    ...(sessions === undefined ? [] : [allMarked(sessions, `#{S:${markSession(sessions)}}`)]),
    ...(synchronized === undefined ? [] : [equals("#{pane_synchronized}", synchronized ? "1" : "0")]),
    ...(pid === undefined ? [] : [equals("#{pane_pid}", String(pid))]),
  ];
}

function check(target: readonly string[], conditions: readonly string[]): Command {
  const all = conditions.reduce((both, each) => `#{&&:${both},${each}}`);
  return ["if-shell", "-F", ...target, all];
}

function sessionText({ id, name }: NamedSession): string {
  return `${id} ${name}`;
}

/** Format that is true if a loop marks exactly as many items as these, in whatever order (by id from tmux 3.7 on). */
function allMarked(these: readonly unknown[], loop: string): string {
  return equals(loop, "y".repeat(these.length));
}

function eachPane(kind: Precondition["kind"], mark: string): string {
  return kind === "session" ? `#{W:#{P:${mark}}}` : `#{P:${mark}}`;
}

function markPane(ids: readonly string[]): string {
  return `#{?#{m:* #{pane_id} *, ${ids.join(" ")} },y,n}`;
}

function markSession(sessions: readonly NamedSession[]): string {
  const each = sessions.map((session) => equals("#{session_id} #{session_name}", sessionText(session)));
  return `#{?#{m:*1*,${each.join("")}},y,n}`;
}
