// 100 MB of random text with secrets in it, cut at random and wrapped at every width: none comes through, nothing else changes.
//   deno task soak:masks [--megabytes=100] [--seed=1]
import { loadMasks } from "../../src/masking/masks.ts";
import { MaskStream } from "../../src/masking/mask_stream.ts";
import { CommandOutput } from "../../src/commands/output.ts";

const { megabytes, seed } = readOptions(Deno.args);
const SECRETS = [
  "ghp_A1b2C3d4E5f6G7h8I9j0",
  "hunter2-and-more",
  "aaaaaaaab",
  "sk-live-0123456789",
  "é☃secret☃é",
];
const PIECES = [
  "a",
  "aaaa",
  "ghp_",
  "hunter2",
  "sk-live-",
  "é",
  "☃",
  " ",
  "word",
  "0123",
  "\r\n",
  "[masked]",
  "-",
];
const ROUND_BYTES = 1 << 20;
const encoder = new TextEncoder();

let state = seed;
function random(below: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state % below;
}

function randomText(): string {
  const parts: string[] = [];
  for (let length = 0; length < ROUND_BYTES;) {
    const piece = random(40) === 0 ? SECRETS[random(SECRETS.length)]! : PIECES[random(PIECES.length)]!;
    parts.push(piece);
    length += piece.length;
  }
  return parts.join("");
}

const masks = (await loadMasks(SECRETS.map((secret) => `literal:${secret}`), () => undefined))!;
/** The text with its secrets replaced, by the plainest means there is. */
const masked = (text: string): string => {
  let result = text;
  for (const secret of SECRETS.toSorted((a, b) => b.length - a.length)) {
    result = result.split(secret).join("[masked]");
  }
  return result;
};

let failures = 0;
function check(what: string, got: string, expected: string): void {
  if (got === expected) return;
  failures++;
  const at = [...got].findIndex((char, index) => char !== [...expected][index]);
  print(`${what}: differs at ${at}: ${JSON.stringify(got.slice(Math.max(at - 30, 0), at + 30))}`);
}

for (let round = 0; round < megabytes; round++) {
  const text = randomText();
  const expected = masked(text);
  const stream = new MaskStream(masks);
  let streamed = "";
  for (let at = 0; at < text.length;) {
    const size = 1 + random(round % 2 === 0 ? 16 : 5000);
    streamed += stream.push(text.slice(at, at + size));
    at += size;
  }
  // The end of the text may be part of a secret.
  const safe = expected.slice(0, -40);
  check(`round ${round}, stream`, (streamed + stream.end()).slice(0, safe.length), safe);
  const output = new CommandOutput({ columns: 2 + round % 200, rows: 24, masks });
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(8000);
    output.push(bytes.subarray(at, at + size));
    at += size;
  }
  await output.finish();
  const shown = output.from(0, { maxLines: Infinity, maxBytes: Infinity }).output;
  const lines = (each: string): string =>
    each.split(/\r?\n/).map((line) => line.trimEnd()).join("\n").trimEnd();
  check(`round ${round}, output`, lines(shown), lines(expected));
  const width = 1 + round % 120;
  const rows = text.slice(0, 20_000).replaceAll("\r\n", " ").match(new RegExp(`[^]{1,${width}}`, "g"))!;
  const wrapped = masks.text(rows.join("\n")).replaceAll("\n", "");
  const leaks = SECRETS.filter((secret) => wrapped.includes(secret));
  check(`round ${round}, width ${width}`, leaks.join(), "");
}
print(`${megabytes} MB with seed ${seed}: ${failures} failures`);
Deno.exit(failures === 0 ? 0 : 1);

function print(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

function readOptions(args: readonly string[]): { megabytes: number; seed: number } {
  const number = (name: string, otherwise: number): number =>
    Number(args.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
  return { megabytes: number("megabytes", 100), seed: number("seed", 1) };
}
