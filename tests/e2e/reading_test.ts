import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import type { TestClient } from "../support/world.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("what is read of panes");

/** A pane that has printed `script`'s output and stays. */
async function printed(client: TestClient, script: string, size: { width?: number; height?: number } = {}) {
  const { paneId, sessionId } = await client.ok("create-session", {
    width: 80,
    height: 24,
    ...size,
    command: `sh -c '${script}; printf "\\nthe-end"; exec sleep 1000'`,
  });
  await until(async () => (await client.ok("capture-pane", { paneId })).endsWith("the-end"));
  return { paneId: paneId as string, sessionId: sessionId as string };
}

test("filters: every op, as an object or a JSON string, and none that is unknown", async ({ client }) => {
  for (const name of ["alpha", "Beta", "gamma"]) await client.ok("create-session", { name });
  const named = async (filters: unknown): Promise<string> => {
    const { sessions } = await client.ok("list-sessions", { filters });
    return sessions.map((session: { name: string }) => session.name[0]).sort().join("");
  };
  const cases: [Record<string, unknown>, string][] = [
    [{ name: "alpha" }, "a"],
    [{ name__exact: "beta" }, ""],
    [{ name__iexact: "beta" }, "B"],
    [{ name__contains: "a" }, "Bag"],
    [{ name__icontains: "AMM" }, "g"],
    [{ name__startswith: "b" }, ""],
    [{ name__istartswith: "b" }, "B"],
    [{ name__endswith: "ma" }, "g"],
    [{ name__iendswith: "TA" }, "B"],
    [{ name__regex: "^(alpha|gamma)$" }, "ag"],
    [{ name__iregex: "^b" }, "B"],
    [{ name__in: ["alpha", "Beta"] }, "Ba"],
    [{ name__nin: ["alpha", "Beta"] }, "g"],
    [{ windows: 1, attached: false }, "Bag"],
    [{ name__contains: "a", name__in: ["gamma"] }, "g"],
    [{}, "Bag"],
  ];
  for (const [filters, expected] of cases) {
    assertEquals(await named(filters), expected, JSON.stringify(filters));
    assertEquals(await named(JSON.stringify(filters)), expected);
  }
  const field = await client.fails("list-sessions", { filters: { nome: "x" } });
  assertEquals(field.code, "invalid-argument");
  assertMatch(field.text, /"nome".*name, windows, attached/s);
  const op = await client.fails("list-panes", { filters: { currentCommand__like: "x" } });
  assertMatch(op.text, /"like".*exact, iexact/s);
  assertEquals((await client.fails("list-panes", { filters: { id__regex: "(" } })).code, "invalid-argument");
  assertEquals((await client.ok("list-panes", { filters: { id__in: ["%0", "%2"] } })).panes.length, 2);
  assertEquals((await client.ok("list-windows", { filters: { sessionName: "alpha" } })).windows.length, 1);
});

test("capture-since: cursor to cursor through a real client", async ({ world, client }) => {
  const { paneId } = await printed(client, "seq 100");
  const first = await client.ok("capture-since", { paneId });
  assertEquals([first.missed, first.truncated, first.lines.at(-1)], [false, false, "the-end"]);
  assertMatch(first.cursor, /^%\d+:/);
  assert(first.cursor.length < 200, `a cursor is short: ${first.cursor.length}`);
  const none = await client.ok("capture-since", { cursor: first.cursor, paneId });
  assertEquals(none.lines, []);
  assertEquals((await client.fails("capture-since")).code, "invalid-argument");
  assertEquals(
    (await client.fails("capture-since", { paneId: "%77", cursor: none.cursor })).code,
    "invalid-argument",
  );
  assertEquals((await client.fails("capture-since", { paneId: "%77" })).code, "not-found");
  const { paneId: short } = await client.ok("create-session", { name: "short", command: "exec sleep 1000" });
  const { cursor } = await client.ok("capture-since", { paneId: short });
  const scoped = await world.serve({ env: { TMUX_MCP_ALLOWED_SESSIONS: "short" } });
  assertEquals((await scoped.ok("capture-since", { cursor })).lines, []);
  await world.tmux("kill-session", "-t", "=short");
  for (const each of [client, scoped]) {
    assertEquals((await each.fails("capture-since", { cursor })).code, "gone");
  }
  await world.tmux("kill-server");
  await until(async () => (await client.ok("list-sessions")).sessions.length === 0);
  assertEquals((await client.fails("capture-since", { cursor: none.cursor })).code, "gone");
  await printed(client, "seq 3");
  const later = await client.fails("capture-since", { cursor: none.cursor });
  assertEquals(later.code, "gone", "pane ids begin again at %0 on a new server");
});

