// No answer is larger than its limit, whatever is asked for; what is left out is said, and how to read it.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";
import { type CallAnswer, type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("long answers are cut, and say what they leave out");
const SMALL = ["--answer-bytes", "16384"];
const testSmall = inTurnOnOneServer("answers of 16 KiB", (world) => world.serve({ args: SMALL }));
const SMALL_BYTES = 16_384;
const MIB = 1024 * 1024;
/** A program's text that JSON spells with many bytes: quotes, backslashes, tabs. */
const LINE = `"${"\\\\".repeat(40)}\t'x'" and so on`;
/** Lines that an answer of a MiB has no room for. */
const MANY = 7000;

function sizeOf(answer: unknown): number {
  return new TextEncoder().encode(JSON.stringify(answer)).length;
}

async function within(client: TestClient, name: string, args: Record<string, unknown>, limit = MIB) {
  const answer = await client.call(name, args);
  const text = answer.content[0]?.text?.slice(0, 300);
  assert(!answer.isError, `${name}: ${text}`);
  assert(sizeOf(answer) <= limit, `${name} answered ${sizeOf(answer)} bytes`);
  return answer;
}

/** Note in an answer on what it left out. */
function omitted({ structuredContent, _meta, content }: CallAnswer): string {
  const meta = (_meta as Record<string, string> | undefined)?.["tmux-mcp/omitted"];
  if (meta !== undefined) assertEquals(content.at(-1)?.text, `[${meta}]`);
  return structuredContent?.omitted ?? meta ?? "";
}

test(
  "answers on a pane with more history than fits stay within a MiB and say what they left out",
  async ({ world, client }, t) => {
    await client.ok("create-session", { name: "keep", command: "cat" });
    await world.tmux("set-option", "-g", "history-limit", `${MANY + 1000}`);
    const { paneId } = await client.ok("create-session", { command: "bash --norc", width: 200 });
    await Deno.writeTextFile(`${world.folder}/full`, `${LINE}\n`.repeat(MANY));
    await client.ok("execute-command", { paneId, command: `cat ${world.folder}/full` });
    await t.step("captures and searches", () => readAll(client, paneId));
    await t.step(
      "a pane's text as a resource keeps its end and says so",
      () => readResources(client, paneId),
    );
  },
);

async function readAll(client: TestClient, paneId: string): Promise<void> {
  const captured = await within(client, "capture-pane", { paneId, lines: 1_000_000 });
  assertMatch(omitted(captured), /^Left out: the first \d+ characters\. Call capture-pane with start/);
  assert(captured.content[0]!.text!.includes(LINE.slice(0, 20)));
  assertEquals(captured.content.length, 2);
  for (const colors of [true, false]) {
    await within(client, "capture-pane", { paneId, start: -1_000_000, colors });
  }
  const search = { pattern: "and so on", paneIds: [paneId], history: "all", maxLinesPerPane: 1_000_000 };
  const found = await within(client, "search-panes", search);
  assertEquals(found.structuredContent.truncated, true);
  assertMatch(found.structuredContent.hint, /^For the lines before these, call capture-pane with end -\d+/);
}

async function readResources(client: TestClient, paneId: string): Promise<void> {
  const uri = `tmux://pane/${encodeURIComponent(paneId)}/tail/1000000`;
  for (const each of [uri, `${uri}/ansi`]) {
    const answer = await client.client.readResource({ uri: each });
    assert(sizeOf(answer) <= MIB, `${each}: ${sizeOf(answer)}`);
    const { text, _meta } = answer.contents[0] as { text: string; _meta: Record<string, string> };
    assertMatch(_meta["tmux-mcp/omitted"]!, /^Left out: the first \d+ characters\. /);
    assert(text.startsWith(`[${_meta["tmux-mcp/omitted"]}]\n`));
    assertMatch(text.trimEnd().slice(-20), /[$#]/);
  }
}

testSmall("capture-since with no bounds reads all, page by page", async ({ world, client }) => {
  await client.ok("create-session", { name: "keep" });
  const command = `echo begin; read x; cat ${world.folder}/full; exec cat`;
  const { paneId } = await client.ok("create-session", { command, width: 200 });
  await client.ok("wait-for-text", { paneId, pattern: "begin" });
  let { cursor } = await client.ok("capture-since", { paneId });
  const lines = Array.from({ length: 600 }, (_, n) => `${n} ${LINE.replaceAll("\t", " ")}`);
  await Deno.writeTextFile(`${world.folder}/full`, lines.join("\n") + "\n");
  await client.ok("send-enter", { paneId });
  await client.ok("wait-for-text", { paneId, pattern: `${lines.length - 1} "`, timeout: 60 });
  const read: string[] = [];
  for (let truncated = true; truncated;) {
    const answer = await within(
      client,
      "capture-since",
      { cursor, maxLines: 1e9, maxBytes: 1e9 },
      SMALL_BYTES,
    );
    read.push(...answer.structuredContent.lines);
    ({ cursor, truncated } = answer.structuredContent);
    assertEquals(answer.structuredContent.missed, false);
  }
  const own = read.filter((line) => /^\d+ "/.test(line));
  assertEquals([own.length, own[0], own.at(-1)], [lines.length, lines[0], lines.at(-1)]);
});

test("execute-command with maxBytes of a thousand million answers both ends, and offset reads all", async ({ world, client }) => {
  const { paneId } = await ShellPane.add(world, client, "bash --norc");
  const lines = Array.from({ length: MANY }, (_, n) => `${n} ${LINE}`);
  await Deno.writeTextFile(`${world.folder}/full`, lines.join("\n") + "\n");
  const bounds = { maxLines: 1e9, maxBytes: 1e9 };
  const answer = await within(client, "execute-command", {
    paneId,
    command: `cat ${world.folder}/full`,
    fold: false,
    ...bounds,
  });
  const { commandId, output, outputTruncated, nextOffset } = answer.structuredContent;
  assertEquals([outputTruncated, output.startsWith('0 "'), output.endsWith("so on")], [true, true, true]);
  assert(nextOffset > 0);
  const read: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: CallAnswer = await within(client, "get-command-result", { commandId, offset, ...bounds });
    const next: number | undefined = page.structuredContent.nextOffset;
    read.push(
      ...page.structuredContent.output.split("\n").slice(0, next === undefined ? undefined : next - offset),
    );
    offset = next;
  }
  assertEquals([read.length, read[3456], read.at(-1)], [lines.length, lines[3456], lines.at(-1)]);
});

test("run-in-repl with a megabyte of answer says that its beginning is left out", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "python3 -q", width: 200 });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
  const input = `for n in range(40000): print(n, '"quoted" and so on')`;
  const answer = await within(client, "run-in-repl", { paneId, input: `${input}\n`, timeout: 60 });
  const { outputTruncated, output } = answer.structuredContent;
  assertEquals(outputTruncated, true);
  assert(output.trimEnd().endsWith('39999 "quoted" and so on'));
});

