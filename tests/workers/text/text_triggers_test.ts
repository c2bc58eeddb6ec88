// Which line of new output fires, and which only looks as if it would.
import { assertEquals } from "@std/assert";
import type { RE2JS } from "re2js";
import { ERROR_IGNORE_PATTERN, ERROR_PATTERN } from "../../../src/config/error_patterns.ts";
import { LineReader } from "../../../src/terminal/lines.ts";
import type { Trigger } from "../../../src/watch/protocol.ts";
import { Patterns } from "../../../workers/text/patterns.ts";
import { type Fired, TextTriggers } from "../../../workers/text/text_triggers.ts";
import { FAILURES, HARMLESS } from "../error_lines.ts";

const PATTERNS = { errorPattern: ERROR_PATTERN, errorIgnorePattern: ERROR_IGNORE_PATTERN };
const ERROR: Trigger = { kind: "error", event: "error" };
const BELL: Trigger = { kind: "bell", event: "bell" };

function pattern(source: string): Trigger {
  return { kind: "pattern", event: `pattern:${source}`, source };
}

function scan(text: string, ...triggers: Trigger[]): Fired | undefined {
  const block = new LineReader({ columns: 80 }).push(new TextEncoder().encode(text));
  return new TextTriggers(triggers, PATTERNS, new Patterns()).scan(block);
}

for (const line of FAILURES) {
  Deno.test(`error fires on: ${JSON.stringify(line)}`, () => {
    assertEquals(scan(`fine\r\n${line}\r\nfine\r\n`, ERROR)?.trigger.event, "error");
  });
}

for (const line of HARMLESS) {
  Deno.test(`error does not fire on: ${line}`, () => assertEquals(scan(`${line}\r\n`, ERROR), undefined));
}

Deno.test("lines in the formats of known tools are read as such, with or without a word for an error", () => {
  const errors = [
    "./main.go:5:2: undefined: x",
    "link.c:(.text+0x5): undefined reference to `other'",
    "typed.py:1:8: F401 [*] `os` imported but unused",
    "make: *** No rule to make target 'nothere.c', needed by 'norule'.  Stop.",
    "a.c:3:5: error: expected ‘;’ before ‘}’ token",
  ];
  for (const line of errors) assertEquals(scan(`fine\n${line}\n`, ERROR)?.detail, `Error line: ${line}`);
  const others = [
    "a.c:3:5: warning: this panic will be an error in the future [-Wpanic]",
    "user.ts(3,18): warning TS6133: Error: declared but never used.",
    "sh.sh:2:8: note: exception to the rule: failed [SC2086]",
    "A.java:4: warning: [unchecked] failed: unchecked call",
    "main.go:12: started",
  ];
  for (const line of others) assertEquals(scan(`${line}\n`, ERROR), undefined, line);
});

Deno.test("what is ignored hides nothing else in its line, and no other line", () => {
  assertEquals(scan("0 failed, error: disk full\n", ERROR)?.detail, "Error line: 0 failed, error: disk full");
  assertEquals(scan("0 failed\nno errors\nfatal: it broke\n", ERROR)?.detail, "Error line: fatal: it broke");
});

/** Counts the slow searches: those for the place of a match. */
class CountingPatterns extends Patterns {
  searches = 0;

  override compile(source: string): RE2JS {
    const pattern = super.compile(source);
    const matcher = pattern.matcher.bind(pattern);
    pattern.matcher = (text) => (this.searches++, matcher(text));
    return pattern;
  }
}

Deno.test("only a line that matches is searched, even where the whole text matches over the end of a line", () => {
  const patterns = new CountingPatterns();
  const block = new LineReader({ columns: 80 }).push(new TextEncoder().encode("error:\n".repeat(100)));
  for (const source of ["\\serror:", "error:\\z.", "[^x]error:"]) {
    assertEquals(new TextTriggers([pattern(source)], PATTERNS, patterns).scan(block), undefined);
  }
  assertEquals(patterns.searches, 0);
});

Deno.test("the earliest place wins, whatever order the triggers were given in", () => {
  assertEquals(scan("one two\n", pattern("two"), pattern("one"))?.trigger.event, "pattern:one");
  assertEquals(scan("two\none\n", pattern("one"), pattern("two"))?.trigger.event, "pattern:two");
});

Deno.test("at the same place the order given decides", () => {
  assertEquals(scan("error: x\n", pattern("^error:"), ERROR)?.trigger.event, "pattern:^error:");
  assertEquals(scan("ready\n", pattern("read."), pattern("ready"))?.trigger.event, "pattern:read.");
  assertEquals(scan("ready\n", pattern("ready"), pattern("read."))?.trigger.event, "pattern:ready");
});

Deno.test("of a bell and a line the one that was printed first wins", () => {
  assertEquals(scan("\x07ready\n", pattern("ready"), BELL)?.trigger.event, "bell");
  assertEquals(scan("ready\n\x07", BELL, pattern("ready"))?.trigger.event, "pattern:ready");
  assertEquals(scan("no line yet\x07", pattern("ready"), BELL)?.detail, "The bell rang");
  assertEquals(scan("\x07ready\n", pattern("ready"))?.trigger.event, "pattern:ready");
});

Deno.test("a pattern does not match across lines, and is not kept from the lines it could", () => {
  assertEquals(scan("Listening\non 80\n", pattern("Listening\\s+on")), undefined);
  assertEquals(scan("a\nb\nab\n", pattern("a[^x]*b"))?.detail, "Matched: ab");
  assertEquals(scan("x\ny\n", pattern("(?s)x.*y")), undefined);
});

Deno.test("^ and $ are a line's ends, and an empty line is one", () => {
  assertEquals(scan("not ready\nready\n", pattern("^ready$"))?.place, 15);
  assertEquals(scan("a\n\nb\n", pattern("^$"))?.place, 2);
  assertEquals(scan("a\nb\n", pattern("^$")), undefined);
});

for (const source of ["\\Aready\\z", "\\Aready", "ready\\z", "(?-m)^ready$", "(?i-m:^READY$)"]) {
  Deno.test(`a pattern for a whole text is matched with each line, whatever comes with it: ${source}`, () => {
    assertEquals(scan("one\nready\ntwo\n", pattern(source))?.detail, "Matched: ready");
    assertEquals(scan("already\nready now\nunready.\n", pattern("\\Aready\\z")), undefined);
  });
}

Deno.test("a long line is reported with whole characters", () => {
  assertEquals(scan(`${"x".repeat(199)}😀😀\n`, pattern("^x"))?.detail, `Matched: ${"x".repeat(199)}…`);
});

Deno.test("the place is where the match ends in the pane's own bytes", () => {
  assertEquals(scan("\x1b[32mré\x1b[0mady on 80\r\nmore\r\n", pattern("ady"))?.place, 15);
});

Deno.test("a line that is not finished is matched by itself", () => {
  const triggers = new TextTriggers([pattern("\\(y/n\\) $")], PATTERNS, new Patterns());
  assertEquals(triggers.scanLine("Continue? (y/n) ", 40)?.place, 40);
});

Deno.test("a pattern that would backtrack for ever elsewhere is soon done with a long line", () => {
  const line = "a".repeat(1 << 20) + "!";
  assertEquals(scan(`${line}\nok\n`, pattern("^(a+)+$")), undefined);
});

Deno.test("a flood of lines that only look like errors stays linear", () => {
  assertEquals(scan("tests: 0 failed\n".repeat(5000), ERROR), undefined);
  assertEquals(scan("some words\n".repeat(5000), pattern("[^x]*ready")), undefined);
});
