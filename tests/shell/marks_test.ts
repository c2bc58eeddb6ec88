import { assert, assertEquals } from "@std/assert";
import { beforeDone, type MarkedPiece, MarkScanner } from "../../src/shell/marks.ts";

const IDS = { publicId: "abc123", secret: "f00d" };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function scanAll(chunks: string[], scanner = new MarkScanner(IDS)): string[] {
  return join(chunks.flatMap((chunk) => scanner.scan(encoder.encode(chunk))));
}

/** Joins adjacent texts, and replaces each mark by its kind. */
function join(pieces: MarkedPiece[]): string[] {
  const out: string[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") out.push(text);
    text = "";
  };
  for (const piece of pieces) {
    if (piece.kind === "text") text += decoder.decode(piece.bytes);
    else {
      flush();
      out.push(piece.kind === "done" ? `<done ${piece.status}>` : `<${piece.kind}>`);
    }
  }
  flush();
  return out;
}

const STREAM =
  "$ loader\r\n\x1b]133;R;0 himBHs\x07true\r\n\x1b]133;C;abc123\x07out\x1b[31mred\x1b]133;D;7;f00d\x07$ ";
const PIECES = [
  "$ loader\r\n",
  "<ready>",
  "true\r\n",
  "<output>",
  "out\x1b[31mred",
  "<done 7>",
  "$ ",
];

Deno.test("marks part the stream, wherever it is cut", () => {
  assertEquals(scanAll([STREAM]), PIECES);
  assertEquals(scanAll([...STREAM]), PIECES);
  for (let at = 0; at <= STREAM.length; at++) {
    assertEquals(scanAll([STREAM.slice(0, at), STREAM.slice(at)]), PIECES, `cut at ${at}`);
  }
});

Deno.test("marks may end in ST", () => {
  const stream = STREAM.replaceAll("\x07", "\x1b\\");
  assertEquals(scanAll([...stream]), PIECES);
});

Deno.test("mark D without C ends a run that never started", () => {
  assertEquals(scanAll(["\x1b]133;R;0 s\x07", "syntax error\r\n\x1b]133;D;2;f00d\x07"]), [
    "<ready>",
    "syntax error\r\n",
    "<done 2>",
  ]);
});

Deno.test("marks of programs, of other runs and out of turn are text", () => {
  const start = "\x1b]133;R;0 s\x07\x1b]133;C;abc123\x07";
  const others = [
    "\x1b]133;D;0\x07",
    "\x1b]133;D;0;beef\x07",
    "\x1b]133;D;0;f00dx\x07",
    "\x1b]133;D;0;F00D\x07",
    "\x1b]133;C;abc123\x07",
    "\x1b]133;R;0 s\x07",
    "\x1b]133;A\x07",
    "\x1b]0;title\x07",
    "\x1b]133;D;0;\n",
    "\x1b\x1b]133;\x07",
    `\x1b]133;${"x".repeat(2000)}\x07`,
  ].join("");
  assertEquals(scanAll([start, others, "\x1b]133;D;3;f00d\x07"]), [
    "<ready>",
    "<output>",
    others,
    "<done 3>",
  ]);
});

Deno.test("the last mark R before C is the one that counts", () => {
  const other = "\x1b]133;R;0 s\x07";
  assertEquals(scanAll([other, "\x1b]133;R;1 s\x07", "\x1b]133;C;abc123\x07"]), [
    "<ready>",
    "<ready>",
    "<output>",
  ]);
});

Deno.test("mark R tells the shell's state, and is not believed when it holds anything but that", () => {
  const [piece] = new MarkScanner(IDS).scan(encoder.encode("\x1b]133;R;258 im 4500:5:bf\x07"));
  assertEquals(piece, { kind: "ready", ready: { status: 258, flags: "im", tty: "4500:5:bf" } });
  const forged = "\x1b]133;R;0 im 4500';reboot;'\x07";
  assertEquals(scanAll([forged]), [forged]);
});

Deno.test("a stream that begins after a mark has the next one in its turn", () => {
  const [ready, output, done] = ["R;0 s", "C;abc123", "D;3;f00d"].map((mark) => `\x1b]133;${mark}\x07`);
  const after = (kind: "ready" | "output" | "done") =>
    scanAll([`${ready}${output}rest${done}$ `], new MarkScanner({ ...IDS, last: { kind } }));
  assertEquals(after("ready"), ["<ready>", "<output>", "rest", "<done 3>", "$ "]);
  assertEquals(after("output"), [`${ready}${output}rest`, "<done 3>", "$ "]);
  assertEquals(after("done"), [`${ready}${output}rest${done}$ `]);
});

