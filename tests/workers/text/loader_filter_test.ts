// Lines of a watched pane at whose prompt a command is typed: the loader is not among them, everything else is.
import { assert, assertEquals } from "@std/assert";
import { LOADERS, mayShowLoader, showsLoader } from "../../../src/shell/loader_lines.ts";
import { LineReader } from "../../../src/terminal/lines.ts";
import { LoaderFilter } from "../../../workers/text/loader_filter.ts";

const [BASH = ""] = LOADERS;
const READY = "\x1b]133;R;0 himBHs\x07";
const ERASED = "\r\x1b[2K\x1b[A\x1b[2K$ echo one\r\n";

/** Lines that pass at once, a `|`, and those that pass once the filter is flushed. */
function passed(chunks: readonly string[]): string {
  const reader = new LineReader({ columns: 80 });
  let text = "";
  const filter = new LoaderFilter((lines) => text += lines.text);
  for (const chunk of chunks) {
    const bytes = new TextEncoder().encode(chunk);
    text += filter.take({ block: reader.push(bytes), bytes, offset: reader.offset }).text;
  }
  text += "|";
  filter.flush();
  return text;
}

const CASES: { name: string; chunks: string[]; lines: string }[] = [
  {
    name: "a loader is dropped, after a prompt and in one chunk with its mark",
    chunks: [`before\r\n$ ${BASH}\r\n${READY}${ERASED}one\r\n`],
    lines: "before\n$ echo one\none\n|",
  },
  {
    name: "a mark that is cut between chunks counts",
    chunks: [`$ ${BASH}\r\n`, READY.slice(0, 5), READY.slice(5), `${ERASED}one\r\n`],
    lines: "$ echo one\none\n|",
  },
  {
    name: "a line that a job prints between passes at once",
    chunks: [`$ ${BASH}\r\n`, "server ready\r\n", READY, ERASED],
    lines: "server ready\n$ echo one\n|",
  },
  {
    name: "output after the mark that could be a part of a loader passes",
    chunks: [`$ ${BASH}\r\n${READY}${ERASED}\r\nend\r\nread\r\n`],
    lines: "$ echo one\n\nend\nread\n|",
  },
  {
    name: "blank lines and short words that no loader precedes pass",
    chunks: ["\r\nend\r\n", "eval\r\n"],
    lines: "\nend\neval\n|",
  },
  {
    name: "a loader that is drawn in pieces is dropped",
    chunks: ["$ begin;'set' -l fish_trace;\x1b[M", "    /bin/sh\x1b[M", "\r\n", `${READY}${ERASED}`],
    lines: "$ echo one\n|",
  },
  {
    name: "the key that has a terminal print its line again is dropped with the loader",
    chunks: ["$ ^R\r\n", `${BASH}\r\n${READY}${ERASED}`],
    lines: "$ echo one\n|",
  },
  {
    name: "characters that an editor draws in the last column before the rest are dropped with the loader",
    chunks: [
      "   _ \r\n\r\x1b[1A\x1b[79C_\r\n",
      `mcp=${BASH.slice(BASH.indexOf("=") + 1)}\r\n${READY}${ERASED}`,
    ],
    lines: "$ echo one\n|",
  },
  {
    name: "a character that an editor draws in the last column passes late without a loader",
    chunks: ["a\r\n\r\x1b[1A\x1b[79C_\r\n", "server ready\r\n"],
    lines: `server ready\n|a\n${" ".repeat(79)}_\n`,
  },
  {
    name: "text that only looks like a loader passes late",
    chunks: [`loader: ${BASH}\r\n`, "};\r\n"],
    lines: `};\n|loader: ${BASH}\n`,
  },
];

for (const { name, chunks, lines } of CASES) {
  Deno.test(`loaders: ${name}`, () => assertEquals(passed(chunks), lines));
}

Deno.test("every loader is dropped, wherever chunks are cut", () => {
  for (const loader of LOADERS) {
    const stream = `$ ${loader}\r\n${READY}${ERASED}one\r\n`;
    for (let cut = 1; cut < stream.length; cut += 7) {
      assertEquals(
        passed([stream.slice(0, cut), stream.slice(cut)]),
        "$ echo one\none\n|",
        `${loader} at ${cut}`,
      );
    }
  }
});

Deno.test("lines that pass keep their places in the stream", () => {
  const reader = new LineReader({ columns: 80 });
  const filter = new LoaderFilter(() => {});
  const stream = `a\r\n$ ${BASH}\r\n${READY}\x1b[31mb\x1b[m\r\n`;
  const bytes = new TextEncoder().encode(stream);
  const kept = filter.take({ block: reader.push(bytes), bytes, offset: reader.offset });
  assertEquals(kept.text, "a\nb\n");
  assertEquals(stream.slice(0, kept.offsetAt(3)), stream.slice(0, stream.indexOf("b\x1b[m") + 1));
});

Deno.test("no part of a loader, cut at any two places, is taken for a line that can't show one", () => {
  for (const loader of LOADERS) {
    for (let begin = 0; begin < loader.length; begin++) {
      for (let end = begin + 1; end <= loader.length; end++) {
        const part = loader.slice(begin, end);
        if (showsLoader(part)) assert(mayShowLoader(part), part);
      }
    }
  }
  assert(!mayShowLoader("12:03:44 INFO request /api/users 200 in 12ms"));
});