testSmall(
  "lists, environments and hooks too long for an answer say how many rows are left out",
  async ({ world, client }) => {
    const { sessionId, windowId } = await client.ok("create-session", {
      name: "many",
      width: 200,
      height: 100,
    });
    const all = (count: number, command: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => command(n));
    const commands = [
      ...all(50, (n) => `new-window -d -t many: -n window-${n} cat`),
      ...all(30, (n) => `new-session -d -s session-${n} cat`),
      ...all(100, (n) => `set-environment -g VARIABLE_${n} ${"v".repeat(300)}`),
      ...all(100, (n) => `set-buffer -b ${n}${"b".repeat(200)} x`),
    ];
    await Deno.writeTextFile(`${world.folder}/many`, `${commands.join("\n")}\n`);
    await world.tmux("source-file", `${world.folder}/many`);
    const limit = SMALL_BYTES;
    const calls: [name: string, args: Record<string, unknown>, field: string][] = [
      ["list-panes", {}, "panes"],
      ["list-windows", {}, "windows"],
      ["show-environment", {}, "variables"],
      ["list-buffers", {}, "buffers"],
    ];
    for (const [name, args, field] of calls) {
      const answer = await within(client, name, args, limit);
      assertMatch(omitted(answer), new RegExp(`^Left out: \\d+ of \\d+ entries of ${field}\\. `), name);
      assert(Object.keys(answer.structuredContent[field]).length > 0, name);
    }
    const few = await within(client, "list-windows", { sessionId, filters: { name: "window-1" } }, limit);
    assertEquals([omitted(few), few.structuredContent.windows.length], ["", 1]);
    for (
      const uri of ["tmux://sessions", "tmux://sessions/many/windows", `tmux://session/${sessionId}/tree`]
    ) {
      const { contents } = await client.client.readResource({ uri });
      assert(sizeOf(contents) <= limit, `${uri}: ${sizeOf(contents)}`);
      JSON.parse((contents[0] as { text: string }).text);
    }
    const { resources } = await client.client.listResources();
    assert(sizeOf(resources) <= limit);
    assert(windowId);
  },
);

