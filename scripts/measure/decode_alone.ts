// Runs the steps that a watched pane's output goes through, in a checkout, and prints their speed as JSON.
import process from "node:process";

const [root = ""] = Deno.args;
const { ControlParser } = await import(`${root}/src/tmux/control_parser.ts`);
const { LineReader } = await import(`${root}/src/terminal/lines.ts`);
// An older checkout has these files in the folder above.
const folder = await Deno.stat(`${root}/workers/text`).then(() => "workers/text", () => "workers");
const { TextTriggers } = await import(`${root}/${folder}/text_triggers.ts`);
const { Patterns } = await import(`${root}/${folder}/patterns.ts`);
const { ERROR_PATTERN, ERROR_IGNORE_PATTERN } = await import(
  `${root}/src/config/error_patterns.ts`
);

const BYTES = 32 << 20;
/** Maximum number of bytes that tmux passes on at once, and that a read of the client's output gives. */
const OUTPUT_BYTES = 2048;
const READ_BYTES = 65_536;

const TEXTS: Record<string, string> = {
  "plain text": "2026-01-01 12:00:00 INFO worker 17 finished its batch of 1000 rows in 12 ms\r\n",
  "coloured text":
    "\x1b[1;32mok\x1b[0m \x1b[36mtests/a_test.ts\x1b[39m a thing works \x1b[2m(12ms)\x1b[22m\r\n",
  "progress bars": "\r\x1b[Kdownloading 42% [========>           ] 12.3 MB/s",
};

const encoder = new TextEncoder();

function repeated(text: string): Uint8Array {
  const unit = encoder.encode(text);
  const bytes = new Uint8Array(Math.floor(BYTES / unit.length) * unit.length);
  for (let at = 0; at < bytes.length; at += unit.length) bytes.set(unit, at);
  return bytes;
}

/** Encodes bytes as a control client prints them: everything below space is octal. */
function asControlOutput(bytes: Uint8Array): Uint8Array {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += OUTPUT_BYTES) {
    const text = new TextDecoder().decode(bytes.subarray(at, at + OUTPUT_BYTES));
    const escaped = [...text].map((char) => char < " " || char === "\\" ? octal(char) : char).join("");
    parts.push(`%output %1 ${escaped}\n`);
  }
  return encoder.encode(parts.join(""));
}

function octal(char: string): string {
  return `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Speed in CPU time, which other programs on the machine don't change. */
function megabytesPerSecond(bytes: number, act: () => void): number {
  act();
  const before = cpuSeconds();
  act();
  return bytes / 1e6 / (cpuSeconds() - before);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const found: Record<string, number> = {};
for (const [name, text] of Object.entries(TEXTS)) {
  const bytes = repeated(text);
  const control = asControlOutput(bytes);
  found[`decode %output, ${name}`] = megabytesPerSecond(control.length, () => {
    const parser = new ControlParser({ output() {}, reply() {}, notification() {} });
    for (const piece of pieces(control, READ_BYTES)) parser.push(piece);
  });
  found[`  to lines, ${name}`] = megabytesPerSecond(bytes.length, () => {
    const reader = new LineReader({ columns: 200 });
    for (const piece of pieces(bytes, OUTPUT_BYTES)) reader.push(piece);
  });
  const triggers = new TextTriggers(
    [{ kind: "error", event: "error" }, { kind: "pattern", event: "pattern:x", source: "^listening on" }],
    { errorPattern: ERROR_PATTERN, errorIgnorePattern: ERROR_IGNORE_PATTERN },
    new Patterns(),
  );
  found[`  to lines and triggers, ${name}`] = megabytesPerSecond(bytes.length, () => {
    const reader = new LineReader({ columns: 200 });
    for (const piece of pieces(bytes, OUTPUT_BYTES)) triggers.scan(reader.push(piece));
  });
}
Deno.stdout.writeSync(encoder.encode(JSON.stringify(found)));
