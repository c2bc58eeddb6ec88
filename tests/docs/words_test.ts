// Pages are plain English: the lint of words in comments and strings, run over Markdown.
// deno-lint-ignore-file words/english
import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { findInComment, findTelltales } from "../../scripts/lint/telltales.ts";
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
  assertEquals(findInComment("* True if it runs. ").length, 0);
});
