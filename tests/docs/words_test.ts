// Pages are plain English: the lint of words in comments and strings, run over Markdown.
// deno-lint-ignore-file words/english
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { findInComment, findInName, findTelltales } from "../../scripts/lint/telltales.ts";
import { pages } from "./pages.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** The paragraphs, list items and rows of a page, without code. */
function proseOf(page: string): string[] {
  return page.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "`code`")
    .split(/\n{2,}|\n(?=\s*[-*|] )|(?<=\|)\s/)
    .map((text) => text.replace(/^[\s>|*#-]+/, "").replaceAll(/\s+/g, " ").trim());
}

Deno.test("no page has words that read as translated", async () => {
  const found: string[] = [];
  for (const page of await pages()) {
    for (const text of proseOf(await Deno.readTextFile(join(ROOT, page)))) {
      for (const telltale of findTelltales(text)) {
        found.push(`${page}: "${telltale.text}" in "${text.slice(0, 80)}": write ${telltale.instead}`);
      }
    }
  }
  assertEquals(found, []);
});

/** Pages that `deno task gen` writes. */
const GENERATED = /^docs\/(?:tools\/|(?:configuration|prompts|resources|setup)\.md$)/;
/** A part of a page that `deno task gen` writes. */
const GENERATED_PART = /<!-- (\w+) -->.*?<!-- \/\1 -->/gs;
const MAX_WORDS = 20_000;

Deno.test("what people have to read stays short", async () => {
  const written = (await pages()).filter((page) => /^docs\/|^README/.test(page) && !GENERATED.test(page));
  assert(written.length > 20);
  const texts = await Promise.all(written.map((page) => Deno.readTextFile(join(ROOT, page))));
  const words =
    texts.map((text) => text.replaceAll(GENERATED_PART, "")).flatMap(proseOf).flatMap((text) =>
      text.split(" ")
    ).length;
  assert(words <= MAX_WORDS, `the pages written by hand have ${words} words outside of code`);
});

Deno.test("no comment in a shell script has words that read as translated", async () => {
  const folder = join(ROOT, "scripts");
  const names = (await Array.fromAsync(Deno.readDir(folder))).filter(({ isFile }) => isFile).map(({ name }) =>
    name
  );
  const scripts = names.filter((name) => !name.endsWith(".ts"));
  assert(scripts.length > 8);
  const found: string[] = [];
  for (const name of scripts) {
    const text = await Deno.readTextFile(join(folder, name));
    for (const [block] of text.matchAll(/(?:^ *#(?!!).*\n)+/gm)) {
      const comment = block.replaceAll(/^ *#/gm, "");
      found.push(...findInComment(comment).map((each) => `${name}: "${each.text}": write ${each.instead}`));
    }
  }
  assertEquals(found, []);
});

Deno.test("the lint of words finds what reads as translated, and nothing in plain English", () => {
  for (
    const text of [
      "Start the client anew, and try",
      "what works here, and how to mend it",
      "That a program waits is known. Of the rest nothing is.",
      "The caller is told of it",
      "A prompt that is none",
      "It answers the ids",
      "Who can open it controls every pane",
    ]
  ) assertEquals(findTelltales(text).length > 0, true, text);
  for (
    const text of [
      "Restart your client and try again",
      "If there is none, one is created",
      "Who is asking? Nobody.",
      "The answers that it got",
      "They depend on the state of the pane. That is all.",
    ]
  ) assertEquals(findTelltales(text), [], text);
  assertEquals(findInComment("*\n * Whether it runs.\n ").length, 1);
  assertEquals(findInComment(" What it waits for.").length, 1);
  assertEquals(findInComment("* Where it runs. ").length, 1);
  assertEquals(findInComment("* True if it runs. ").length, 0);
  assertEquals(findInComment(" How many rows it has.").length, 1);
  assertEquals(findInComment("* Number of rows: how many it has. ").length, 0);
});

Deno.test("a name says what it is, not that somebody was told", () => {
  for (const name of ["told", "tell", "tells"]) assertEquals(findInName(name).length, 1, name);
  for (const name of ["report", "untold", "telling"]) assertEquals(findInName(name), [], name);
});