test("snapshot-pane: content and metadata of one moment", async ({ client }) => {
  const { paneId } = await printed(client, "seq 30");
  const shot = await client.ok("snapshot-pane", { paneId });
  assertEquals([shot.paneId, shot.cursorX, shot.cursorY, shot.width], [paneId, 7, 23, 80]);
  assertEquals(shot.content.split("\n")[shot.cursorY], "the-end");
  assert(!("id" in shot) && !("scrollPosition" in shot));
  const cut = await client.ok("snapshot-pane", { paneId, maxLines: 2 });
  assertEquals([cut.content, cut.contentTruncated], ["\nthe-end", true]);
  await client.ok("enter-copy-mode", { paneId, scrollUp: 4 });
  const scrolled = await client.ok("snapshot-pane", { paneId });
  assertEquals([scrolled.inMode, scrolled.scrollPosition], [true, 4]);
  assertEquals((await client.fails("snapshot-pane", { paneId: "%99" })).code, "not-found");
});

test("search misses matches across a wrap", async ({ client }) => {
  const { paneId } = await printed(client, `printf "%070d" 0; echo needle-in-the-fold; echo NEEDLE two`);
  const { matches, total } = await client.ok("search-panes", { pattern: "needle-IN-the-fold" });
  assertEquals([total, matches[0].paneId, matches[0].isCaller], [1, paneId, false]);
  assertEquals(matches[0].lines, [{ row: 0, text: `${"0".repeat(70)}needle-in-the-fold` }]);
  const both = await client.ok("search-panes", { pattern: "^.*needle", regex: true });
  assertEquals(both.matches[0].lines.map((line: { row: number }) => line.row), [0, 2], "wrapped rows count");
  assertEquals(
    (await client.ok("search-panes", { pattern: "NEEDLE", matchCase: true })).matches[0].lines.length,
    1,
  );
  assertEquals((await client.ok("search-panes", { pattern: "NEEDLE.*$", matchCase: true })).total, 0);
  const missed = await client.ok("search-panes", { pattern: "needle|pin" });
  assertEquals([missed.total, missed.hint], [
    0,
    '"needle|pin" was searched for as text: regex: true makes it a regex',
  ]);
  for (const pattern of ["ls | wc -l", "[error] a.b (c)* $x^", "C:\\Users"]) {
    assertEquals((await client.ok("search-panes", { pattern })).hint, undefined, pattern);
  }
  const bad = await client.fails("search-panes", { pattern: "(?=x)", regex: true });
  assertEquals(bad.code, "invalid-argument");
});

test("search-panes: history, lines kept, and pages to the end", async ({ client }) => {
  const made = [];
  for (let i = 0; i < 5; i++) made.push((await printed(client, "seq 1000 1100")).paneId);
  assertEquals((await client.ok("search-panes", { pattern: "1001" })).total, 0);
  const old = await client.ok("search-panes", { pattern: "1001", history: "all", paneIds: [made[0]] });
  const [{ row, text }] = old.matches[0].lines;
  assertEquals(text, "1001");
  assertEquals(await client.ok("capture-pane", { paneId: made[0], start: row, end: row }), "1001");
  assertEquals((await client.ok("search-panes", { pattern: "1001", history: "200" })).total, 5);
  const seen: string[] = [];
  for (let offset = 0;;) {
    const page = await client.ok("search-panes", { pattern: "the-end", limit: 2, offset });
    assertEquals([page.total, page.offset, page.limit], [5, offset, 2]);
    seen.push(...page.matches.map((match: { paneId: string }) => match.paneId));
    offset += page.matches.length;
    if (!page.truncated) break;
  }
  assertEquals(seen, made);
  const kept = await client.ok("search-panes", {
    pattern: "1[01].",
    regex: true,
    maxLinesPerPane: 2,
    paneIds: [made[1]],
  });
  assertEquals(kept.matches[0].lines.map((line: { text: string }) => line.text), ["1099", "1100"]);
  assertEquals([kept.truncated, kept.matches[0].linesTruncated, kept.matches[0].lines.length], [
    true,
    true,
    2,
  ]);
  assertEquals((await client.fails("search-panes", { pattern: "x", paneIds: ["%99"] })).code, "not-found");
});

