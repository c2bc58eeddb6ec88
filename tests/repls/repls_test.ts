// The judgements behind run-in-repl: echo, prompt, and when a REPL is done.
import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../src/process/probe.ts";
import { HeadAndTail } from "../../src/terminal/head_and_tail.ts";
import { type FollowedScreen, textBefore } from "../../src/watch/followed_screen.ts";
import { wantsBlankLine } from "../../src/repls/blocks.ts";
import { dropEcho, dropPrompt, ReplOutput } from "../../src/repls/output.ts";
import { quietNeeded, type Signs } from "../../src/repls/input_done.ts";
import { isRelay, isSamePrompt } from "../../src/watch/prompt_line.ts";

function inspect(facts: Partial<PaneInspection> = {}): PaneInspection {
  return {
    panePid: 1,
    foregroundPid: 1,
    foregroundCmd: "python3",
    foregroundGroup: 1,
    isAlive: true,
    waitingForInput: true,
    inputKind: "raw",
    evidence: "pselect6 on /dev/pts/1",
    ...facts,
  };
}

Deno.test("echo: the typed line goes, whatever follows the prompt", () => {
  assertEquals(dropEcho([">>> 1+1", "2"], ">>> ", ["1+1"]), ["2"]);
  assertEquals(dropEcho(["> 1+1 ", "2"], "> ", ["1+1"]), ["2"]);
  assertEquals(dropEcho([">>>"], ">>> ", [""]), []);
  assertEquals(dropEcho(["% ls       12:34", "a b"], "% ", ["ls"]), ["a b"]);
});

Deno.test("echo: a prompt of several rows that is redrawn moves it down", () => {
  assertEquals(dropEcho(["~/work main", "", "❯ ls", "a b"], "❯ ", ["ls"]), ["a b"]);
});

Deno.test("echo: a pasted block goes line by line, blank ones too, and nothing after it", () => {
  const shown = [">>> def f():", "...     return 1", "... ", "... f()", "1", "f()"];
  const typed = ["def f():", "    return 1", "", "f()"];
  assertEquals(dropEcho(shown, ">>> ", typed), ["1", "f()"]);
  // IPython in vi mode.
  const [first, ...others] = shown.slice(0, 4).map((line) => line.slice(4));
  const wide = [`[ins] In [1]: ${first}`, ...others.map((line) => `         ...: ${line}`), "1"];
  assertEquals(dropEcho(wide, "[ins] In [1]: ", typed), ["1"]);
});

Deno.test("echo: of lines pasted at once, each goes at its prompt, and output stays", () => {
  const shown = [">>> f()", "1", ">>> ", ">>> g()", "g()", ">>> h()", "3"];
  assertEquals(dropEcho(shown, ">>> ", ["f()", "", "g()", "h()"]), ["1", "g()", "3"]);
  assertEquals(dropEcho([">>> f()", ">>> x"], ">>> ", ["f()"]), [">>> x"]);
});

Deno.test("echo: a prompt that is drawn otherwise for a block (irb) goes too", () => {
  const [prompt, typed] = ["irb(main):002:0> ", "[1].each do |x|"];
  assertEquals(dropEcho([`irb(main):002:1* ${typed}`], prompt, [typed]), []);
  assertEquals(dropEcho([`other: ${typed}`], prompt, [typed]), [`other: ${typed}`]);
  const block = [
    `irb(main):002:1* ${typed}`,
    "irb(main):003:1* ",
    "irb(main):004:1*   puts x",
    "irb(main):005:0> end",
  ];
  assertEquals(dropEcho([...block, "1"], prompt, [typed, "", "  puts x", "end"]), ["1"]);
});

/** Lines of the answer, for bytes that an editor printed and lines that were typed. */
async function answerOf(printed: string, typed: string[], earlier: string[]): Promise<string[]> {
  const screen = { columns: 40, rows: 10, cursorRow: 2, cursorColumn: 6, text: "\n\n  ..: \n" };
  const output = new ReplOutput(screen as FollowedScreen, { first: "In [1]: " });
  output.push(new TextEncoder().encode(printed));
  return (await output.answer(typed, "waits", earlier)).lines;
}

Deno.test("echo: a block that is drawn again from its first line (IPython) goes whole", async () => {
  const drawn = "\x1b[1A\rIn [1]: for i in x:\r\n  ..:  i\r\n  ..: \r\n0\r\n1\r\nIn [2]: ";
  assertEquals(await answerOf(drawn, [""], ["for i in x:", " i"]), ["0", "1"]);
});

Deno.test("prompt: what an editor shows below it (ptpython) is no output", async () => {
  const drawn = "\r\n0\r\nIn [2]: \r\n\n\n[F2] Menu\x1b[3A\r\x1b[8C";
  assertEquals(await answerOf(drawn, [""], []), ["0"]);
});

