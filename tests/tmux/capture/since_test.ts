import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { cursorCommands, readCursor } from "../../../src/tmux/capture/cursor.ts";
import type { Since } from "../../../src/tmux/capture/since.ts";
import { PrintedPane } from "../printed_pane.ts";

const LIMITS = { maxLines: 500, maxBytes: 128_000 };

function numbers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);
}

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

async function now(pane: PrintedPane): Promise<string> {
  const { tmux, id } = pane;
  return readCursor(id, tmux.codec, await tmux.runParts(cursorCommands(id, tmux.codec)));
}

/** Every page from a cursor on. */
async function readAll(pane: PrintedPane, cursor: string, limits = LIMITS): Promise<Since[]> {
  const pages: Since[] = [];
  do {
    pages.push(await pane.tmux.capture.since(pages.at(-1)?.cursor ?? cursor, limits));
    assert(pages.length < 5000, "pages without end");
  } while (pages.at(-1)!.truncated);
  return pages;
}

async function linesSince(pane: PrintedPane, cursor: string): Promise<{ lines: string[]; missed: boolean }> {
  const pages = await readAll(pane, cursor);
  return { lines: pages.flatMap((page) => page.lines), missed: pages.some((page) => page.missed) };
}

async function code(promise: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => promise, AppError) as AppError).code;
}

Deno.test("nothing new is nothing", async () => {
  await using pane = await PrintedPane.create();
  await pane.print("$ ");
  assertEquals(await linesSince(pane, await now(pane)), { lines: [], missed: false });
  await pane.print(text(numbers(1, 500)));
  const { cursor, lines } = await pane.tmux.capture.screen(pane.id, LIMITS);
  assertEquals(lines, numbers(478, 500));
  assertEquals(await linesSince(pane, cursor), { lines: [], missed: false });
});

Deno.test("lines are read exactly once over scrolling, an unfinished line again as it grows", async () => {
  await using pane = await PrintedPane.create();
  await pane.print("$ ");
  let cursor = await now(pane);
  await pane.print("seq\nline 1\nline 2\nunfin");
  let since = await pane.tmux.capture.since(cursor, LIMITS);
  assertEquals(since.lines, ["$ seq", "line 1", "line 2", "unfin"]);
  cursor = since.cursor;
  await pane.print(`ished\n\n\n${text(numbers(3, 400))}`);
  since = await pane.tmux.capture.since(cursor, LIMITS);
  assertEquals(since.lines, ["unfinished", "", "", ...numbers(3, 400)]);
  assertEquals(since.missed, false);
});

Deno.test("capture-since after a resize repeats rows", async () => {
  await using pane = await PrintedPane.create({ width: 80 });
  const long = "x".repeat(70);
  await pane.print(text([...numbers(1, 40), `${long} 1`, `${long} 2`]));
  const cursor = await now(pane);
  for (const [width, height] of [[40, 24], [40, 10], [120, 50], [30, 7], [80, 24]] as const) {
    await pane.resize(width, height);
    assertEquals(await linesSince(pane, cursor), { lines: [], missed: false }, `${width}x${height}`);
  }
  await pane.print(text([`${long}${long} 3`, "last"]));
  for (const [width, height] of [[40, 24], [20, 10], [120, 50], [80, 24]] as const) {
    await pane.resize(width, height);
    assertEquals(
      await linesSince(pane, cursor),
      { lines: [`${long}${long} 3`, "last"], missed: false },
      `${width}x${height}`,
    );
  }
});

Deno.test("few and repeated lines keep their place over a resize", async () => {
  await using pane = await PrintedPane.create({ width: 80 });
  await pane.print(`$ \n$ \n$ \n$ ${"y".repeat(100)}\n$ `);
  const cursor = await now(pane);
  await pane.resize(50, 24);
  assertEquals(await linesSince(pane, cursor), { lines: [], missed: false });
  await pane.print("\n$ \n$ ");
  assertEquals(await linesSince(pane, cursor), { lines: ["$", "$"], missed: false });
});

Deno.test("truncated rows lost permanently", async () => {
  await using pane = await PrintedPane.create();
  const cursor = await now(pane);
  const wide = numbers(1, 50).map((line, i) => i % 7 === 0 ? `${line} ${"ä".repeat(200)}` : line);
  await pane.print(text(wide));
  for (const limits of [{ maxLines: 7, maxBytes: 128_000 }, { maxLines: 500, maxBytes: 50 }]) {
    const pages = await readAll(pane, cursor, limits);
    assert(pages.every((page) => page.lines.length <= limits.maxLines));
    assert(pages.every((page) => new TextEncoder().encode(page.lines.join("\n")).length <= limits.maxBytes));
    assert(pages.every((page) => !page.missed));
    assertEquals(pages.flatMap((page) => page.lines).join(""), wide.join(""));
  }
  assertEquals((await readAll(pane, cursor, { maxLines: 7, maxBytes: 9999 })).flatMap((p) => p.lines), wide);
});