testSmall("the note on a line that is cut says what shows more of it", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  const line = "printf '%030000d\\n' 0";
  const { commandId } = await pane.run(line);
  const noteOf = async (args: Record<string, unknown>) =>
    /left out here; (.*)\]/.exec((await client.ok("get-command-result", { commandId, ...args })).output)?.[1];
  assertEquals(await noteOf({ maxBytes: 400 }), "a larger maxBytes holds more of it");
  for (const args of [{ maxBytes: 1e9 }, { view: "full" }, { view: "tail" }, { offset: 0 }]) {
    assertEquals(
      await noteOf(args),
      "this answer has no room for more of it, and grep shows the part that matches",
    );
  }
  const failed = await pane.run(`${line}; echo 'a.c:1:2: error: bad'; false`);
  assertMatch(failed.output, /view full holds more of it\]/);
});

testSmall(
  "watch-events gives what one answer has no room for with the next",
  async ({ world, client: small }) => {
    const { paneId } = await ShellPane.add(world, small, "bash --norc");
    let { cursor } = await small.ok("watch-events", { limit: 0 });
    const before = Number(/\d+$/.exec(cursor)![0]);
    for (let n = 0; n < 12; n++) {
      await small.ok("start-and-watch", {
        paneId,
        command: `echo '${LINE}${"~".repeat(800)}' ${n}`,
        triggers: "exit",
      });
    }
    const seen: number[] = [];
    for (let page = 0; page < 12 && seen.length < 12; page++) {
      const { structuredContent } = await within(small, "watch-events", { cursor }, SMALL_BYTES);
      seen.push(...structuredContent.events.map(({ seq }: { seq: number }) => seq));
      cursor = structuredContent.cursor;
    }
    assertEquals(seen, Array.from({ length: 12 }, (_, n) => before + n + 1));
  },
);

testSmall(
  "watch-events gives events beside more running watches than fit, and says how many are left out",
  async ({ world, client: small }) => {
    const { paneId } = await ShellPane.add(world, small, "bash --norc");
    const watch = { paneId, background: true, timeout: 3600 };
    for (let n = 0; n < 60; n++) {
      await small.ok("watch-pane", { ...watch, triggers: `pattern:${"never ".repeat(30)}${n}` });
    }
    const { cursor } = await small.ok("watch-events", { limit: 0 });
    for (let n = 0; n < 3; n++) await small.ok("watch-pane", { ...watch, triggers: "idle:0.1" });
    const read = async () => (await within(small, "watch-events", { cursor }, SMALL_BYTES)).structuredContent;
    await until(async () => (await read()).events.length === 3);
    const { active, omitted } = await read();
    assert(active.length > 10, `${active.length}`);
    const left = 60 - active.length;
    assertEquals(omitted, `Left out: ${left} of 60 running watches. Their results come as events`);
  },
);

testSmall(
  "a picture too large to send is refused with what to do instead, and fits in a file",
  async ({ client }) => {
    // Letters of which no two rows are alike make a picture large.
    const letters = "head -c 135 /dev/urandom | base64 -w 60; echo the end; exec cat";
    const { paneId } = await client.ok("create-session", { command: letters, width: 60, height: 5 });
    await client.ok("wait-for-text", { paneId, pattern: "the end" });
    const { code, text } = await client.fails("screenshot-pane", { paneId, output: "image" });
    assertEquals(code, "unsupported");
    assertMatch(text, /more than 16384 bytes\. Call capture-pane .* output file/);
  },
);