Deno.test("echo: where nothing is echoed, only the prompt goes", () => {
  assertEquals(dropEcho(["Password: ", "welcome"], "Password: ", ["secret"]), ["welcome"]);
  assertEquals(dropEcho(["Continue? OK, ready", "done"], "Continue? ", ["y"]), ["OK, ready", "done"]);
});

Deno.test("prompt: it goes, what was printed before it on its line stays", () => {
  const known = [">>> "];
  assertEquals(dropPrompt(["2", ">>>"], { pending: ">>> ", known, end: "waits" }), ["2"]);
  const behind = { pending: "~# ", known: ["~# "], end: "waits" } as const;
  assertEquals(dropPrompt(["a", "", "~# ", "", " "], behind), ["a", ""]);
  assertEquals(dropPrompt(["a", "~#      me@host"], behind), ["a"]);
  assertEquals(dropPrompt(["2", "x>>>"], { pending: "x>>> ", known, end: "waits" }), ["2", "x"]);
  assertEquals(dropPrompt(["2", "... "], { pending: "... ", known, end: "waits" }), ["2"]);
  const counted = { pending: "octave:4> ", known: ["> ", "octave:3> "], end: "waits" } as const;
  assertEquals(dropPrompt(["2", "octave:4>"], counted), ["2"]);
  assertEquals(dropPrompt(["2", "   "], { pending: "   ", known: ["# "], end: "waits" }), ["2"]);
  assertEquals(dropPrompt(["bye", "host$"], { pending: "host$ ", known, end: "gone" }), ["bye"]);
});

Deno.test("prompt: without one, and when time is up, the last line is output", () => {
  assertEquals(dropPrompt(["abc"], { pending: "abc", known: [""], end: "waits" }), ["abc"]);
  assertEquals(dropPrompt(["50%"], { pending: "50%", known: [">>> "], end: "time" }), ["50%"]);
  assertEquals(dropPrompt(["5", ">>>"], { pending: ">>> ", known: [">>> "], end: "time" }), ["5"]);
});

Deno.test("prompt: numbers in it may count, and output may stand before it", () => {
  assertEquals(isSamePrompt("In [2]: ", "In [13]: "), true);
  assertEquals(isSamePrompt("x>>> ", ">>> "), true);
  assertEquals(isSamePrompt("... ", ">>> "), false);
  assertEquals(isSamePrompt(">> ", "> "), false);
  assertEquals(isSamePrompt("", ">>> "), false);
});

const SIGNS: Signs = {
  inspection: inspect(),
  before: inspect(),
  pending: ">>> ",
  prompt: ">>> ",
  asked: ">>> ",
  taken: true,
  entering: false,
  answered: true,
  returnsOnInput: true,
};

const JUDGEMENTS: Record<string, { signs: Partial<Signs>; quiet: number }> = {
  "back at its prompt": { signs: {}, quiet: 0 },
  "at work": { signs: { inspection: inspect({ waitingForInput: false }) }, quiet: Infinity },
  "nothing shows that it took the input": { signs: { taken: false }, quiet: 150 },
  "on the line of its input": { signs: { pending: ">>> f(1)", taken: false, entering: true }, quiet: 1000 },
  "a relay without a prompt that has answered": {
    signs: { prompt: "", pending: "", inspection: inspect({ foregroundCmd: "nc" }) },
    quiet: 100,
  },
  "a relay without a prompt that has not answered yet": {
    signs: { prompt: "", pending: "", answered: false, inspection: inspect({ foregroundCmd: "nc" }) },
    quiet: 1000,
  },
  "at another prompt": { signs: { pending: "Name? " }, quiet: 100 },
  "an event loop without its prompt": {
    signs: { pending: "", inspection: inspect({ evidence: "epoll on /dev/pts/1" }) },
    quiet: Infinity,
  },
  "an event loop that has printed an unfinished line": {
    signs: { pending: "1 2 ", prompt: "> ", inspection: inspect({ evidence: "epoll on /dev/pts/1" }) },
    quiet: 1200,
  },
  "an event loop that asks": {
    signs: { pending: "Name: ", prompt: "> ", inspection: inspect({ evidence: "epoll on /dev/pts/1" }) },
    quiet: 100,
  },
  "an event loop with a timer, after what may be a question": {
    signs: {
      pending: "Loading: ",
      prompt: "> ",
      inspection: inspect({ evidence: "epoll on /dev/pts/1", beside: { what: "a timer", ranMs: 0 } }),
    },
    quiet: 1200,
  },
  "an event loop that continues a block": {
    signs: { pending: "... ", prompt: "> ", inspection: inspect({ evidence: "epoll on /dev/pts/1" }) },
    quiet: 100,
  },
  "an event loop whose calls are hidden, without its prompt": {
    signs: {
      pending: "",
      inspection: inspect({ evidence: "probably: node (7) asleep in do_epoll_wait, holds /dev/pts/1" }),
    },
    quiet: Infinity,
  },
  "a thread for keys, without the prompt": {
    signs: {
      pending: "",
      inspection: inspect({ evidence: "read(0) on /dev/pts/1, in a thread of its own" }),
    },
    quiet: Infinity,
  },
  "a thread for keys beside one that works, without the prompt": {
    signs: {
      pending: "",
      inspection: inspect({
        evidence: "read(0) on /dev/pts/1, in a thread of its own, beside a thread at work",
      }),
    },
    quiet: Infinity,
  },
  "a password that a person will type": {
    signs: { pending: "Password: ", inspection: inspect({ inputKind: "password" }), returnsOnInput: false },
    quiet: Infinity,
  },
  "another program that a person will answer": {
    signs: { pending: "sqlite> ", inspection: inspect({ foregroundPid: 2 }), returnsOnInput: false },
    quiet: Infinity,
  },
  "another prompt of the same program, while a person answers": {
    signs: { pending: "Name? ", returnsOnInput: false },
    quiet: 100,
  },
  "no prompt, ever": { signs: { pending: "", prompt: "" }, quiet: 0 },
  "ssh with the prompt again": { signs: { inspection: inspect({ foregroundCmd: "ssh" }) }, quiet: 100 },
  "ssh before the prompt": {
    signs: { inspection: inspect({ foregroundCmd: "ssh" }), pending: "" },
    quiet: Infinity,
  },
  "Python's block behind ssh": {
    signs: { inspection: inspect({ foregroundCmd: "ssh" }), pending: "... ", prompt: ">>> " },
    quiet: 100,
  },
  "a later line of Python's block by another name, with a pattern": {
    signs: {
      inspection: inspect({ foregroundCmd: "flask" }),
      pending: "... ",
      prompt: "... ",
      pattern: { matches: () => false },
    },
    quiet: 0,
  },
  "ssh with what may be a prompt": {
    signs: { inspection: inspect({ foregroundCmd: "ssh" }), pending: "mysql: " },
    quiet: 1000,
  },
  "a pattern that does not match": { signs: { pattern: { matches: () => false } }, quiet: Infinity },
  "a pattern that matches while it works": {
    signs: { pattern: { matches: () => true }, inspection: inspect({ waitingForInput: false }) },
    quiet: Infinity,
  },
  "a pattern that matches": { signs: { pattern: { matches: () => true } }, quiet: 0 },
};

