// A shell that asks something itself, or through a program of its own process group, is not at its prompt.
import { assert, assertEquals } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { readResult, Watching } from "../support/watching.ts";

interface Question {
  typed: string;
  /** What the screen shows once it is asked; by default the `Q?` that the text prints. */
  shows?: RegExp;
  waits: string;
  answer?: readonly string[];
}

const ASK = "printf 'Q?\\n'";
const [LINE, KEY, PASSWORD] = ["a line of input", "a keypress", "a password"].map((what) =>
  `is waiting for ${what}`
);
const READS: Question[] = [
  { typed: `${ASK}; read x`, waits: LINE! },
  { typed: `(${ASK}; read x; sleep 0.1)`, waits: LINE! },
];
const PIPELINE: Question = {
  typed: `echo a | while read l; do ${ASK}; read y </dev/tty; done`,
  waits: LINE!,
};
const PROGRAM: Question = { typed: `x=$(${ASK} >/dev/tty; head -n1 /dev/tty)`, waits: `head ${LINE}` };
const QUESTIONS: Record<string, Question[]> = {
  "bash --norc --noprofile": [
    ...READS,
    PIPELINE,
    PROGRAM,
    { typed: `${ASK}; read -s x`, waits: PASSWORD! },
    { typed: `${ASK}; read -n1 x`, waits: KEY!, answer: ["m"] },
    { typed: `${ASK}; select x in me you; do break; done`, waits: LINE!, answer: ["1", "Enter"] },
    { typed: `f() { sleep 0.1; ${ASK}; read x; sleep 0.1; }; f`, waits: LINE! },
    { typed: "(seq 100 | less; echo)", shows: /^:$/m, waits: `less ${KEY}`, answer: ["q"] },
  ],
  // zsh runs the end of a pipeline itself, where now and then the end of `echo` interrupts its `read`.
  "zsh -f": [...READS, PROGRAM, { typed: `${ASK}; read -k1 x`, waits: KEY!, answer: ["m"] }],
  "dash -i": [...READS, PIPELINE, PROGRAM],
};

const test = onOneServer("watches of shells that ask");

for (const [shell, questions] of Object.entries(QUESTIONS)) {
  for (const { typed, shows = /^Q\?$/m, waits, answer = ["me", "Enter"] } of questions) {
    test(`${shell}: ${typed}`, async ({ world, client }) => {
      const watching = new Watching(world, client);
      const paneId = await watching.shellPane(shell);
      await watching.type(paneId, typed);
      await watching.until(async () => shows.test(await watching.screen(paneId)));

      const asked = await client.ok("watch-pane", { paneId, timeout: 20 });
      assertEquals([asked.event, asked.detail.includes(waits)], ["user_input", true], asked.detail);
      const early = await client.ok("watch-pane", { paneId, triggers: "exit,shell", timeout: 0.4 });
      assertEquals(early.event, "timeout", early.detail);
      assert(early.detail.includes(waits), early.detail);

      const { result } = await watching.watch({ paneId, triggers: "shell" });
      await world.tmux("send-keys", "-t", paneId, ...answer);
      const { event, detail } = readResult(await result);
      // The answer may come before the first look.
      assertEquals(
        [event, /^Back at the shell|is at its prompt again$|was already at its prompt/.test(detail)],
        ["shell", true],
        detail,
      );
    });
  }
}
