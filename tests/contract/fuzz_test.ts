// Input from outside, cut and changed at random, is understood or refused, and never crashes the server. Seeded, so that failures repeat.
import { assert, assertEquals } from "@std/assert";
import { loadConfigFile } from "../../src/config/file.ts";
import { ConfigError } from "../../src/config/types.ts";
import { AppError } from "../../src/errors.ts";
import { ControlParser } from "../../src/tmux/control_parser.ts";
import { Conversation } from "../../src/tmux_protocol/conversation.ts";
import { formatCursor, parseCursor } from "../../src/tmux/capture/cursor_text.ts";
import { RowCodec } from "../../src/tmux/row_codec.ts";
import { encodeMessage, MESSAGE, ProtocolError } from "../../src/tmux_protocol/imsg.ts";
import { findLayoutProblem, layoutChecksum } from "../../src/tmux/layout.ts";
import { concatBytes } from "../../src/bytes.ts";
import { RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";
import { numbers } from "../support/random.ts";

type Pick = (limit: number) => number;

const ROUNDS = 2000;

/** The bytes with some of them changed, left out, doubled or cut off. */
function bend(bytes: Uint8Array, pick: Pick): Uint8Array<ArrayBuffer> {
  let bent = Array.from(bytes);
  for (let times = pick(6); times >= 0; times--) {
    const at = pick(bent.length + 1);
    const kind = pick(5);
    if (kind === 0) bent[at] = pick(256);
    else if (kind === 1) bent.splice(at, 1 + pick(8));
    else if (kind === 2) bent.splice(at, 0, ...bent.slice(at, at + pick(40)));
    else if (kind === 3) bent.splice(at, 0, pick(256), pick(256));
    else bent = pick(8) === 0 ? bent.slice(0, at) : bent;
  }
  return Uint8Array.from(bent.map((byte) => byte ?? 0));
}

/** The same bytes in pieces of any length. */
function* pieces(bytes: Uint8Array<ArrayBuffer>, pick: Pick): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + pick(pick(4) === 0 ? 200 : 9);
    yield bytes.slice(at, end);
    at = end;
  }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A control client's output, in small. */
const CONTROL = encode(
  "login words\n%begin 1700000000 1 0\n%end 1700000000 1 0\n%session-changed $1 grüße\n" +
    "%output %1 a\\033[31mé\\134\\015\\012\n%begin 1700000000 2 1\nline %output %1 x\n%error 1700000000 2 1\n" +
    "%extended-output %2 12 : b : c\\007\n%layout-change @1 b25d,80x24,0,0,0 b25d,80x24,0,0,0 *\n%pause %1\n%exit gone\n",
);

function heard(stream: Iterable<Uint8Array>): string[] {
  const told: string[] = [];
  const parser = new ControlParser({
    output: (paneId, bytes) => told.push(`output ${paneId} ${Array.from(bytes)}`),
    reply: ({ isOwn, failed, text }) => told.push(`reply ${isOwn} ${failed} ${text}`),
    notification: (name, rest) => told.push(`${name} ${rest}`),
  });
  for (const bytes of stream) parser.push(bytes);
  return told;
}

Deno.test("fuzz: the control-mode parser hears the same however the bytes are cut, and bears any", () => {
  const pick = numbers(1);
  const whole = heard([CONTROL]);
  assertEquals(whole.length, 8);
  for (let round = 0; round < ROUNDS; round++) {
    assertEquals(heard(pieces(CONTROL, pick)), whole);
    heard(pieces(bend(CONTROL, pick), pick));
  }
});

/** A conversation in which a server prints, opens files that are not there and ends. */
const SAID = concatBytes([
  encodeMessage(MESSAGE.flags, 1),
  encodeMessage(MESSAGE.writeOpen, 1, 1, 0),
  encodeMessage(MESSAGE.write, 1, encode("printed\n")),
  encodeMessage(MESSAGE.readOpen, 2, 0),
  encodeMessage(MESSAGE.writeClose, 1),
  encodeMessage(MESSAGE.exit, 0),
]);