test("what a caller sends too much of does not come back in the error", async ({ client }) => {
  const long = "x".repeat(3_000_000);
  const failures = [
    () => client.client.callTool({ name: long }),
    () => client.client.readResource({ uri: `tmux://${long}` }),
    () => client.client.readResource({ uri: `tmux://sessions/${long}` }),
    () => client.client.getPrompt({ name: long }),
    () => client.client.getPrompt({ name: "run-and-wait", arguments: { command: long, paneId: "%0" } }),
  ];
  for (const fail of failures) {
    const error = await fail().then(() => undefined, (error: Error) => error);
    assert(error !== undefined && error.message.length < 10_000, `${fail}: ${error?.message.length}`);
    assert(sizeOf((error as { data?: unknown }).data ?? "") < 10_000);
  }
});

test("show-buffer gives whole characters, page by page, and says where the next page begins", async ({ client }) => {
  await client.ok("create-session", { name: "keep" });
  const content = `ä漢🙂x"\\\n`.repeat(12_000);
  const { size } = await client.ok("set-buffer", { name: "long", content });
  const first = await within(client, "show-buffer", { name: "long" });
  assertMatch(
    omitted(first),
    new RegExp(`^Bytes 0 to 655\\d\\d of ${size}: call show-buffer with offsetBytes 655`),
  );
  for (const maxBytes of [7, 1e9]) {
    const read: string[] = [];
    let offsetBytes: number | undefined = 0;
    for (let pages = 0; offsetBytes !== undefined && pages < 60; pages++) {
      const page: CallAnswer = await within(client, "show-buffer", { name: "long", offsetBytes, maxBytes });
      const text = page.content[0]!.text!;
      assert(new TextEncoder().encode(text).length <= maxBytes);
      read.push(text);
      offsetBytes = Number(/offsetBytes (\d+)/.exec(omitted(page))?.[1] ?? NaN) || undefined;
    }
    const all = read.join("");
    assertEquals(all.includes("\ufffd"), false);
    assert(content.startsWith(all));
    if (maxBytes === 1e9) assertEquals(all.length, content.length);
  }
  const strides: string[] = [];
  for (let offsetBytes = 0; offsetBytes < 100; offsetBytes += 5) {
    strides.push(
      (await client.call("show-buffer", { name: "long", offsetBytes, maxBytes: 5 })).content[0]!.text!,
    );
  }
  assert(content.startsWith(strides.join("")));
});

testSmall(
  "after a change nobody is asked to make it again, and a long value says which call reads it",
  async ({ client }) => {
    const { paneId, windowId } = await client.ok("create-session", { name: "keep", command: "cat" });
    const long = '"x'.repeat(5000);
    const changes: Record<string, Record<string, unknown>> = {
      "set-option": { option: "@mine", value: long, global: true },
      "set-environment": { name: "MINE", value: long },
      "rename-window": { windowId, newName: long },
      "rename-pane": { paneId, title: long },
      "set-buffer": { name: long, content: "x" },
    };
    for (const [name, args] of Object.entries(changes)) {
      const answer = await within(client, name, args, SMALL_BYTES);
      assertMatch(
        omitted(answer),
        /^Left out: .*\. The call did what it was asked to do: do not repeat it\.$/,
        name,
      );
    }
    const shown = await within(client, "show-option", { option: "@mine", global: true }, SMALL_BYTES);
    assertMatch(omitted(shown), /Call expand-format with paneId and #\{=1000:NAME\}/);
    const { value } = await client.ok("expand-format", { paneId, format: "#{=1000:@mine}" });
    assertEquals(value, long.slice(0, 1000));
    const refused = await client.fails("set-environment", { name: "MINE", value: "x".repeat(20_000) });
    assertMatch(
      refused.text,
      /of 200\d\d bytes: tmux takes 16364\. Shorten the arguments; put a long command/,
    );
  },
);

Deno.test("limits.answer_bytes takes no more than a MiB", async () => {
  await using world = await World.create();
  const { code, stderr } = await new Deno.Command("scripts/tmux-mcp", {
    args: ["--answer-bytes", "1048577"],
    env: world.env,
    stdin: "null",
  }).output();
  assertEquals(code, 2);
  assertMatch(new TextDecoder().decode(stderr), /from 16384 to 1048576/);
});
