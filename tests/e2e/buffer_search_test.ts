import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import { type TestClient, World } from "../support/world.ts";

const inTurn = inTurnOnOneServer("searches of buffers");

interface Match {
  matchId: string;
  buffer: string;
  offsetBytes: number;
  matchLen: number;
  contextStart: number;
  contextEnd: number;
  snippet: string;
  similarity?: number;
}

/** Declares a step with a session in its tmux. */
function test(name: string, run: (served: Served) => Promise<void>): void {
  inTurn(name, async (served) => {
    await served.client.ok("create-session", { command: "exec sleep 1000" });
    await run(served);
  });
}

async function load(world: World, name: string, content: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  await Deno.writeFile(`${world.folder}/content`, bytes);
  await world.tmux("load-buffer", "-b", name, `${world.folder}/content`);
  return bytes;
}

/** Every match, page after page. */
async function all(client: TestClient, args: Record<string, unknown>): Promise<Match[]> {
  const found: Match[] = [];
  let resume: Record<string, number> = {};
  for (let page = 0; page === 0 || Object.keys(resume).length > 0; page++) {
    assert(page < 2000, "it pages for ever");
    const answer = await client.ok("search-buffer", {
      ...args,
      ...(page > 0 ? { resumeFromOffset: resume } : {}),
    });
    assertEquals(answer.totalMatches, answer.matches.length);
    assertEquals(answer.truncatedBuffers, Object.keys(answer.resumeFromOffset));
    found.push(...answer.matches);
    resume = answer.resumeFromOffset;
  }
  return found;
}

/** Byte offsets of the matches of `pattern` in the text. */
function expected(bytes: Uint8Array, pattern: RegExp): [number, number][] {
  const text = new TextDecoder().decode(bytes);
  const size = (part: string): number => new TextEncoder().encode(part).length;
  return [...text.matchAll(pattern)].map((match) => [size(text.slice(0, match.index)), size(match[0])]);
}

const places = (matches: Match[]): [number, number][] =>
  matches.map((each) => [each.offsetBytes, each.matchLen]);

test("offsets are bytes, exact after non-ASCII text, and snippets are whole characters", async ({ world, client }) => {
  const bytes = await load(world, "b", "äöü needle 漢字 needle\nüüüüüneedleüüüüü\n");
  for (const mode of ["literal", "regex"]) {
    const { matches, bytesScanned, buffersScanned } = await client.ok("search-buffer", {
      ...{ query: "needle", mode, buffer: "b", contextBytes: 5 },
    });
    assertEquals(places(matches), expected(bytes, /needle/g));
    assertEquals([bytesScanned, buffersScanned], [bytes.length, 1]);
    assertEquals(matches[2].snippet, "üüneedleüü");
    for (const { contextStart, contextEnd, snippet } of matches) {
      assertEquals(new TextDecoder().decode(bytes.subarray(contextStart, contextEnd)), snippet);
    }
    assertEquals(
      await client.ok("show-buffer", {
        name: "b",
        offsetBytes: matches[1].offsetBytes,
        maxBytes: matches[1].matchLen,
      }),
      "needle",
    );
  }
  const binary = new Uint8Array([1, 0xff, 0xfe, 0x80, 110, 101, 101, 100, 108, 101, 0xc3, 10]);
  await load(world, "bin", binary);
  for (const mode of ["literal", "regex"]) {
    const { matches } = await client.ok("search-buffer", { query: "needle", mode, buffer: "bin" });
    assertEquals(places(matches), [[4, 6]]);
  }
});

test("search misses matches across a scan boundary, or after a non-ASCII byte, and pages for ever", async ({ world, client }) => {
  let text = "";
  for (let i = 0; text.length < 20_000; i++) {
    text += `${"é".repeat(i % 37)} needle${i}${i % 5 === 0 ? "\n" : " "}aaaa`;
  }
  const bytes = await load(world, "b", text);
  const cases: [string, "literal" | "regex", RegExp][] = [
    ["needle", "literal", /needle/g],
    ["needle\\d+", "regex", /needle\d+/g],
    ["aa", "literal", /aa/g],
    ["^\\w+", "regex", /^\w+/gm],
    ["\\bneedle\\d*7\\b", "regex", /\bneedle\d*7\b/g],
    ["[^ ]+$", "regex", /[^ \n]+$/gm],
  ];
  for (const [query, mode, pattern] of cases) {
    const places1 = expected(bytes, pattern);
    for (const maxScanBytes of [4097, 16_384, 10_000_000]) {
      const found = await all(client, { query, mode, buffer: "b", maxScanBytes, maxMatches: 400 });
      assertEquals(places(found), places1, `${query} ${maxScanBytes}`);
    }
  }
});

