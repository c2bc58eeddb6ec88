// Preconditions of a call, which tmux checks again in the step that acts: nothing can be renamed or moved between.
import { AppError } from "../errors.ts";
import type { Command, Exec } from "./exec.ts";
import { literal } from "./record_codec.ts";
import { SERVER_KEY } from "./server_key.ts";
import { spellBatch, spellCommand } from "./spelling.ts";

/** Facts about one target that must still hold; absent ones may have changed. */
export interface Precondition {
  readonly kind: "session" | "window" | "pane" | "server";
  /** The object's own id; empty for the server. */
  readonly id: string;
  /** The session it was found in, which must still have it, under the same name. */
  readonly session?: { readonly id: string; readonly name: string };
  /** The sessions its window is linked into, as tmux lists them. */
  readonly linkedInto?: string;
  /** All panes of the session or window; of a pane: of its window. */
  readonly panes?: readonly string[];
  /** All sessions of the server. */
  readonly sessions?: readonly { readonly id: string; readonly name: string }[];
  readonly synchronized?: boolean;
}

/** They last for one call: work that continues after it stays allowed, even if its objects are renamed. */
export class Preconditions {
  readonly #preconditions: readonly Precondition[];
  readonly #serverKey: string;
  readonly #mark = crypto.randomUUID();
  #lifted = false;

  /** @param serverKey Pid and start time of the tmux server whose ids they name. */
  constructor(preconditions: readonly Precondition[], serverKey: string) {
    this.#preconditions = preconditions;
    this.#serverKey = serverKey;
  }

  get lifted(): boolean {
    return this.#lifted;
  }

  /** The call is over: they are no longer checked. */
  lift(): void {
    this.#lifted = true;
  }

  /** The commands; none of them runs if a precondition does not hold. */
  bind(commands: readonly Command[]): readonly Command[] {
    if (this.#lifted) return commands;
    const members = this.#preconditions.map(placeOf).filter((place) => place !== undefined);
    const [first, ...others] = this.#checks();
    const all = spellBatch([...members.map((place) => ["has-session", "-t", place]), ...commands]);
    const otherwise = spellCommand(["display-message", "-p", this.#mark]);
    const inner = others.reduce(
      (bound, check) => `${spellCommand(check)} { ${bound} } { ${otherwise} }`,
      all,
    );
    return [[...first, inner, otherwise]];
  }

  /** @throws {AppError} `busy` where this is the answer of bound commands that were not run */
  check(printed: string): void {
    if (printed.trimEnd() !== this.#mark) return;
    const names = this.#preconditions.map(({ kind, id }) =>
      kind === "server" ? "the server" : `${kind} "${id}"`
    );
    throw new AppError(
      "busy",
      `Cannot use ${names.join(" and ")}: it was moved, renamed or ended meanwhile`,
      {
        hint: "Call list-panes for what is there now, then call again",
      },
    );
  }

  /** Runs every batch bound to them. */
  exec(exec: Exec): Exec {
    return async (commands, options) => {
      const reply = await exec(this.bind(commands), options);
      if (reply.stdout.length <= this.#mark.length + 2) this.check(new TextDecoder().decode(reply.stdout));
      return reply;
    };
  }

  /** One that is always made, then those of single sessions and objects. */
  #checks(): [Command, ...Command[]] {
    const sessions = new Map(
      this.#preconditions.flatMap(({ session }) => session ? [[session.id, session]] : []),
    );
    return [
      check([], [same(SERVER_KEY, this.#serverKey)]),
      ...[...sessions.values()].map((session) =>
        check(["-t", `${session.id}:`], [same("#{session_id} #{session_name}", sessionText(session))])
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

/** The object where it was found: nothing else of that session is meant when it is there no more. */
function placeOf({ kind, id, session }: Precondition): string | undefined {
  if (kind === "server") return undefined;
  if (kind === "session") return `${id}:`;
  if (session === undefined) return id;
  return kind === "window" ? `${session.id}:${id}` : `${session.id}:.${id}`;
}

function conditionsOf({ kind, linkedInto, panes, sessions, synchronized }: Precondition): string[] {
  return [
    ...(linkedInto === undefined ? [] : [same("#{window_linked_sessions_list}", linkedInto)]),
    ...(panes === undefined ? [] : [allMarked(panes, eachPane(kind, markPane(panes)))]),
    ...(sessions === undefined ? [] : [allMarked(sessions, `#{S:${markSession(sessions)}}`)]),
    ...(synchronized === undefined ? [] : [same("#{pane_synchronized}", synchronized ? "1" : "0")]),
  ];
}

function check(target: readonly string[], conditions: readonly string[]): Command {
  const all = conditions.reduce((both, each) => `#{&&:${both},${each}}`);
  return ["if-shell", "-F", ...target, all];
}

function sessionText({ id, name }: { id: string; name: string }): string {
  return `${id} ${name}`;
}

/** True where a loop marks as many as these, all of them: whatever their order, for tmux from 3.7 on goes by id. */
function allMarked(these: readonly unknown[], loop: string): string {
  return same(loop, "y".repeat(these.length));
}

function eachPane(kind: Precondition["kind"], mark: string): string {
  return kind === "session" ? `#{W:#{P:${mark}}}` : `#{P:${mark}}`;
}

function markPane(ids: readonly string[]): string {
  return `#{?#{m:* #{pane_id} *, ${ids.join(" ")} },y,n}`;
}

function markSession(sessions: readonly { id: string; name: string }[]): string {
  const each = sessions.map((session) => same("#{session_id} #{session_name}", sessionText(session)));
  return `#{?#{m:*1*,${each.join("")}},y,n}`;
}

/** A format that is true where another one shows this text. */
function same(format: string, text: string): string {
  return `#{==:${format},${literal(text).replaceAll(/[,}]/g, "#$&")}}`;
}