test("capture-pane takes a row however far off it is", async ({ client }) => {
  const size = { width: 40, height: 5 };
  const { paneId } = await client.ok("create-session", { ...size, command: "seq 1 30; exec cat" });
  const last = { paneId, pattern: "^30$", regex: true, timeout: 30 };
  assertEquals((await client.ok("wait-for-text", last)).found, true);
  const all = Array.from({ length: 30 }, (_, index) => `${index + 1}`).join("\n");
  for (const start of [-26, -32768, -(2 ** 31), -(2 ** 31) - 1, -(2 ** 32), -1e12]) {
    assertEquals(await client.ok("capture-pane", { paneId, start }), all, `${start}`);
  }
  for (const end of [4, 32767, 32768, 2 ** 31, 2 ** 32, 1e12]) {
    assertEquals(await client.ok("capture-pane", { paneId, start: -26, end }), all, `${end}`);
    // Beyond the screen its last row is the nearest, which is blank.
    assertEquals(await client.ok("capture-pane", { paneId, start: Math.max(end, 4) }), "", `${end}`);
  }
  assertEquals(await client.ok("capture-pane", { paneId, start: -26, end: -(2 ** 40) }), "1");
});

test("a line that is longer than what is read at once has a cursor too", async ({ client }) => {
  const { paneId } = await client.ok("create-session", {
    ...{ width: 80, height: 24 },
    command: "printf %0200000d 0; read; printf '1\\nnext\\n'; exec cat",
  });
  await until(async () => (await client.ok("capture-pane", { paneId })).length > 1900);
  const found = await client.ok("wait-for-text", { paneId, pattern: "000", timeout: 5 });
  assertEquals([found.found, found.matchedAtEntry], [true, true]);
  const { cursor, missed } = await client.ok("capture-since", { paneId });
  assertEquals(missed, false);
  await client.ok("send-enter", { paneId });
  await client.ok("wait-for-text", { paneId, pattern: "^next$", regex: true, timeout: 5 });
  // Its beginning is above what was read, so all of it counts as new.
  const since = await client.ok("capture-since", { cursor, maxBytes: 300_000 });
  assertEquals([since.missed, since.lines.at(-1)], [true, "next"]);
});

test("pages of a full history end, among equal lines and with few lines too", async ({ client }) => {
  const { paneId } = await client.ok("create-session", {
    ...{ width: 80, height: 24 },
    command: "read; yes | head -5000; echo end; exec cat",
  });
  const { cursor: first } = await client.ok("capture-since", { paneId });
  await client.ok("send-enter", { paneId });
  await client.ok("wait-for-text", { paneId, pattern: "^end$", regex: true, timeout: 10 });
  for (const maxLines of [1, 500]) {
    let page = await client.ok("capture-since", { cursor: first, maxLines });
    assertEquals([page.missed, page.linesMissed, page.truncated], [true, undefined, true], "no guess");
    let total = page.lines.length;
    for (let pages = 0; page.truncated && pages < 8; pages++) {
      const before = page.cursor;
      page = await client.ok("capture-since", { cursor: before, maxLines });
      assertEquals([page.missed, page.cursor === before], [false, false]);
      total += page.lines.length;
    }
    if (maxLines === 500) {
      assertEquals([page.truncated, page.lines.at(-1), total > 1800], [false, "end", true]);
    }
  }
});

test("a cursor with one wrong character is refused, whichever it is", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "seq 1 200; exec cat" });
  await client.ok("wait-for-text", { paneId, pattern: "^200$", regex: true });
  const { cursor } = await client.ok("capture-since", { paneId });
  const same = await client.ok("capture-since", { cursor });
  assertEquals([same.lines, same.missed], [[], false]);
  for (let at = paneId.length + 1; at < cursor.length; at++) {
    const wrong = `${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`;
    const { code } = await client.fails("capture-since", { cursor: wrong });
    assertEquals(code, "invalid-argument", wrong);
  }
  // The last character may have bits to spare: no other spelling of the same bytes is taken.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const others = [...alphabet].filter((last) => last !== cursor.at(-1));
  for (const last of others) {
    const { code } = await client.fails("capture-since", { cursor: `${cursor.slice(0, -1)}${last}` });
    assertEquals(code, "invalid-argument", last);
  }
});