Deno.test("text that could become a mark waits, other text does not", () => {
  const scanner = new MarkScanner(IDS);
  assertEquals(scanAll(["$ \x1b[31"], scanner), ["$ \x1b[31"]);
  assertEquals(scanAll(["m\x1b"], scanner), ["m"]);
  assertEquals(scanAll(["]13"], scanner), []);
  assertEquals(scanAll(["4;x"], scanner), ["\x1b]134;x"]);
});

Deno.test("a complaint is what the shell said after the command was shown", () => {
  const scanner = new MarkScanner(IDS);
  const stream =
    "\x1b]133;R;0 s\x07\r$ echo (\r\n\x1b]133;S;abc123\x07sh: syntax error\r\n\x1b]133;D;2;f00d\x07$ ";
  const pieces = [...stream].flatMap((char) => scanner.scan(encoder.encode(char)));
  const done = pieces.find((piece) => piece.kind === "done");
  assertEquals(decoder.decode(done?.complaint), "sh: syntax error\r\n");
});

Deno.test("output whose mark C came before the stream is no complaint", () => {
  const last = { kind: "ready" } as const;
  const end = encoder.encode("output\x1b]133;D;2;f00d\x07$ ");
  const [, output, rest, done] = new MarkScanner({ ...IDS, last }).scan(end);
  assertEquals(join([output!, rest!, done!]), ["<output>", "output", "<done 2>"]);
  assertEquals(done, { kind: "done", status: 2 });
  const shown = encoder.encode("\x1b]133;S;abc123\x07sh: syntax error\r\n\x1b]133;D;2;f00d\x07$ ");
  const [, refused] = new MarkScanner({ ...IDS, last }).scan(shown);
  assert(refused?.kind === "done");
  assertEquals(decoder.decode(refused.complaint), "sh: syntax error\r\n");
});

Deno.test("output whose mark C was lost is no complaint, and may be passed on before mark D", () => {
  const ready = "\x1b]133;R;0 s\x07";
  const done = "\x1b]133;D;2;f00d\x07$ ";
  const scanner = new MarkScanner(IDS);
  assertEquals(scanner.assumeOutput(), []);
  assertEquals(scanAll([`${ready}$ drawn`], scanner), ["<ready>", "$ drawn"]);
  scanner.gap();
  assertEquals(scanAll(["early"], scanner), ["early"]);
  assertEquals(join(scanner.assumeOutput()), ["<output>", "early"]);
  assertEquals(join(scanner.assumeOutput()), []);
  assertEquals(scanAll([`late${done}`], scanner), ["late", "<done 2>", "$ "]);

  const unasked = new MarkScanner(IDS);
  scanAll([`${ready}$ drawn`], unasked);
  unasked.gap();
  assertEquals(scanAll([`text${done}`], unasked), ["text", "<output>", "text", "<done 2>", "$ "]);

  const still = new MarkScanner(IDS);
  scanAll([ready], still);
  // Before any loss, mark C is awaited; after one, an empty text is not passed on.
  assertEquals(still.assumeOutput(), []);
  still.gap();
  assertEquals(still.assumeOutput(), [{ kind: "output" }]);

  const twice = new MarkScanner(IDS);
  scanAll([ready], twice);
  twice.gap();
  scanAll(["\x1b]133;S;abc123\x07"], twice);
  // Mark S has come, so mark C will, unless more is lost.
  assertEquals(twice.assumeOutput(), []);
  twice.gap();
  assertEquals(twice.assumeOutput(), [{ kind: "output" }]);
});

Deno.test("output ends before the mark of an outer command, and not before another's or an incomplete one", () => {
  const [outer, other] = ["a".repeat(32), "b".repeat(32)];
  const before = (text: string): string | undefined => {
    const found = beforeDone(encoder.encode(text), ["c".repeat(32), outer]);
    return found && decoder.decode(found);
  };
  const foreign = `x\x1b]133;D;0;${other}\x07y`;
  assertEquals(before(`${foreign}\x1b]133;D;4;${outer}\x07$ `), foreign);
  assertEquals([before(foreign), before(`x\x1b]133;D;4;${outer}`), before("")], Array(3).fill(undefined));
});
