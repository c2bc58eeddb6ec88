// Pictures of captured panes: structure of SVG and HTML, header and size of PNG.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { writeHtml } from "../../../src/terminal/pictures/html.ts";
import { PngRenderer } from "../../../src/terminal/pictures/png.ts";
import { parseScreen, type Screen } from "../../../src/terminal/screen.ts";
import { drawSvg } from "../../../src/terminal/pictures/svg.ts";
import { THEMES } from "../../../src/terminal/pictures/theme.ts";
import { FIXTURES, readFixture } from "../fixture.ts";
import { findDenoDir } from "../../support/proof.ts";

const renderer = new PngRenderer();

function screenOf(text: string, cursor?: { column: number; row: number }): Promise<Screen> {
  return parseScreen({ text, columns: 20, rows: 2, ...(cursor && { cursor }) });
}

async function svgOf(text: string, cursor?: { column: number; row: number }): Promise<string> {
  return drawSvg(await screenOf(text, cursor), THEMES.dark);
}

/** Tags open and close in order, attributes are quoted and there is no stray `<` or `&`. */
function assertWellFormed(xml: string): void {
  const open: string[] = [];
  const rest = xml.replace(
    /<(\/?)(\w+)((?: [\w:-]+="[^"<]*")*)(\/?)>/g,
    (_, close, name, _attributes, alone) => {
      if (close) assertEquals(open.pop(), name);
      else if (!alone) open.push(name);
      return "";
    },
  );
  assertEquals(open, []);
  assertMatch(rest, /^(?:[^<>&]|&(?:amp|lt|gt|quot);)*$/);
}

Deno.test("an SVG picture keeps neighbouring blanks, in browsers that inherit no xml:space too", async () => {
  const svg = await svgOf("a  b");
  assertMatch(svg, />a {2}b<\/text>/);
  assertMatch(svg, /<style>text\{white-space:pre\}<\/style>/);
  assertMatch(svg, /xml:space="preserve"/);
});

for (const name of FIXTURES) {
  Deno.test(`picture: ${name}`, async () => {
    const screen = await parseScreen(await readFixture(name));
    const [width, height] = [screen.columns * 10 + 20, screen.rows.length * 20 + 20];
    for (const theme of [THEMES.dark, THEMES.light]) {
      const svg = drawSvg(screen, theme);
      assertWellFormed(svg);
      assert(svg.includes(`viewBox="0 0 ${width} ${height}"`));
      assert(svg.includes(`fill="${theme.background}"`));
      const picture = await renderer.draw(screen, theme);
      assertEquals(sizeOf(picture.png), [width, height]);
      assertEquals([picture.width, picture.height], [width, height]);
      assert(await inkOf(picture.png) > 0.003, "nothing is drawn");
    }
  });
}

Deno.test("picture: text keeps its colours, weight and slant", async () => {
  const svg = await svgOf("\x1b[1;3;38;2;1;2;3mbold\x1b[0m \x1b[38;5;208mx\x1b[0m");
  assertMatch(
    svg,
    /<text x="10" y="25" fill="#010203" font-weight="bold" font-style="italic" textLength="40">bold</,
  );
  assertMatch(svg, /<text x="60" y="25" fill="#ff8700">x</);
});

Deno.test("picture: bold takes the bright palette", async () => {
  assert((await svgOf("\x1b[1;31mx")).includes(THEMES.dark.palette[9] as string));
});

Deno.test("picture: inverse swaps, hidden is not drawn, dim is between", async () => {
  assertMatch(
    await svgOf("\x1b[7;31mx"),
    new RegExp(`<path d="M10 10h10v20h-10z" fill="${THEMES.dark.palette[1]}"/>`),
  );
  assert(!(await svgOf("\x1b[8msecret")).includes("secret"));
  assert(!(await svgOf("\x1b[2mx")).includes(`<text x="10" y="25" fill="${THEMES.dark.foreground}"`));
});

Deno.test("picture: underline, strikethrough and overline are lines", async () => {
  assertMatch(await svgOf("\x1b[4;9;53mab"), /<path d="M10 27h20v1h-20zM10 20h20v1h-20zM10 10h20v1h-20z"/);
});

Deno.test("picture: wide characters are set in the middle of two cells", async () => {
  assertMatch(await svgOf("a日"), /<text x="30" y="25" fill="#\w+" text-anchor="middle">日</);
});

Deno.test("picture: line drawing is shapes, not text", async () => {
  const svg = await svgOf("┌─┐");
  assert(!svg.includes("<text"));
  assertEquals(svg.match(/<path/g)?.length, 1);
});

Deno.test("picture: the cursor covers its cell", async () => {
  const svg = await svgOf("ab", { column: 1, row: 0 });
  assertMatch(svg, new RegExp(`<path d="M20 10h10v20h-10z" fill="${THEMES.dark.cursor}"/>`));
  assertMatch(svg, new RegExp(`<text x="20" y="25" fill="${THEMES.dark.background}">b<`));
});

Deno.test("picture: markup in a pane stays text", async () => {
  const svg = await svgOf('</text>&"<!--\ufffe');
  assertWellFormed(svg);
  assert(svg.includes("&lt;/text&gt;&amp;&quot;&lt;!--"));
});

Deno.test("html: a page of its own, without script or request", async () => {
  for (const name of FIXTURES) {
    const page = writeHtml(await parseScreen(await readFixture(name)), THEMES.light, "<pane> %1");
    assertMatch(page, /^<!DOCTYPE html>/);
    assert(page.includes("<title>&lt;pane&gt; %1</title>"));
    assert(!/<script|<link|<img|@import|url\(/.test(page));
  }
});

Deno.test("html: the text of the pane, escaped, in its look", async () => {
  const page = writeHtml(await screenOf("\x1b[1;4;31m<b>\x1b[0m 日\nx"), THEMES.dark, "t");
  const look = `color:${THEMES.dark.palette[9]};font-weight:bold;text-decoration:underline`;
  assert(page.includes(`<pre><span style="${look}">&lt;b&gt;</span> <span class="w">日</span>`));
  assertMatch(page, /\nx {19}<\/pre>/);
});

Deno.test("png: a second renderer in the process works", async () => {
  const screen = await screenOf("x");
  await renderer.draw(screen, THEMES.dark);
  assertEquals(sizeOf((await new PngRenderer().draw(screen, THEMES.dark)).png), [220, 60]);
});

Deno.test("png: emoji, Chinese, Japanese and Korean have glyphs wherever it runs", async () => {
  const missing = await inkOf((await renderer.draw(await screenOf("\u{10fffd}".repeat(4)), THEMES.dark)).png);
  const pictures = new Set<number>([missing]);
  for (const character of "🚀✨中が한شꀀ") {
    pictures.add(await inkOf((await renderer.draw(await screenOf(character.repeat(4)), THEMES.dark)).png));
  }
  assertEquals(pictures.size, 8);
});

Deno.test("png: needs no permission but reading, from any folder", async () => {
  const root = new URL("../../../", import.meta.url);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--quiet",
      "--allow-read",
      "--config",
      fromFileUrl(new URL("deno.json", root)),
      fromFileUrl(new URL("draw_alone.ts", import.meta.url)),
    ],
    cwd: "/",
    clearEnv: true,
    env: { DENO_DIR: await findDenoDir(), HOME: "/", NO_COLOR: "1" },
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr), new TextDecoder().decode(stdout)], [
    0,
    "",
    "220 60\n",
  ]);
});

/** Width and height of the header. */
function sizeOf(png: Uint8Array): [number, number] {
  assertEquals([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

/** Share of the filtered bytes that are not zero: a picture of one colour has next to none. */
async function inkOf(png: Uint8Array): Promise<number> {
  const view = new DataView(png.buffer, png.byteOffset);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === 0x49444154) parts.push(png.slice(at + 8, at + 8 + view.getUint32(at)));
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return bytes.reduce((count, byte) => count + (byte === 0 ? 0 : 1), 0) / bytes.length;
}
