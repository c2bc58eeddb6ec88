// The control-mode parser, on what tmux 3.3a printed and on what it could print, cut anywhere.
import { assertEquals } from "@std/assert";
import { type ControlHandler, ControlParser, type ControlReply } from "../../src/tmux/control_parser.ts";
import { numbers } from "../support/random.ts";

/** Output of tmux 3.3a to a client with pause-after: attach, a command that fails, output, a listing, the end. */
const RECORDED = [
  "%begin 1795305306 264 0",
  "%end 1795305306 264 0",
  "%session-changed $0 work",
  "%begin 1795305306 271 1",
  "can't find pane: %99",
  "%error 1795305306 271 1",
  "%extended-output %0 3 : \\033[1mready\\033[0m h\xc3\xa9 \\134o/\\015\\012",
  "%extended-output %1 12 : a : b\\015\\012",
  "%output %2 plain \\007%output %3 not one\\015\\012",
  "%layout-change @0 b25d,80x24,0,0,0 b25d,80x24,0,0,0 *",
  "%begin 1795305307 280 1",
  "%end 1795305306 280 1",
  "%output %9 this is a line of a reply",
  "",
  "%end 1795305307 280 1",
  "%pause %0",
  "%exit",
].join("\n") + "\n";

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** Calls of the handler, in order; output that was cut into several calls is one. */
function parse(pieces: readonly Uint8Array[]): string[] {
  const told: string[] = [];
  const parser = new ControlParser({
    output: (paneId, bytes) =>
      told.push(`output ${paneId} ${JSON.stringify(new TextDecoder().decode(bytes))}`),
    reply: ({ failed, isOwn, text }: ControlReply) =>
      told.push(`${failed ? "failed" : "done"} ${isOwn ? "own" : "attach"} ${JSON.stringify(text)}`),
    notification: (name, rest) => told.push(`${name} ${rest}`),
  });
  for (const piece of pieces) parser.push(piece);
  return told;
}

const EXPECTED = [
  'done attach ""',
  "%session-changed $0 work",
  `failed own "can't find pane: %99"`,
  `output %0 ${JSON.stringify("\x1b[1mready\x1b[0m hé \\o/\r\n")}`,
  `output %1 ${JSON.stringify("a : b\r\n")}`,
  `output %2 ${JSON.stringify("plain \x07%output %3 not one\r\n")}`,
  "%layout-change @0 b25d,80x24,0,0,0 b25d,80x24,0,0,0 *",
  `done own ${JSON.stringify("%end 1795305306 280 1\n%output %9 this is a line of a reply\n")}`,
  "%pause %0",
  "%exit ",
];

Deno.test("a recorded stream is replies, output and notifications; a look-alike of %end is a reply's text", () => {
  assertEquals(parse([latin1(RECORDED)]), EXPECTED);
});

Deno.test("the stream means the same wherever it is cut", () => {
  const bytes = latin1(RECORDED);
  const next = numbers(7);
  for (let round = 0; round < 200; round++) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const size = 1 + next(40);
      pieces.push(bytes.slice(at, at + size));
      at += size;
    }
    assertEquals(parse(pieces), EXPECTED);
  }
});

Deno.test("every byte a pane can print survives tmux's escapes", () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const escaped = [...all].map((byte) =>
    byte < 32 || byte === 92 ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte)
  );
  let got = new Uint8Array(0);
  const ignore = (): void => {};
  const handler: ControlHandler = {
    output: (_, bytes) => got = bytes.slice(),
    reply: ignore,
    notification: ignore,
  };
  new ControlParser(handler).push(latin1(`%output %0 ${escaped.join("")}\n`));
  assertEquals(got, all);
});

Deno.test("what is not control mode is passed over, as a login script's words before it", () => {
  assertEquals(parse([latin1("Last login: today\n\n%sessions-changed\n")]), ["%sessions-changed "]);
});