for (const [name, { signs, quiet }] of Object.entries(JUDGEMENTS)) {
  Deno.test(`readiness: ${name}`, () => assertEquals(quietNeeded({ ...SIGNS, ...signs }), quiet));
}

Deno.test("readiness: a carrier is known behind the shell that started it too", () => {
  assertEquals(isRelay(inspect({ foregroundCmd: "sh", evidence: "poll on /dev/pts/1 by ssh (77)" })), true);
  assertEquals(isRelay(inspect({ foregroundCmd: "sshd-keygen-wizard" })), false);
  assertEquals(isRelay(inspect()), false);
});

Deno.test("blocks: one typed whole gets the empty line that ends it, one typed in parts does not", () => {
  const waits = { end: "waits", prompt: "... ", inspection: inspect() } as const;
  const wants = (input: string, asked = ">>> ") => wantsBlankLine(waits, { input, asked });
  assertEquals(wants("for i in x: print(i)"), true);
  assertEquals(wants("def f():\n    return 1"), true);
  assertEquals(wants("def f():"), false);
  assertEquals(wants("x = ["), false);
  assertEquals(wants("    return 1", "... "), false);
  for (const open of ['x = """first', "def f():\n  '''doc", '"""a\nb\n']) {
    assertEquals(wants(open), false, open);
  }
  assertEquals(wants('def f():\n  """doc"""'), true);
  assertEquals(wantsBlankLine({ ...waits, prompt: ">>> " }, { input: "1", asked: ">>> " }), false);
  const node = { ...waits, inspection: inspect({ foregroundCmd: "node" }) };
  assertEquals(wantsBlankLine(node, { input: "if (x) {}", asked: "> " }), false);
});

Deno.test("screen: the text before the cursor counts wide characters and no colours", () => {
  const capture = "one\n\x1b[32m日本\x1b[m> typed";
  assertEquals(textBefore(capture, { row: 1, column: 6 }), "日本> ");
});

Deno.test("ends: a text that has no end is kept at both, and what is left out is counted", () => {
  const lines = new HeadAndTail({ head: 20, tail: 20 });
  const encoder = new TextEncoder();
  for (let n = 0; n < 1000; n++) lines.append(encoder.encode(`${n}\n`), 1);
  const kept = lines.lines();
  assertEquals(kept.slice(0, 3), ["0", "1", "2"]);
  assertEquals(kept.at(-1), "999");
  const omitted = Number(
    /^\[(\d+) lines left out here\]$/.exec(kept.find((line) => line.startsWith("["))!)![1],
  );
  assertEquals(omitted + kept.length - 1, 1000);
  assertEquals(lines.count, 1000);
});