Deno.test("max 0 cuts nothing and says it did", async () => {
  await using pane = await PrintedPane.create();
  const cursor = await now(pane);
  const idle = await pane.tmux.capture.since(cursor, { maxLines: 0, maxBytes: 0 });
  assertEquals([idle.lines, idle.truncated], [[], false]);
  await pane.print(text(numbers(1, 3)));
  for (const limits of [{ maxLines: 0, maxBytes: 100 }, { maxLines: 10, maxBytes: 0 }]) {
    const none = await pane.tmux.capture.since(cursor, limits);
    assertEquals([none.lines, none.truncated], [[], true]);
    assertEquals((await linesSince(pane, none.cursor)).lines, numbers(1, 3));
  }
});

Deno.test("more than the history holds is what is retained, and missed", async () => {
  await using pane = await PrintedPane.create({ historyLimit: 200 });
  await pane.print(text(numbers(1, 20)));
  const cursor = await now(pane);
  await pane.print(text(numbers(21, 1000)));
  const { lines, missed } = await linesSince(pane, cursor);
  assertEquals(missed, true);
  assertEquals(lines, numbers(1000 - lines.length + 1, 1000));
  assert(lines.length > 180);
});

Deno.test("places are exact while tmux drops the oldest rows", async () => {
  await using pane = await PrintedPane.create({ historyLimit: 100, height: 10 });
  let printed = 0;
  for (let cursor = await now(pane); printed < 600;) {
    const fresh = numbers(printed + 1, printed += 37);
    await pane.print(text(fresh));
    const since = await pane.tmux.capture.since(cursor, LIMITS);
    assertEquals([since.lines, since.missed], [fresh, false]);
    cursor = since.cursor;
  }
});

Deno.test("lines all alike are counted while no row can have been dropped, and never guessed after", async () => {
  await using pane = await PrintedPane.create({ historyLimit: 100, height: 10 });
  await pane.print("y\n".repeat(20));
  const early = await now(pane);
  await pane.print("y\n".repeat(30));
  assertEquals(await linesSince(pane, early), { lines: Array(30).fill("y"), missed: false });
  await pane.print("y\n".repeat(200));
  const late = await now(pane);
  await pane.print("y\n".repeat(5));
  const pages = await readAll(pane, late);
  assertEquals(pages[0]?.missed, true);
  assertEquals((await pane.tmux.capture.since(late, { ...LIMITS, onlyNew: true })).lines, Array(5).fill("y"));
  // Nothing was printed since.
  assertEquals(await linesSince(pane, pages.at(-1)!.cursor), { lines: [], missed: false });
});

Deno.test("a cursor below few lines is not found among new ones after a resize", async () => {
  for (const before of ["", "$ \n"]) {
    await using pane = await PrintedPane.create({ historyLimit: 100, height: 10 });
    await pane.print(before);
    const cursor = await now(pane);
    await pane.print(text(Array.from({ length: 150 }, () => ["$", "ä".repeat(60)]).flat()));
    await pane.resize(50, 10);
    const { lines, missed } = await pane.tmux.capture.since(cursor, { ...LIMITS, onlyNew: true });
    assert(lines.length > 50, `${lines.length} lines`);
    assertEquals(missed, true);
  }
});

Deno.test("a cleared history is missed, whatever is printed again", async () => {
  await using pane = await PrintedPane.create();
  await pane.print(text(numbers(1, 100)));
  const cursor = await now(pane);
  await pane.tmux.run([["clear-history", "-t", pane.id]]);
  await pane.print(text(numbers(101, 105)));
  assertEquals(await linesSince(pane, cursor), { lines: numbers(78, 105), missed: true });
  await pane.print(text(numbers(1, 100)));
  assertEquals((await linesSince(pane, cursor)).missed, true);
});

Deno.test("lines found by their content alone are found above an empty last line", async () => {
  await using pane = await PrintedPane.create({ historyLimit: 100, height: 10 });
  const long = numbers(1, 40).map((line) => `${line} ${"é".repeat(70)}`);
  await pane.print(text(long));
  const cursor = await now(pane);
  await pane.resize(30, 10);
  assertEquals(await linesSince(pane, cursor), { lines: [], missed: false });
});

Deno.test("wide characters and dropped rows keep their place over a resize where the content tells", async () => {
  await using pane = await PrintedPane.create({ historyLimit: 100, height: 10 });
  const wide = numbers(1, 40).map((line) => `${line} ${"漢字".repeat(15)}`);
  await pane.print(text(wide));
  const cursor = await now(pane);
  await pane.resize(37, 10);
  assertEquals(await linesSince(pane, cursor), { lines: [], missed: false });
  await pane.print(text(numbers(41, 60)));
  await pane.resize(100, 12);
  assertEquals(await linesSince(pane, cursor), { lines: numbers(41, 60), missed: false });
});