test("several buffers are searched in their order, each to its end", async ({ world, client }) => {
  for (const name of ["one", "two", "three"]) await load(world, name, `${name}: x x x`);
  const found = await all(client, { query: "x", maxMatches: 2 });
  assertEquals(found.length, 9);
  assertEquals(new Set(found.map((each) => each.matchId)).size, 9);
  const chosen = await all(client, { query: "x", buffers: ["two", "one"], maxMatches: 2 });
  assertEquals(chosen.map((each) => each.buffer), ["two", "two", "two", "one", "one", "one"]);
  const twice = await client.ok("search-buffer", { query: "x", buffers: ["two", "two"], maxScanBytes: 1 });
  assertEquals([twice.buffersScanned, twice.truncatedBuffers], [1, ["two"]]);
  assertEquals((await client.ok("search-buffer", { query: "x", buffers: [] })).matches, []);
  assertEquals((await client.ok("search-buffer", { query: "x", maxMatches: 0 })).matches, []);
});

test("a search of many buffers can be continued", async ({ world, client }) => {
  const names = Array.from({ length: 700 }, (_, at) => `one-of-many-buffers-${String(at).padStart(3, "0")}`);
  await Deno.writeTextFile(`${world.folder}/many`, names.map((name) => `set-buffer -b ${name} x\n`).join(""));
  await world.tmux("source-file", `${world.folder}/many`);
  const found = await all(client, { query: "x", maxMatches: 100 });
  assertEquals(found.map(({ buffer }) => buffer).sort(), names);
});

test("a large buffer is streamed, and never held twice", async ({ world, client }) => {
  const line = "2026-01-01 info nothing of note happened on this line at all\n";
  const size = 3_000_000;
  const bytes = await load(world, "big", line.repeat(size / line.length | 0) + "the needle\n");
  const { matches, bytesScanned } = await client.ok("search-buffer", {
    ...{ query: "needle$", mode: "regex", buffer: "big", maxScanBytes: 1_000_000_000 },
  });
  assertEquals(places(matches), [[bytes.length - 7, 6]]);
  assertEquals(bytesScanned, bytes.length);
  const from = await client.ok("search-buffer", {
    ...{ query: "needle", buffer: "big", resumeFromOffset: { big: bytes.length - 20 } },
  });
  assertEquals([places(from.matches), from.bytesScanned], [[[bytes.length - 7, 6]], 20]);
});

test("what is alike is found with fuzzyMatch, once a line, and never again", async ({ world, client }) => {
  const lines = ["connection refused", "conection refsued by peer", "all is well", "ö connexion refused", ""];
  const bytes = await load(world, "b", lines.join("\n"));
  const search = { query: "connection refused", buffer: "b" };
  const { matches } = await client.ok("search-buffer", { ...search, fuzzyMatch: true });
  assertEquals(matches.map((match: Match) => match.offsetBytes), [0, 19, 60]);
  assertEquals(matches.length, 3);
  assertEquals(matches[0].similarity, 1);
  assert(matches.every((match: Match) => match.similarity! >= 0.8));
  for (const { offsetBytes, matchLen, snippet } of matches as Match[]) {
    assert(snippet.includes(new TextDecoder().decode(bytes.subarray(offsetBytes, offsetBytes + matchLen))));
  }
  const strict = { ...search, fuzzyMatch: true, similarityThreshold: 0.99 };
  assertEquals((await client.ok("search-buffer", strict)).matches.length, 1);
  assertEquals((await client.ok("search-buffer", { ...search, similarityThreshold: 0.1 })).matches.length, 1);
  for (const maxScanBytes of [1, 7, 30, 1000]) {
    const paged = await all(client, { ...search, fuzzyMatch: true, maxScanBytes, maxMatches: 1 });
    assertEquals(places(paged), places(matches), String(maxScanBytes));
  }
  const plain = await client.ok("search-buffer", { ...search, includeSimilarity: true });
  assertEquals(plain.matches.map((match: Match) => match.similarity), [1]);
  assert(!("similarity" in (await client.ok("search-buffer", search)).matches[0]));
});

test("a letter left out of a short word, or doubled in it, is still alike", async ({ world, client }) => {
  await load(world, "b", "an error here\nsay helllo\n");
  for (const [query, found] of [["eror", "error"], ["hello", "helllo"]]) {
    const { matches: [match] } = await client.ok("search-buffer", { query, buffer: "b", fuzzyMatch: true });
    assertEquals(match.matchLen, found!.length);
    assert(match.similarity >= 0.8 && match.snippet.includes(found));
  }
});

test("subsearch-buffer looks around a match, by matchId or anchor", async ({ world, client }) => {
  await load(
    world,
    "a:b",
    `far error ${"-".repeat(300)} code=5 error: disk full code=7 ${"-".repeat(300)} code=9`,
  );
  const { matches: [match] } = await client.ok("search-buffer", { query: "error:", buffer: "a:b" });
  const near = { query: "code=\\d", mode: "regex", contextBytes: 30 };
  const { matches, truncatedBuffers } = await client.ok("subsearch-buffer", {
    ...near,
    matchId: match.matchId,
  });
  assertEquals(matches.map((each: Match) => each.snippet.includes("code")), [true, true]);
  assertEquals(truncatedBuffers, []);
  const { offsetBytes, matchLen } = match;
  for (const anchor of [{ offsetBytes, matchLen, buffer: "a:b" }, { offsetBytes, matchLen }]) {
    const again = await client.ok("subsearch-buffer", { ...near, anchor, buffer: "a:b" });
    assertEquals(again.matches, matches);
  }
  const first = await client.ok("subsearch-buffer", { ...near, matchId: match.matchId, maxMatches: 1 });
  const rest = await client.ok("subsearch-buffer", {
    ...{ ...near, matchId: match.matchId, resumeFromOffset: first.resumeFromOffset },
  });
  assertEquals([...first.matches, ...rest.matches], matches);
  assertEquals((await client.fails("subsearch-buffer", near)).code, "invalid-argument");
  const placeOnly = await client.fails("subsearch-buffer", { ...near, anchor: { offsetBytes, matchLen } });
  assertEquals(placeOnly.code, "invalid-argument");
  assertMatch(placeOnly.text, /^Cannot search: missing buffer of the anchor/);
  const past = { ...near, anchor: { offsetBytes: 99_999, matchLen: 1, buffer: "a:b" } };
  assertEquals((await client.fails("subsearch-buffer", past)).code, "invalid-argument");
});