Deno.test("fuzz: what a tmux server says is an answer, or no protocol of ours, and nothing else", () => {
  const pick = numbers(2);
  const refused = { errno: 2 };
  const files = {
    openRead: () => refused,
    openWrite: () => refused,
    read: () => 0,
    write: () => {},
    closeFile: () => {},
  };
  let answered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const conversation = new Conversation(encode("hello"), encode("input"), files);
    try {
      for (const piece of pieces(round === 0 ? SAID : bend(SAID, pick), pick)) {
        conversation.space.set(piece);
        conversation.received(piece.length);
      }
      if (conversation.reply !== undefined) answered++;
    } catch (error) {
      assert(error instanceof ProtocolError, `round ${round}: ${error}`);
    }
  }
  assert(answered > 0);
});

Deno.test("fuzz: records come back whatever is in their fields, and bent ones are passed over", () => {
  const pick = numbers(3);
  const codec = new RowCodec("0123abcd");
  const alphabet = [..."ab|.,}#:;%\n\t \\é漢\x1b\x1f\x1e0123-"];
  const word = (): string => Array.from({ length: pick(12) }, () => alphabet[pick(alphabet.length)]).join("");
  const fields = { a: "A", b: "B", c: "C" };
  for (let round = 0; round < ROUNDS; round++) {
    const rows = Array.from({ length: pick(4) }, () => ({ a: word(), b: word(), c: word() }));
    const printed = rows.map((row) => codec.format(row) + "\n").join("");
    assertEquals(codec.parse(fields, printed), rows);
    const bent = new TextDecoder().decode(bend(encode(printed + "x"), pick));
    for (const row of codec.parse(fields, bent)) assertEquals(Object.keys(row), ["a", "b", "c"]);
  }
});

Deno.test("fuzz: a cursor is read as it was written, or refused as none of ours", () => {
  const pick = numbers(4);
  const any = (count: number, limit: number): number[] => Array.from({ length: count }, () => pick(limit));
  for (let round = 0; round < ROUNDS; round++) {
    const cursor = {
      paneId: `%${pick(1000)}`,
      identity: BigInt(pick(2 ** 31)),
      ...{ row: pick(100_000), width: pick(500), height: pick(200) },
      ...{ above: any(pick(24), 2 ** 16), tail: any(pick(5), 2 ** 16) },
    };
    const text = formatCursor(cursor);
    assertEquals(parseCursor(text), cursor);
    try {
      parseCursor(new TextDecoder().decode(bend(encode(text), pick)));
    } catch (error) {
      assertEquals((error as AppError).code, "invalid-argument");
    }
  }
});

Deno.test("fuzz: a layout string is sound or named for what is wrong with it", () => {
  const pick = numbers(5);
  const body = "200x50,0,0{100x50,0,0,12,99x50,101,0[99x25,101,0,3,99x24,101,26,4]}";
  for (let round = 0; round < ROUNDS; round++) {
    const bent = new TextDecoder().decode(bend(encode(body), pick));
    const problem = findLayoutProblem(`${layoutChecksum(bent)},${bent}`);
    assert(problem === undefined || problem.length > 5);
  }
});

Deno.test("fuzz: a settings file is read, or refused with its path", async () => {
  const pick = numbers(6);
  const settings = encode(
    'safety = "readonly"\nscope = "all"\nmax_workers = 4\nallowed_sessions = ["a", "b"]\n\n[command_filter]\ndeny = ["rm"]\n',
  );
  for (let round = 0; round < ROUNDS / 4; round++) {
    const text = new TextDecoder().decode(bend(settings, pick));
    await loadConfigFile("/settings.toml", {}, () => text).catch((error) => {
      assert(error instanceof ConfigError, `round ${round}: ${error?.stack}`);
      assert(error.message.includes("settings.toml"), error.message);
    });
  }
});

Deno.test("fuzz: bent requests are answered or refused, and the server serves on", async () => {
  await using world = await World.create();
  await using client = new RawClient(world, ["--safety", "readonly"]);
  await client.initialize();
  const pick = numbers(7);
  const request = encode(
    JSON.stringify({
      ...{ jsonrpc: "2.0", id: 7, method: "tools/call" },
      params: { name: "list-panes", arguments: { sessionId: "$1" }, _meta: { progressToken: 3 } },
    }),
  );
  for (let round = 0; round < 300; round++) {
    await client.line(new TextDecoder().decode(bend(request, pick)).replaceAll("\n", " "));
  }
  await client.send({ id: "last", method: "ping" });
  assertEquals((await client.answer("last")).result, {});
});
