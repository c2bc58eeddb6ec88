// Secrets in text that is cut, wrapped or packed in every way it can be.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { loadMasks, type Masks } from "../../src/masking/masks.ts";
import { MessageMasks } from "../../src/masking/message_masks.ts";
import { MaskStream } from "../../src/masking/mask_stream.ts";
import { CommandOutput } from "../../src/commands/output.ts";

const TOKEN = "ghp_A1b2C3d4E5f6G7h8";
// deno-lint-ignore no-control-regex
const STYLE = /\x1b\[\d*m/g;
const QUOTED = 'pass"word\\';

async function masksOf(...given: string[]): Promise<Masks> {
  const masks = await loadMasks(given, (name) => ({ TOKEN, PEM: "-----BEGIN\nMIIabcdef\n-----END" })[name]);
  assert(masks);
  return masks;
}

/** Rows of a text in a terminal of this width. */
function wrapAt(width: number, text: string): string[] {
  let column = 0;
  return [...text].map((character) => {
    const cells = character > "\u3000" ? 2 : 1;
    column = column + cells > width ? cells : column + cells;
    return column === cells ? `\n${character}` : character;
  }).join("").trim().split("\n");
}

/** The text as a stream masks it that takes it in pieces of a size. */
function streamed(masks: Masks, text: string, size: number): string {
  const stream = new MaskStream(masks);
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g"))!;
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

Deno.test("a secret is masked in text, and nothing else is", async () => {
  const masks = await masksOf("env:TOKEN", "regex:sk-[0-9]{6,}", "env:PEM");
  assertEquals(masks.text(`a ${TOKEN} b ${TOKEN}, sk-123456789.`), "a [masked] b [masked], [masked].");
  assertEquals(masks.text("-----BEGIN\nMIIabcdef\n-----END\n"), "[masked]\n[masked]\n[masked]\n");
  const plain = "nothing ghp_ here\n\tsk-12 \u00e9\u0000\r\n";
  assertEquals([masks.text(plain), masks.lines(plain)], [plain, plain]);
  assertEquals(await loadMasks(["env:UNSET"], () => undefined), undefined);
});

Deno.test("a secret that wraps at any width is masked, and rows stay rows", async () => {
  const masks = await masksOf("env:TOKEN");
  const text = `the token is ${TOKEN} and that is all`;
  for (let width = 1; width <= text.length; width++) {
    const rows = text.match(new RegExp(`.{1,${width}}`, "g"))!;
    const masked = masks.text(rows.join("\n"));
    const isWhole = !masked.replaceAll("\n", "").includes(TOKEN);
    assert(isWhole && masked.includes("[masked]"), `${width}: ${masked}`);
    assertEquals(masked.split("\n").length, rows.length);
    const { lines } = new MessageMasks(masks).mask({ lines: rows });
    assertEquals([lines.length, lines.join("").includes(TOKEN)], [rows.length, false]);
    const found = new MessageMasks(masks).mask({ lines: rows.map((text, row) => ({ row, text })) });
    assertEquals(found.lines.map(({ text }) => text).join("").includes(TOKEN), false);
  }
});

Deno.test("a secret that wraps at a blank is masked, though tmux trims that blank", async () => {
  const secret = "correct  horse battery staple";
  const masks = await masksOf(`literal:${secret}`);
  const text = `the passphrase is ${secret} and that is all`;
  for (let width = 1; width <= text.length; width++) {
    const rows = text.match(new RegExp(`.{1,${width}}`, "g"))!.map((row) => row.trimEnd());
    const masked = masks.text(rows.join("\n"));
    assertEquals(masked.split("\n").length, rows.length);
    const flat = masked.replaceAll(/\s/g, "");
    assertEquals([width, flat], [width, "thepassphraseis[masked]andthatisall"]);
  }
  assertEquals(masks.text("correcthorsebatterystaple"), "correcthorsebatterystaple");
});

Deno.test("a secret with a tab is masked, though a terminal shows blanks for the tab", async () => {
  const masks = await masksOf("literal:user\tpassword-of-me");
  for (const shown of ["user\tpassword-of-me", "user    password-of-me", "user  \npassword-of-me"]) {
    const masked = `a [masked] b${"\n".repeat(shown.split("\n").length - 1)}`;
    assertEquals(masks.text(`a ${shown} b`), masked.replace(/ b(\n*)$/, "$1 b"));
  }
  assertEquals(masks.lines("user    password-of-me user"), "[masked] user");
  assertEquals(masks.text(JSON.stringify("user\tpassword-of-me")), '"[masked]"');
});

Deno.test("a secret with many blanks takes no longer to find where only its start is shown", async () => {
  const masks = await masksOf(`literal:key:${" ".repeat(99)}value`);
  const shown = `key:${"\n".repeat(99)}`;
  assertEquals(masks.text(`${shown}x`), `${shown}x`);
  assertEquals(masks.text(`${shown}value`).includes("value"), false);
});

Deno.test("what matches a pattern and wraps is masked, and a row that ends before the widest is not continued", async () => {
  const masks = await masksOf("regex:sk-[A-Za-z0-9]{20,}");
  const secret = "sk-A1b2C3d4E5f6G7h8I9j0K1l2M3n4";
  const text = `日本 token: ${secret}. Next`;
  for (let width = 10; width < 40; width++) {
    const rows = wrapAt(width, text).join("\n");
    const styled = rows.replace("sk-", "\x1b[31msk-\x1b[1m");
    for (const shown of [rows, `$ cat x\n${rows}\n$`, styled]) {
      const masked = masks.text(shown);
      assert(
        masked.includes("[masked]") && !/[0-9]/.test(masked.replaceAll(STYLE, "")),
        `${width}: ${masked}`,
      );
      assertEquals(masked.split("\n").length, shown.split("\n").length);
    }
  }
  assertEquals(
    masks.text(`${secret}\nabc\nthe widest of the rows here is this`),
    "[masked]\nabc\nthe widest of the rows here is this",
  );
});

Deno.test("what matches a pattern is masked, though tmux trims the blank at which it wraps, or a wide character follows", async () => {
  const masks = await masksOf("regex:pass: [a-z日本]+", "regex:^key: \\w+");
  const text = "the pass: topsecret日本topsecret";
  for (let width = 8; width < 30; width++) {
    const rows = wrapAt(width, text).map((row) => row.trimEnd());
    for (const shown of [rows, [...rows, "", "-".repeat(width)]]) {
      const masked = masks.text(shown.join("\n"));
      assertEquals([width, /secret|日/.test(masked)], [width, false]);
      assertEquals(masked.split("\n").length, shown.length);
    }
  }
  assertEquals(masks.text("the pass:\ntopsecret"), "the [masked]\n");
  assertEquals(masks.text("nine cell\nkey: secre\ntly\nx"), "nine cell\n[masked]\n\nx");
});

Deno.test("a secret that styles divide is masked, and what follows keeps its style", async () => {
  const masks = await masksOf("env:TOKEN", "regex:sk-[0-9]{6,}");
  for (const secret of [TOKEN, "sk-123456789"]) {
    const [first, second] = [secret.slice(0, 5), secret.slice(5)];
    const found = `\x1b[32mlog:\x1b[m \x1b[01;31m\x1b[K${first}\x1b[m\x1b[K${second}\x1b[7m end\nnext`;
    const masked = "log: [masked] end\x1b[32m\x1b[m\x1b[01;31m\x1b[K\x1b[m\x1b[K\x1b[7m\nnext";
    assertEquals([masks.text(found), masks.lines(found)], [masked, masked]);
    const whole = `\x1b[31m${secret}\x1b[m \x1b[1mx\x1b[m`;
    assertEquals(masks.text(whole), "\x1b[31m[masked]\x1b[m \x1b[1mx\x1b[m");
  }
  const linked = `\x1b]8;;http://x/\x1b\\${TOKEN.slice(0, 5)}\x1b]8;;\x07${TOKEN.slice(5)} end`;
  const links = "\x1b]8;;http://x/\x1b\\\x1b]8;;\x07";
  assertEquals([masks.text(linked), masks.lines(linked)], Array(2).fill(`[masked] end${links}`));
  assertEquals(masks.text(`\x1b]8;;http://${TOKEN}/\x07x`), "\x1b]8;;http://[masked]/\x07x");
  const both = `\x1b]8;;http://${TOKEN}/\x07x\x1b]8;;\x07 ${TOKEN.slice(0, 5)}\x1b[1m${TOKEN.slice(5)}`;
  assertEquals(masks.lines(both), "x [masked]\x1b]8;;http://[masked]/\x07\x1b]8;;\x07\x1b[1m");
  const plain = "\x1b[31mghp_\x1b[m and \x1b[1mno more";
  assertEquals([masks.text(plain), masks.lines(plain)], [plain, plain]);
});

Deno.test("a stream masks a secret that styles divide, wherever it is cut", async () => {
  const text = `a \x1b[1mghp_A1\x1b[0;32mb2C3\x1b]8;;http://x/\x1b\\d4\x1b[KE5f6G7h8\x1b[m b`;
  const masks = await masksOf("env:TOKEN");
  for (let size = 1; size <= text.length; size++) {
    const masked = streamed(masks, text, size);
    // deno-lint-ignore no-control-regex
    const shown = masked.replace(/\x1b\[[\d;]*[mK]|\x1b\]8;[^\x1b]*\x1b\\/g, "");
    assertEquals(shown, "a [masked] b", `pieces of ${size}`);
  }
});

Deno.test("secrets that overlap are masked as one, in any order, as text and as a stream", async () => {
  const overlapping: [string[], string][] = [
    [["literal:alpha-key", "regex:alpha-key=\\S+"], "alpha-key=topsecret"],
    [["regex:user=\\w+", "regex:user=\\w+ pass=\\w+"], "user=me pass=topsecret"],
    [["literal:AAAA-BBBBBB", "literal:BBBBBB-CCCCCCCC"], "AAAA-BBBBBB-CCCCCCCC"],
    [["literal:abcabc"], "abcabcabc"],
  ];
  for (const [given, secret] of overlapping) {
    for (const order of [given, given.toReversed()]) {
      const masks = await masksOf(...order);
      const [text, masked] = [`a ${secret} b`, "a [masked] b"];
      assertEquals([masks.text(text), masks.lines(text)], [masked, masked], order.join());
      for (let size = 1; size <= text.length; size++) {
        assertEquals(streamed(masks, text, size), masked, `${order.join()} in pieces of ${size}`);
      }
    }
  }
});

Deno.test("half a secret at the end of a text is masked where another secret overlaps it", async () => {
  const masks = await masksOf("literal:AAAA-BBBBBB", "literal:BBBBBB-CCCCCCCC");
  assertEquals(masks.text("a AAAA-BBBBBB-CCCC"), "a [masked]");
  assertEquals(masks.text("BB-BBBBBB-CCCCCCCC b"), "BB-[masked] b");
});

Deno.test("halves at the ends of two texts do not add up to a secret", async () => {
  const masks = await masksOf("env:TOKEN");
  for (let cut = 1; cut < TOKEN.length; cut++) {
    const [first, second] = [masks.text(`x ${TOKEN.slice(0, cut)}`), masks.text(`${TOKEN.slice(cut)} y`)];
    assert(first.includes("[masked]") || second.includes("[masked]"), `${cut}: ${first}${second}`);
  }
});

Deno.test("a secret is masked where a program quotes it as JSON does, also in a stream", async () => {
  const masks = await masksOf(`literal:${QUOTED}`);
  const line = `sent {"user": "me", "password": ${JSON.stringify(QUOTED)}} in 3 ms`;
  const masked = 'sent {"user": "me", "password": "[masked]"} in 3 ms';
  assertEquals([masks.text(line), masks.lines(line)], [masked, masked]);
  for (let size = 1; size <= line.length; size++) {
    assertEquals(streamed(masks, line, size), masked, `pieces of ${size}`);
  }
});

Deno.test("a stream is masked wherever it is cut, and is whole but for that", async () => {
  const text = `one ${TOKEN} two ghp_A1b2 three\nsk-123456 four ${TOKEN}`;
  for (const given of [["env:TOKEN"], ["env:TOKEN", "regex:sk-\\d+"]]) {
    const masks = await masksOf(...given);
    for (let size = 1; size <= text.length; size++) {
      assertEquals(streamed(masks, text, size), masks.text(text), `pieces of ${size}`);
    }
  }
});

Deno.test("a stream masks a secret wherever it is in a line that is too long to be held back", async () => {
  const key = `sk-${"7".repeat(30)}`;
  const masks = await masksOf("env:TOKEN", "regex:sk-[0-9]{30}");
  for (const secret of [TOKEN, key, `\x1b[1m${key.slice(0, 9)}\x1b[m${key.slice(9)}`]) {
    for (let before = 4360; before < 4410; before++) {
      const text = `${"x".repeat(before)}${secret}${"y".repeat(3000)}`;
      const shown = streamed(masks, text, 400).replaceAll(STYLE, "");
      assertEquals(
        shown === `${"x".repeat(before)}[masked]${"y".repeat(3000)}`,
        true,
        `${secret} after ${before}`,
      );
    }
  }
  const endless = await masksOf("regex:z+");
  assertEquals(streamed(endless, "z".repeat(9000), 5000).replaceAll("[masked]", ""), "");
});

Deno.test("a command's output is masked before it is kept, also while its last line is unfinished", async () => {
  const masks = await masksOf("env:TOKEN");
  const kept: Uint8Array[] = [];
  const output = new CommandOutput({ columns: 7, rows: 5, masks }, (bytes) => {
    kept.push(bytes);
    return () => bytes;
  });
  const push = (text: string): void => output.push(new TextEncoder().encode(text));
  push("a ghp_A1b2C3");
  push("d4E5f6G7h8 b\r\nplain\r\nlast \x1b[31mghp_A1b2C3d4");
  await output.flush();
  const limit = { maxLines: 9, maxBytes: 999 };
  assertEquals(output.from(0, limit).output, "a [masked] b\nplain\nlast [masked]");
  push("E5f6G7h8\x1b[m\r\n");
  await output.finish();
  assertEquals(output.from(0, limit).output, "a [masked] b\nplain\nlast [masked]");
  assert(!kept.some((bytes) => new TextDecoder().decode(bytes).includes(TOKEN)));
});

Deno.test("a mask that can't be used is refused without saying its text", async () => {
  for (const [given, shown] of [["literal:abc", "abc"], ["regex:(", "("], ["regex:x*", "x*"]] as const) {
    const error = await assertRejects(() => masksOf(given), AppError);
    assertEquals([error.code, error.message.includes("number 1")], ["invalid-argument", true]);
    if (given.startsWith("literal")) assert(!error.message.includes(shown), error.message);
  }
});
