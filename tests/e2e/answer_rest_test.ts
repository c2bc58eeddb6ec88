// Parts that a small answer has no room for are where it says they are.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { read } from "../support/read_resources.ts";

const SMALL = ["--answer-bytes", "16384"];
const test = inTurnOnOneServer("the rest of small answers", (world) => world.serve({ args: SMALL }));

test("search-buffer's resumeFromOffset leads through every match", async ({ client }) => {
  await client.ok("create-session", { command: "cat" });
  const content = Array.from({ length: 1000 }, (_, n) => `line ${n} has a "needle"\n`).join("");
  await client.ok("set-buffer", { name: "hay", content });
  const seen: number[] = [];
  for (let resume: Record<string, number> = { hay: 0 }; "hay" in resume;) {
    const answer = await client.ok("search-buffer", {
      query: "needle",
      contextBytes: 200,
      maxMatches: 400,
      resumeFromOffset: resume,
    });
    assertEquals([answer.omitted, answer.totalMatches], [undefined, answer.matches.length]);
    seen.push(...answer.matches.map((match: { offsetBytes: number }) => match.offsetBytes));
    resume = answer.resumeFromOffset;
  }
  assertEquals(seen, [...content.matchAll(/needle/g)].map(({ index }) => index));
});

test("search-buffer's resumeFromOffset names each of many buffers that are left", async ({ world, client }) => {
  await client.ok("create-session", { command: "cat" });
  const names = Array.from({ length: 120 }, (_, n) => `output of the worker number ${n}`);
  const set = names.map((name) => `set-buffer -b '${name}' 'a needle, a needle'\n`);
  await Deno.writeTextFile(`${world.folder}/buffers`, set.join(""));
  await world.tmux("source-file", `${world.folder}/buffers`);
  const { matches, resumeFromOffset, omitted } = await client.ok("search-buffer", {
    query: "needle",
    buffers: names,
  });
  const searched = names.filter((name) =>
    matches.filter(({ buffer }: { buffer: string }) => buffer === name).length === 2
  );
  assertEquals([...searched, ...Object.keys(resumeFromOffset)].sort(), names.sort());
  assertMatch(omitted, /^Left out: \d+ of \d+ entries of truncatedBuffers\. /);
});

test("search-panes keeps the last lines of a pane, and says how to read those before", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "seq -f 'line %g' 2000; exec cat" });
  await client.ok("wait-for-text", { paneId, pattern: "^line 2000$", regex: true, timeout: 30 });
  const search = { pattern: "line", paneIds: [paneId], history: "all", maxLinesPerPane: 2000 };
  const { matches: [{ lines, linesTruncated }], truncated, hint } = await client.ok("search-panes", search);
  assertEquals([lines.at(-1).text, linesTruncated, truncated], ["line 2000", true, true]);
  const [, end] = /capture-pane with end (-\d+)/.exec(hint)!;
  const before = await client.ok("capture-pane", { paneId, start: Number(end), end: Number(end) });
  assertEquals(before, `line ${2000 - lines.length}`);
});

test("a command's result as a resource has both ends, and its nextOffset is the first line between", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "bash --norc --noprofile" });
  const { commandId } = await client.ok("execute-command", { paneId, command: "seq 9999 | sed 's/^/\"/'" });
  const { json } = await read(client, `tmux://command/${commandId}/result`);
  const shown = json.output.split("\n");
  assertEquals([json.omitted, shown[0], shown.at(-1)], [undefined, '"1', '"9999']);
  assertEquals(shown[json.nextOffset - 1], `"${json.nextOffset}`);
  assert(shown[json.nextOffset].startsWith("["), shown[json.nextOffset]);
});

test("an environment is cut to the limit, and keeps the names by which its variables are read", async ({ world, client }) => {
  const { sessionId } = await client.ok("create-session", { command: "cat" });
  const names = Array.from({ length: 60 }, (_, n) => `VARIABLE_${n}`);
  const setAll = async (command: (name: string) => string) => {
    await Deno.writeTextFile(`${world.folder}/set`, names.map((name) => `${command(name)}\n`).join(""));
    await world.tmux("source-file", `${world.folder}/set`);
  };
  await setAll((name) => `set-environment -t '${sessionId}' ${name} '${'"'.repeat(1500)}'`);
  const answer = await client.call("show-environment", { sessionId });
  assert(JSON.stringify(answer).length <= 16_384, `${JSON.stringify(answer).length}`);
  const { variables, omitted } = answer.structuredContent;
  assertEquals(names.filter((name) => !(name in variables)), []);
  assertMatch(omitted, /^Left out: the first \d+ characters of variables\.VARIABLE_.*, and \d+ more\. /);
  await setAll((name) =>
    `set-environment -u -t '${sessionId}' ${name} ; set-environment -t '${sessionId}' ${name}${
      "_".repeat(1500)
    } x`
  );
  const long = await client.call("show-environment", { sessionId });
  assert(JSON.stringify(long).length <= 16_384, `${JSON.stringify(long).length}`);
  assertMatch(long.structuredContent.omitted, /^Left out: \d+ of \d+ entries of variables\. /);
});

test("the list of resources stays within its limit, however long names are", async ({ world, client }) => {
  const long = '\\"'.repeat(3500);
  const { sessionId, windowId } = await client.ok("create-session", {
    name: '"'.repeat(5000),
    command: "cat",
  });
  await world.tmux("rename-window", "-t", windowId, long);
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const answer = await client.client.listResources(cursor === undefined ? {} : { cursor });
    assert(JSON.stringify(answer).length <= 16_384, `${JSON.stringify(answer).length}`);
    listed.push(...answer.resources.map(({ uri }) => uri));
    cursor = answer.nextCursor;
  } while (cursor !== undefined);
  const uri = listed.find((each) => each.startsWith("tmux://sessions/"))!;
  assertEquals((await read(client, uri)).json.id, sessionId);
});
