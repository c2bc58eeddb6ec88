// docs/cli.md says what the command line does: its commands parse, and its events are JSON.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parseCommandLine } from "../../src/config/command_line.ts";

const text = await Deno.readTextFile(fromFileUrl(new URL("../../docs/cli.md", import.meta.url)));

function blocks(language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1]!);
}

Deno.test("every command of the page is one", () => {
  const lines = blocks("sh").flatMap((block) => block.trim().split("\n")).map((line) =>
    line.split(" && ")[0]!
  );
  for (const line of lines) {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    assertEquals(words.shift(), "tmux-mcp");
    assert(parseCommandLine(words).command.kind !== "serve", line);
  }
  assertEquals(lines.length >= 8, true);
});

Deno.test("the events of the page are one line of JSON each", () => {
  const events = blocks("text");
  assertEquals(events.length, 2);
  for (const block of events) {
    assertEquals(block.trim().split("\n").length, 1);
    assertEquals(JSON.parse(block).paneId, "%3");
  }
});