Deno.test("a cleared pane is missed even when as much was printed again", async () => {
  await using pane = await PrintedPane.create();
  await pane.print(text(numbers(1, 10)));
  const cursor = await now(pane);
  await pane.tmux.run([["send-keys", "-R", "-t", pane.id], ["clear-history", "-t", pane.id]]);
  assertEquals(await linesSince(pane, cursor), { lines: [], missed: true });
  await pane.print(text(numbers(501, 530)));
  assertEquals(await linesSince(pane, cursor), { lines: numbers(501, 530), missed: true });
});

Deno.test("a screen cleared by the program goes to the history and loses no place", async () => {
  await using pane = await PrintedPane.create();
  await pane.print(text(numbers(1, 10)));
  const cursor = await now(pane);
  await pane.print(`line 11\n\x1b[H\x1b[2Jline 12\n`);
  const { lines, missed } = await linesSince(pane, cursor);
  assertEquals([missed, lines.filter((line) => line !== "")], [false, ["line 11", "line 12"]]);
});

Deno.test("the alternate screen is no output, and what it hides is found again", async () => {
  await using pane = await PrintedPane.create({ width: 40 });
  await pane.print(text([...numbers(1, 60), "w".repeat(50), "before"]));
  const cursor = await now(pane);
  await pane.print("vi\n\x1b[?1049h\x1b[H\x1b[2Jeditor\nrows\n");
  const since = await pane.tmux.capture.since(cursor, LIMITS);
  assertEquals([since.lines, since.missed, since.alternateScreen], [["vi"], false, true]);
  const inside = await now(pane);
  assertEquals(await linesSince(pane, inside), { lines: [], missed: false });
  await pane.print("\x1b[?1049lafter\n");
  assertEquals(await linesSince(pane, cursor), { lines: ["vi", "after"], missed: false });
  assertEquals(await linesSince(pane, inside), { lines: ["after"], missed: false });
});

Deno.test("a line that wraps from the history into the screen is one line under the alternate screen and after", async () => {
  await using pane = await PrintedPane.create({ width: 30, height: 6 });
  const wrapped = numbers(1, 8).map((line) => `${line} ${"ab ".repeat(13)}end`);
  await pane.print(text(wrapped.slice(0, 7)));
  const early = await now(pane);
  await pane.print(text(wrapped.slice(7)));
  const cursor = await now(pane);
  await pane.print("\x1b[?1049h\x1b[2Jeditor\n");
  assertEquals(await linesSince(pane, cursor), { lines: [], missed: false });
  assertEquals(await linesSince(pane, early), { lines: wrapped.slice(7), missed: false });
  await pane.print("\x1b[?1049l");
  assertEquals(await linesSince(pane, cursor), { lines: [], missed: false });
});

Deno.test("lines rewritten in place are read again from the first that changed", async () => {
  await using pane = await PrintedPane.create();
  await pane.print("$ pull\na: 1%\nb: 1%\nc: 1%\n");
  const cursor = await now(pane);
  await pane.print("\x1b[2A\r\x1b[Kb: 9%\x1b[2B\r");
  assertEquals(await linesSince(pane, cursor), { lines: ["b: 9%", "c: 1%"], missed: false });
  await pane.print("50%\r60%");
  assertEquals((await linesSince(pane, await now(pane))).lines, []);
  await pane.print("\r70%");
  assertEquals((await linesSince(pane, cursor)).lines, ["b: 9%", "c: 1%", "70%"]);
});

Deno.test("respawn, death and another server are gone", async () => {
  await using pane = await PrintedPane.create();
  await pane.tmux.run([["set-option", "-g", "remain-on-exit", "on"]]);
  const cursor = await now(pane);
  await pane.tmux.run([["respawn-pane", "-k", "-t", pane.id, "exec cat"]]);
  assertEquals(await code(pane.tmux.capture.since(cursor, LIMITS)), "gone");
  const second = await now(pane);
  await pane.tmux.run([["respawn-pane", "-k", "-t", pane.id, "exit 3"]]);
  assertEquals(await code(pane.tmux.capture.since(second, LIMITS)), "gone");
  await pane.tmux.run([["kill-pane", "-t", pane.id]]);
  assertEquals(await code(pane.tmux.capture.since(second, LIMITS)), "gone");
  assertEquals(await code(pane.tmux.capture.screen(pane.id, LIMITS)), "not-found");
});

Deno.test("a text that is no cursor is an invalid argument", async () => {
  await using pane = await PrintedPane.create();
  const cursor = await now(pane);
  for (const bad of ["", "%1", "%1:", "%1:AAAA", "%1:!!", cursor.slice(0, -2), `${cursor}AAAA`]) {
    assertEquals(await code(pane.tmux.capture.since(bad, LIMITS)), "invalid-argument", bad);
  }
});
