import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer, onOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { startReader } from "../support/reader.ts";
import type { TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The session that readers are opened in. */
async function addSession(world: World): Promise<void> {
  await world.tmux("new-session", "-d", "-s", "t", "-x", "80", "-y", "24", "sleep 1000");
}

async function typesExactly(world: World, client: TestClient, text: string): Promise<void> {
  const reader = await startReader(world, encode(text).length);
  await client.ok("send-keys", { paneId: reader.paneId, keys: text });
  assertEquals(new TextDecoder().decode(await reader.bytes()), text);
}

const AWKWARD: Record<string, string> = {
  "a trailing semicolon": "echo a;",
  "a lone semicolon": ";",
  "a backslash and a semicolon": "\\;",
  "keys that begin with a dash": "-l --help",
  "text that is a key's name": "C-c Enter",
  "formats, jobs and strftime": "#(touch HIT)#{pid}%H#[fg=red]##",
  "quotes and variables": `'"$HOME\`id\`!!`,
  "tabs, newlines, returns": "a\tb\nc\rd",
  "control characters": "\x01\x03\x04\x1b[A\x1a\x7f",
  "a NUL": "a\0b",
  "more than 16 KB": "0123456789;\n#é".repeat(2000),
  "1 MB": "x".repeat(1_000_000),
  "unicode": "grüße 日本語 👩‍👩‍👧 e\u0301 \u200b\ue000\u0085\ufeff",
};

const test = onOneServer("keys and bytes arrive as they were typed", async (world) => {
  await addSession(world);
  return await world.serve();
});

for (const [name, text] of Object.entries(AWKWARD)) {
  test(`typing: ${name}, byte for byte`, async ({ world, client }) =>
    await typesExactly(world, client, text));
}

test("typing: repeat, then Enter", async ({ world, client }) => {
  const reader = await startReader(world, 7);
  const args = { paneId: reader.paneId, keys: "a;", repeat: 3, enter: true };
  assertEquals(await client.ok("send-keys", args), { paneId: reader.paneId });
  assertEquals(await reader.bytes(), encode("a;a;a;\r"));
});

test("typing: a pause between keys keeps their order", async ({ world, client }) => {
  const reader = await startReader(world, 5);
  await client.ok("send-keys", { paneId: reader.paneId, keys: "aé;", delayMs: 5, enter: true });
  assertEquals(await reader.bytes(), encode("aé;\r"));
});

/** Tests that look at all buffers of tmux, or set hooks for all panes. */
const testAlone = inTurnOnOneServer("what is typed, alone");

test("typing: empty text types nothing and does not fail", async ({ world, client }) => {
  const reader = await startReader(world, 2);
  const { paneId } = reader;
  assertEquals(await client.ok("send-keys", { paneId, keys: "" }), { paneId });
  assertEquals(await client.ok("paste-text", { paneId, text: "" }), { paneId, bytes: 0 });
  assertEquals(await client.ok("send-keys", { paneId, keys: "", literal: false }), { paneId });
  assertEquals(await client.ok("send-keys", { paneId, keys: "x", repeat: 0 }), { paneId });
  await client.ok("send-keys", { paneId, keys: "", enter: true });
  await client.ok("paste-text", { paneId, text: "", enter: true });
  assertEquals(await reader.bytes(), encode("\r\r"));
  assertEquals((await client.fails("send-keys", { paneId: "%999", keys: "" })).code, "not-found");
});

test("typing: names of keys press keys, any other word is refused", async ({ world, client }) => {
  const keys: [string, string][] = [
    ["C-c", "\x03"],
    ["M-x", "\x1bx"],
    ["^a", "\x01"],
    ["F5", "\x1b[15~"],
    ["BSpace", "\x7f"],
    ["enter", "\r"],
    ["Space", " "],
    ["KP0", "0"],
    ["Up", "\x1b[A"],
    ["q", "q"],
    ["é", "é"],
    [";", ";"],
    ["-", "-"],
  ];
  const expected = keys.map(([, bytes]) => bytes).join("");
  const reader = await startReader(world, encode(expected).length);
  const words = keys.map(([name]) => name).join(" ");
  await client.ok("send-keys", { paneId: reader.paneId, keys: words, literal: false });
  assertEquals(new TextDecoder().decode(await reader.bytes()), expected);

  for (const word of ["Entr", "C-", "ls", "C-{", "F13", "PageUpp", "\t\u0001"]) {
    const refused = await client.fails("send-keys", {
      paneId: reader.paneId,
      keys: `Enter ${word}`,
      literal: false,
    });
    assertEquals(refused.code, "invalid-argument");
    assertMatch(refused.text, new RegExp(JSON.stringify(word.trim()).replace(/[\\{]/g, "\\$&")));
  }
});

test('typing: "C-c Enter" typed as text says how to press it', async ({ world, client }) => {
  const { paneId } = await startReader(world, 100);
  assertMatch((await client.ok("send-keys", { paneId, keys: "C-c Enter" })).hint, /literal: false/);
  for (const keys of ["ls Enter", "ls C-m", "ls\\n"]) {
    assertMatch((await client.ok("send-keys", { paneId, keys })).hint, /enter: true/, keys);
  }
  for (const typed of [{ keys: "ls Enter", enter: true }, { keys: "Re-Enter" }, { keys: "ls\n" }]) {
    assertEquals((await client.ok("send-keys", { paneId, ...typed })).hint, undefined);
  }
  assertEquals(await client.ok("send-keys", { paneId, keys: "yes" }), { paneId });
});

test("send-hex sends any bytes, and refuses what is not hexadecimal", async ({ world, client }) => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  const hex = Array.from(all, (byte) => byte.toString(16).padStart(2, "0"));
  const reader = await startReader(world, 512);
  await client.ok("send-hex", { paneId: reader.paneId, hex: hex.join(" ") });
  await client.ok("send-hex", { paneId: reader.paneId, hex: hex.join("").toUpperCase() });
  assertEquals(await reader.bytes(), new Uint8Array([...all, ...all]));
  const long = "61".repeat(4_000_000);
  for (const bad of ["", " ", "1", "12 3 4", "0x1b", "zz", "+f", `${long}1`]) {
    assertEquals(
      (await client.fails("send-hex", { paneId: reader.paneId, hex: bad })).code,
      "invalid-argument",
    );
  }
});

testAlone(
  "paste-text marks a paste where the program asked for it, and a newline arrives as Return",
  async ({ world, client }) => {
    await addSession(world);
    const plain = await startReader(world, 7);
    assertEquals(await client.ok("paste-text", { paneId: plain.paneId, text: "é;\r\nb\n", enter: true }), {
      paneId: plain.paneId,
      bytes: 7,
    });
    assertEquals(await plain.bytes(), encode("é;\rb\r\r"));

    const asking = await startReader(world, 13);
    await world.tmux(
      "respawn-pane",
      "-k",
      "-t",
      asking.paneId,
      "printf '\\033[?2004h'; stty raw -echo; " +
        "tmux wait-for -S asked; head -c 13 > $HOME/pasted; tmux wait-for -S pasted; sleep 1000",
    );
    await world.tmux("wait-for", "asked");
    await client.ok("paste-text", { paneId: asking.paneId, text: "x" });
    await world.tmux("wait-for", "pasted");
    assertEquals(await Deno.readTextFile(`${world.folder}/pasted`), "\x1b[200~x\x1b[201~");

    const escape = { paneId: plain.paneId, text: "x\x1b[201~rm" };
    assertEquals((await client.fails("paste-text", escape)).code, "invalid-argument");
    assertEquals(await world.tmux("list-buffers"), "", "no buffer is left behind");
  },
);

test("the fourteen special keys press what they are named after", async ({ world, client }) => {
  const keys: [string, string][] = [
    ["send-enter", "\r"],
    ["send-tab", "\t"],
    ["send-escape", "\x1b"],
    ["send-backspace", "\x7f"],
    ["send-up", "\x1b[A"],
    ["send-down", "\x1b[B"],
    ["send-left", "\x1b[D"],
    ["send-right", "\x1b[C"],
    ["send-page-up", "\x1b[5~"],
    ["send-page-down", "\x1b[6~"],
    ["send-home", "\x1b[1~"],
    ["send-end", "\x1b[4~"],
    ["send-cancel", "\x03"],
    ["send-eof", "\x04"],
  ];
  const expected = keys.map(([, bytes]) => bytes.repeat(2)).join("");
  const reader = await startReader(world, expected.length);
  const { paneId } = reader;
  for (const [tool] of keys) assertEquals(await client.ok(tool, { paneId, repeat: 2 }), { paneId });
  assertEquals(new TextDecoder().decode(await reader.bytes()), expected);
});

test("typing: a line that the terminal would cut is refused, and typed to a program that reads all", async ({ world, client }) => {
  const long = "x".repeat(6000);
  const calls = [
    ["send-keys", { keys: `${long}\n` }],
    ["send-keys", { keys: "x", repeat: 6000 }],
    ["paste-text", { text: long }],
  ] as const;
  const { paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
  // The terminal cuts a line before its program reads it.
  const busy = await client.ok("create-session", { command: "sleep 100" });
  for (const pane of [paneId, busy.paneId]) {
    for (const [name, args] of calls) {
      const { code, text } = await client.fails(name, { paneId: pane, ...args });
      assertEquals([name, code], [name, "invalid-argument"]);
      assertMatch(text, /a line of 6000 bytes .* would cut it/);
    }
  }
  await client.ok("send-keys", { paneId, keys: `${"x".repeat(3000)}\n`.repeat(2) });
  const editing = await ShellPane.add(world, client, "bash --norc");
  await editing.untilScreen(/[#$] ?$/);
  await client.ok("send-keys", { paneId: editing.paneId, keys: `: ${long}`, enter: true });
});

test("keys that something else would take are not typed", async ({ world, client }) => {
  const { paneId } = await startReader(world, 1);
  const calls: [string, Record<string, unknown>][] = [
    ["send-keys", { keys: "x" }],
    ["send-hex", { hex: "78" }],
    ["paste-text", { text: "x" }],
    ["send-enter", {}],
  ];
  const refusals = async (): Promise<string[]> =>
    await Promise.all(
      calls.map(async ([tool, args]) => (await client.fails(tool, { paneId, ...args })).code),
    );

  await world.tmux("copy-mode", "-t", paneId);
  assertEquals(new Set(await refusals()), new Set(["busy"]));
  assertMatch((await client.fails("send-enter", { paneId })).text, /exit-copy-mode/);
  assertEquals((await client.ok("exit-copy-mode", { paneId })).inMode, false);

  await world.tmux("clock-mode", "-t", paneId);
  assertEquals(new Set(await refusals()), new Set(["busy"]));
  assertMatch((await client.fails("send-enter", { paneId })).text, /is in clock mode/);
  assertEquals((await client.ok("exit-copy-mode", { paneId })).inMode, false);

  await world.tmux("select-pane", "-d", "-t", paneId);
  assertEquals(new Set(await refusals()), new Set(["busy"]));
  await world.tmux("select-pane", "-e", "-t", paneId);

  await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", "on");
  await world.tmux("respawn-pane", "-k", "-t", paneId, "tmux wait-for -S ended; exit 3");
  await world.tmux("wait-for", "ended");
  await until(async () => (await client.ok("get-pane-info", { paneId })).dead);
  assertEquals(new Set(await refusals()), new Set(["gone"]));
});

testAlone(
  "typing: what is left is kept back when somebody begins to scroll meanwhile",
  async ({ world, client }) => {
    await addSession(world);
    const reader = await startReader(world, 2);
    const { paneId } = reader;
    await world.tmux("set-hook", "-g", "after-send-keys", `copy-mode -t ${paneId}`);
    const { code } = await client.fails("send-keys", { paneId, keys: "abc", delayMs: 1 });
    await world.tmux("set-hook", "-gu", "after-send-keys");
    assertEquals(code, "busy");
    await client.ok("exit-copy-mode", { paneId });
    await client.ok("send-keys", { paneId, keys: "d" });
    assertEquals(await reader.bytes(), encode("ad"));
  },
);

testAlone(
  "typing: what is left is kept back from a pane that changes meanwhile",
  async ({ world, client }) => {
    await addSession(world);
    const changes = [
      ["select-pane -d", "busy", "its input is off"],
      ["set-option -w synchronize-panes on", "busy", "reaches other panes now"],
      ["respawn-pane -k 'exec cat'", "gone", "its program has ended"],
    ] as const;
    for (const [change, code, why] of changes) {
      const { paneId } = await client.ok("create-session", { command: "exec cat" });
      await client.ok("split-pane", { paneId, command: "exec cat" });
      await world.tmux("set-hook", "-g", "after-send-keys", change.replace(/(?= -)/, ` -t ${paneId}`));
      const failure = await client.fails("send-keys", { paneId, keys: "abc", delayMs: 1 });
      await world.tmux("set-hook", "-gu", "after-send-keys");
      assertEquals([change, failure.code], [change, code]);
      assertMatch(failure.text, new RegExp(`${why}; 1 of 3 keys were typed`));
    }
  },
);

testAlone(
  "typing: a pane that closes meanwhile leaves no buffer with the text",
  async ({ world, client }) => {
    await addSession(world);
    const long = "secret\n".repeat(1000);
    const typings = [
      ["send-keys", { keys: long, literal: true }, "after-load-buffer"],
      ["paste-text", { text: "secret" }, "after-load-buffer"],
      ["paste-text", { text: "", enter: true }, "after-set-buffer"],
    ] as const;
    for (const [tool, args, hook] of typings) {
      const { paneId } = await client.ok("create-session", { command: "exec cat" });
      await world.tmux("set-hook", "-g", hook, `kill-pane -t ${paneId}`);
      const { code } = await client.fails(tool, { paneId, ...args });
      await world.tmux("set-hook", "-gu", hook);
      assertEquals([hook, code, await world.tmux("list-buffers")], [hook, "not-found", ""]);
    }
  },
);

test("keys typed into synchronized panes name the others that got them; a paste reaches one", async ({ world, client }) => {
  const long = "é".repeat(3000);
  const expected = encode(`a${long}\r`);
  const one = await startReader(world, expected.length + 1);
  const two = await startReader(world, expected.length);
  await world.tmux("join-pane", "-d", "-s", two.paneId, "-t", one.paneId);
  const { windowId } = await client.ok("get-pane-info", { paneId: one.paneId });
  await client.ok("set-synchronize-panes", { windowId, enabled: true });

  const { paneId } = one;
  const both = { paneId, alsoTyped: [two.paneId] };
  for (const how of [{ rawMode: true }, { noEnter: true }, {}]) {
    const { code } = await client.fails("execute-command", { paneId, command: "x", ...how });
    assertEquals(code, "busy", JSON.stringify(how));
  }
  await client.ok("paste-text", { paneId, text: "p" });
  assertEquals(await client.ok("send-keys", { paneId, keys: "a" }), both);
  assertEquals(await client.ok("send-keys", { paneId, keys: long }), both);
  assertEquals(await client.ok("send-enter", { paneId }), both);
  assertEquals(await two.bytes(), expected);
  assertEquals(await one.bytes(), encode(`pa${long}\r`));
});

test("set-synchronize-panes holds for panes that have a value of their own", async ({ world, client }) => {
  const { paneId, windowId } = await client.ok("create-session", { command: "exec cat" });
  const { paneId: beside } = await client.ok("split-pane", { paneId, command: "exec cat" });
  for (const enabled of [false, true]) {
    await world.tmux("set-option", "-p", "-t", beside, "synchronize-panes", enabled ? "off" : "on");
    await client.ok("set-synchronize-panes", { windowId, enabled });
    const format = "#{pane_synchronized}";
    const flags = await world.tmux("list-panes", "-t", windowId, "-F", format);
    assertEquals(flags.trim().split("\n"), enabled ? ["1", "1"] : ["0", "0"]);
  }
});
