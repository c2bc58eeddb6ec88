// Commands with known output and exit code, which write a file when they begin and when they end.
import { join } from "@std/path";

export type CommandKind = keyof typeof KINDS;

interface Kind {
  script: string;
  output: string;
  /** True if it asks for a line on its terminal. */
  asks?: boolean;
  /** True if it ends its own shell. */
  leaves?: boolean;
}

const count = (first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`).join("\n");

/** Line to type if a command asks. */
export const ANSWER = "Ada";

const KINDS = {
  quick: { script: "echo one; echo two", output: "one\ntwo" },
  silent: { script: "sleep 0.05", output: "" },
  slow: { script: "for i in 1 2 3 4 5 6; do echo $i; sleep 0.15; done", output: count(1, 6) },
  paused: { script: "seq 1 300; sleep 0.8; seq 301 600", output: count(1, 600) },
  flood: { script: "seq 1 60000", output: count(1, 60_000) },
  question: {
    script: "printf 'Name? '; read name; echo Hello $name",
    output: `Name? ${ANSWER}\nHello ${ANSWER}`,
    asks: true,
  },
  leaving: { script: "for i in 1 2 3 4; do echo $i; sleep 0.2; done", output: count(1, 4), leaves: true },
  "leaving once answered": {
    script: "printf 'Name? '; read name; echo Hello $name; sleep 0.2",
    output: `Name? ${ANSWER}\nHello ${ANSWER}`,
    asks: true,
    leaves: true,
  },
} satisfies Record<string, Kind>;

const isLeaving = (kind: CommandKind): boolean => (KINDS[kind] as Kind).leaves ?? false;
/** Commands after which the shell continues, and those that end it. */
export const [STAYING_KINDS, LEAVING_KINDS] = [
  (Object.keys(KINDS) as CommandKind[]).filter((kind) => !isLeaving(kind)),
  (Object.keys(KINDS) as CommandKind[]).filter(isLeaving),
];

export class KnownCommand {
  readonly key: string;
  readonly kind: CommandKind;
  readonly exitCode: number;
  readonly output: string;
  readonly asks: boolean;
  readonly text: string;
  readonly #file: string;

  constructor(
    kind: CommandKind,
    { key, folder, exitCode }: { key: string; folder: string; exitCode: number },
  ) {
    const { script, output, asks = false, leaves = false }: Kind = KINDS[kind];
    this.key = key;
    this.kind = kind;
    this.exitCode = exitCode;
    this.output = output;
    this.asks = asks;
    this.#file = join(folder, key);
    const end = leaves ? `exit ${exitCode}` : `(exit ${exitCode})`;
    this.text = `: ${key}; : >${this.#file}.begun; ${script}; : >${this.#file}.ended; ${end}`;
  }

  /** True if a listed command, of whose text only the beginning is kept, is this one. */
  isIn(text: string): boolean {
    return text.startsWith(`: ${this.key};`);
  }

  get hasBegun(): boolean {
    return exists(`${this.#file}.begun`);
  }

  get hasEnded(): boolean {
    return exists(`${this.#file}.ended`);
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
