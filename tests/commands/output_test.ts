import { assert, assertEquals, assertRejects } from "@std/assert";
import { CommandOutput } from "../../src/commands/output.ts";
import { OutputStore } from "../../src/commands/output_store.ts";

const encoder = new TextEncoder();
const ALL = { maxLines: 1e9, maxBytes: 1e9 };

function numbers(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`).join("\n");
}

async function written(text: string, keep?: OutputStore["keep"]): Promise<CommandOutput> {
  const output = new CommandOutput({ columns: 80, rows: 24 }, keep);
  for (let at = 0; at < text.length; at += 4096) output.push(encoder.encode(text.slice(at, at + 4096)));
  await output.finish();
  return output;
}

Deno.test("a short output is answered as it is", async () => {
  const output = await written("one\r\ntwo\r\n");
  assertEquals(output.ends({ maxLines: 2, maxBytes: 7 }), {
    output: "one\ntwo",
    totalLines: 2,
    totalBytes: 7,
  });
});

Deno.test("only output that draws something counts as printed", () => {
  const output = new CommandOutput({ columns: 80, rows: 24 });
  output.push(encoder.encode("\x1b[0m\x1b[?25l"));
  assertEquals(output.printedAt, -Infinity);
  output.push(encoder.encode("frame\x1b[?25l"));
  assert(output.printedAt > 0);
});

Deno.test("a long one gives its first quarter and its last three, and says what is left out", async () => {
  const output = await written(numbers(1, 1000).replaceAll("\n", "\r\n"));
  const { output: text, outputTruncated, nextOffset, totalLines } = output.ends({
    maxLines: 8,
    maxBytes: 1e6,
  });
  assertEquals(text, `1\n2\n[992 lines left out here; offset 2 continues]\n${numbers(995, 1000)}`);
  assertEquals([outputTruncated, nextOffset, totalLines], [true, 2, 1000]);
});

Deno.test("bytes are limited as lines are", async () => {
  const output = await written(numbers(1, 1000).replaceAll("\n", "\r\n"));
  const { output: text } = output.ends({ maxLines: 1000, maxBytes: 40 });
  assertEquals(text, `1\n2\n3\n4\n5\n[988 lines left out here; offset 5 continues]\n${numbers(994, 1000)}`);
});

Deno.test("one line longer than the answer keeps both its ends", async () => {
  const output = await written(`${"a".repeat(300)}${"é".repeat(100)}`);
  assertEquals(output.ends({ maxLines: 2000, maxBytes: 40 }), {
    output: `${"a".repeat(10)}\n[460 bytes of this line left out here; a larger maxBytes holds more of it]\n${
      "é".repeat(15)
    }`,
    outputTruncated: true,
    totalLines: 1,
    totalBytes: 500,
  });
});

Deno.test("of several lines too, one that is cut says so, and how much", async () => {
  const held = (bytes: number, which: string): string =>
    `[${bytes} bytes of ${which} line left out here; a larger maxBytes holds more of it]`;
  const limit = { maxLines: 2000, maxBytes: 40 };
  const first = await written(`${"a".repeat(300)}\r\n${numbers(1, 1000).replaceAll("\n", "\r\n")}`);
  const between = "[993 lines left out here; offset 1 continues]";
  assertEquals(
    first.ends(limit).output,
    `${"a".repeat(10)}\n${held(290, "this")}\n${between}\n${numbers(994, 1000)}`,
  );
  const both = await written(`${"é".repeat(100)}\r\n${"b".repeat(300)}`);
  assertEquals(
    both.ends({ maxLines: 2000, maxBytes: 44 }).output,
    `${"é".repeat(5)}\n${held(190, "this")}\n${held(267, "the next")}\n${"b".repeat(33)}`,
  );
  assertEquals(both.from(1, { maxLines: 9, maxBytes: 3 }).output, `bbb\n${held(297, "this")}`);
  assertEquals(both.from(0, { maxLines: 1, maxBytes: 200 }).output, "é".repeat(100));
});

Deno.test("an allowance too small to share goes to the end", async () => {
  const output = await written("one\r\ntwo\r\nthree\r\n");
  assertEquals(
    output.ends({ maxLines: 1, maxBytes: 1000 }).output,
    "[2 lines left out here; offset 0 continues]\nthree",
  );
});

Deno.test("offset reads on until nothing is left", async () => {
  const output = await written(numbers(0, 99).replaceAll("\n", "\r\n"));
  const middle = output.from(40, { maxLines: 3, maxBytes: 1000 });
  assertEquals([middle.output, middle.nextOffset, middle.outputTruncated], ["40\n41\n42", 43, true]);
  const last = output.from(98, { maxLines: 3, maxBytes: 1000 });
  assertEquals([last.output, last.nextOffset], ["98\n99", undefined]);
  assertEquals(output.from(100, ALL).output, "");
});

Deno.test("no lines asked for, none answered", async () => {
  const output = await written("one\r\n");
  assertEquals(output.ends({ maxLines: 0, maxBytes: 100 }), {
    output: "",
    outputTruncated: true,
    nextOffset: 0,
    totalLines: 1,
    totalBytes: 3,
  });
});

Deno.test("what is running shows its unfinished line", () => {
  const output = new CommandOutput({ columns: 80, rows: 24 });
  output.push(encoder.encode("done\r\nhalf"));
  assertEquals(output.ends(ALL).output, "done\nhalf");
  assertEquals(output.lastLine(), "half");
});

Deno.test("output beyond the memory limit is in a file without a name, and reads the same", async () => {
  const folder = await Deno.makeTempDir();
  try {
    using storage = new OutputStore({ memory: 1000, shared: { left: 1e9 }, folder });
    const output = await written(numbers(1, 50_000).replaceAll("\n", "\r\n"), storage.keep);
    assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
    assertEquals(output.from(0, ALL).output, numbers(1, 50_000));
    assertEquals(output.from(49_997, ALL).output, "49998\n49999\n50000");
    assertEquals(output.ends({ maxLines: 4, maxBytes: 1e6 }).output.split("\n").at(-1), "50000");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("outputs together take no more memory than they may, and give it back", async () => {
  const folder = await Deno.makeTempDir();
  const shared = { left: 10_000 };
  try {
    {
      using first = new OutputStore({ memory: 1e6, shared, folder });
      using second = new OutputStore({ memory: 1e6, shared, folder });
      for (const { keep } of [first, second]) {
        const output = await written(numbers(1, 5000).replaceAll("\n", "\r\n"), keep);
        assertEquals(output.from(0, ALL).output, numbers(1, 5000));
        assert(shared.left >= 0 && shared.left < 10_000, `${shared.left}`);
      }
    }
    assertEquals(shared.left, 10_000);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("all of a finished output counts", async () => {
  const shared = { left: 10_000 };
  using storage = new OutputStore({ memory: 1e6, shared, folder: "/dev/null" });
  await written(numbers(1, 9).replaceAll("\n", "\r\n"), storage.keep);
  assertEquals(shared.left, 10_000 - 18);
});

Deno.test("where no file can be made, beginning and end are kept and what is lost is said", async () => {
  const shared = { left: 1e9 };
  using storage = new OutputStore({ memory: 10_000, shared, folder: "/dev/null" });
  const output = await written(numbers(1, 50_000).replaceAll("\n", "\r\n"), storage.keep);
  assert(shared.left >= 1e9 - 10_000);
  const { output: text, totalLines, outputTruncated } = output.from(0, ALL);
  assertEquals([totalLines, outputTruncated], [50_000, true]);
  const [, first, lost, last] = /^1\n.*?(\d+)\n\[(\d+) lines are lost here: .*?\]\n(\d+)\n.*\n50000$/s.exec(
    text,
  )!.map(Number);
  assertEquals(first! + lost! + 1, last);
  assert(text.length < 100_000, `${text.length} characters are kept`);
  const { output: ends, nextOffset } = output.ends({ maxLines: 4, maxBytes: 1000 });
  assertEquals(ends, "1\n[49996 lines left out here; offset 1 continues]\n49998\n49999\n50000");
  assertEquals(nextOffset, 1);
});

Deno.test("what the screen shows beyond what came is added, unless the two differ", async () => {
  for (
    const [came, screen, whole] of [
      ["one\r\ntw", ["one", "two", "three"], "one\ntwo\nthree"],
      ["", ["all"], "all"],
      ["one\r\n", ["one"], "one"],
      ["one\r\ntwo\r\n", ["two"], "one\ntwo"],
      ["one\r\n", ["cleared", "two"], "one"],
    ] as const
  ) {
    const output = new CommandOutput({ columns: 80, rows: 24 });
    output.push(encoder.encode(came));
    await output.complete(screen);
    await output.finish();
    assertEquals(output.ends(ALL).output, whole);
  }
});

Deno.test("rows that may be from before a silent command are not taken for its output", async () => {
  for (
    const [columns, came, whole] of [[80, "", "all"], [40, "", ""], [40, "one\r\n", "one\nall"]] as const
  ) {
    const output = new CommandOutput({ columns: 80, rows: 24 });
    output.push(encoder.encode(came));
    output.resize(columns, 24);
    await output.complete([...came === "" ? [] : ["before", "one"], "all"]);
    await output.finish();
    assertEquals(output.ends(ALL).output, whole);
  }
});

Deno.test("a line says where output is missing", async () => {
  const output = new CommandOutput({ columns: 80, rows: 24 });
  output.push(encoder.encode("one\r\ntw"));
  output.gap();
  output.push(encoder.encode("ree\r\n"));
  await output.finish();
  const { output: text, outputTruncated } = output.ends({ maxLines: 100, maxBytes: 1000 });
  assertEquals(text.split("\n").with(2, "…"), ["one", "tw", "…", "ree"]);
  assertEquals(outputTruncated, true);
});

Deno.test("what is missing at the end is taken from the screen, and leaves no gap", async () => {
  const output = new CommandOutput({ columns: 80, rows: 24 });
  output.push(encoder.encode("one\r\ntw"));
  output.gap();
  await output.complete(["one", "two", "three"]);
  await output.finish();
  const { output: text, outputTruncated = false } = output.ends({ maxLines: 100, maxBytes: 1000 });
  assertEquals([text, outputTruncated], ["one\ntwo\nthree", false]);
});

Deno.test("a screen that shows no more than what came leaves no gap", async () => {
  for (const [came, screen] of [["", []], ["one\r\ntw", ["one", "tw"]]] as const) {
    const output = new CommandOutput({ columns: 80, rows: 24 });
    output.push(encoder.encode(came));
    output.gap();
    assertEquals(await output.complete(screen), new Uint8Array(0));
    await output.finish();
    const { output: text, outputTruncated = false } = output.ends(ALL);
    assertEquals([text, outputTruncated], [came.replace("\r", ""), false]);
  }
});

Deno.test("output that comes faster than it can be rendered lacks its middle, and says so", async () => {
  const output = new CommandOutput({ columns: 80, rows: 24, maxWaiting: 1000 });
  output.push(encoder.encode("\x1b[A"));
  for (let n = 0; n < 1000; n++) output.push(encoder.encode(`${n}\r\n`));
  const whole = async () => {
    await output.flush();
    const { output: text, outputTruncated } = output.ends(ALL);
    return [/\[output is missing here: /.test(text), text.endsWith("\n998\n999"), outputTruncated];
  };
  assertEquals(await whole(), [true, true, true]);
  await output.finish();
  assertEquals(await whole(), [true, true, true]);
});

Deno.test("output that can't be completed can be read as far as it was rendered", async () => {
  const output = new CommandOutput({ columns: 80, rows: 24 }, () => {
    throw new Error("no room");
  });
  output.push(encoder.encode("\x1b[A"));
  output.push(encoder.encode("x".repeat(79).concat("\r\n").repeat(10_000)));
  await assertRejects(() => output.finish(), Error, "no room");
  await output.flush();
  assertEquals(output.ends(ALL).totalLines, 0);
});