test("many matches with much context come in answers that fit, and take no more memory", async ({ world, client }) => {
  await load(world, "b", "x".repeat(200_000));
  const wide = { query: "x", maxMatches: 30_000, contextBytes: 100_000 };
  const { matches, resumeFromOffset } = await client.ok("search-buffer", wide);
  assert(matches.length > 0);
  assertEquals(resumeFromOffset, { b: matches.length });
  assertEquals(matches[0].snippet, "x".repeat(100_001));
  const rest = await client.ok("search-buffer", { ...wide, resumeFromOffset });
  assertEquals(rest.matches[0].offsetBytes, matches.length);
});

test("what can't be searched is said", async ({ world, client }) => {
  await load(world, "b", "abc");
  assertEquals((await client.fails("search-buffer", { query: "" })).code, "invalid-argument");
  assertEquals((await client.fails("search-buffer", { query: "x", buffer: "none" })).code, "not-found");
  const regex = await client.fails("search-buffer", { query: "(?<=a)b(?!c)\\1", mode: "regex", buffer: "b" });
  assertEquals(regex.code, "invalid-argument");
  assertMatch(regex.hint!, /RE2/);
  const remote = { query: "x", buffer: "b", resumeFromOffset: { b: 4 } };
  assertEquals((await client.fails("search-buffer", remote)).code, "invalid-argument");
  assertEquals(
    (await client.fails("search-buffer", { ...remote, resumeFromOffset: { c: 0 } })).code,
    "not-found",
  );
  await world.tmux("kill-server");
  assertEquals((await client.ok("search-buffer", { query: "x" })).matches, []);
});

/** Letters in a fixed order that looks random. */
function letters(length: number, seed: number): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state < 1073741824 ? "a" : "b";
  }).join("");
}

test("a long query is not compared, and names the limit", async ({ world, client }) => {
  await load(world, "b", letters(4096, 1));
  for (const how of [{ fuzzyMatch: true }, { includeSimilarity: true }]) {
    const error = await client.fails("search-buffer", { buffer: "b", query: letters(2000, 2), ...how });
    assertEquals(error.code, "invalid-argument");
    assertMatch(JSON.stringify(error), /2000 characters.*to 200 characters/);
  }
});

test("a search for what is alike lets other calls answer", async ({ world, client }) => {
  await load(world, "b", letters(1200, 1));
  const order: string[] = [];
  const query = letters(200, 2);
  const search = client.ok("search-buffer", {
    buffer: "b",
    query,
    fuzzyMatch: true,
    similarityThreshold: 0.1,
  })
    .then(() => order.push("search"));
  // The search has begun by the time of the last.
  for (let at = 0; at < 3; at++) await client.ok("list-buffers").then(() => order.push("list"));
  await search;
  assertEquals(order, ["list", "list", "list", "search"]);
});

test("subsearch-buffer looks for what is alike in the lines that its range cuts too", async ({ world, client }) => {
  await load(world, "b", `${"x".repeat(300)}é needle conection refused ${"ö".repeat(300)}\n`);
  const { matches: [{ matchId }] } = await client.ok("search-buffer", { query: "needle" });
  const near = { matchId, query: "connection", fuzzyMatch: true };
  // The range begins between characters or within one, and ends so.
  for (const contextBytes of [29, 28, 27, 2, 1]) {
    const { matches } = await client.ok("subsearch-buffer", { ...near, query: "nedle", contextBytes });
    assertEquals(places(matches), [[303, 6]], String(contextBytes));
  }
  for (const contextBytes of [200, 40, 41]) {
    const { matches } = await client.ok("subsearch-buffer", { ...near, contextBytes });
    assertEquals(places(matches), [[310, 9]], String(contextBytes));
    let found: Match[] = [];
    let resumeFromOffset = {};
    do {
      const part = await client.ok("subsearch-buffer", {
        ...{ ...near, contextBytes, maxScanBytes: 7, resumeFromOffset },
      });
      found = [...found, ...part.matches];
      resumeFromOffset = part.resumeFromOffset;
    } while (Object.keys(resumeFromOffset).length > 0);
    assertEquals(places(found), [[310, 9]], String(contextBytes));
  }
});
