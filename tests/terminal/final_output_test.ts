import { assertEquals } from "@std/assert";
import { type CursorPosition, findMissing, type ReceivedOutput } from "../../src/terminal/final_output.ts";

const TOP: CursorPosition = { row: 0, column: 0, lines: 0, pending: "" };
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

interface Case {
  shown: string[];
  from?: CursorPosition;
  came: ReceivedOutput;
  missing: string[] | undefined;
}

const CASES: Record<string, Case> = {
  "nothing came of a burst": {
    shown: ["", "1", "2"],
    came: { lines: 0, pending: "", last: [] },
    missing: ["", "1", "2"],
  },
  "all of it came": {
    shown: ["1", "2"],
    came: { lines: 2, pending: "", last: ["1", "2"] },
    missing: [],
  },
  "nothing was printed": { shown: [], came: { lines: 0, pending: "", last: [] }, missing: [] },
  "the end is missing, in the middle of a line": {
    shown: ["1", "2", "and so on", "end"],
    came: { lines: 2, pending: "and", last: ["1", "2"] },
    missing: [" so on", "end"],
  },
  "the watch began after a prompt": {
    shown: ["Name? me", "Hello"],
    from: { row: 3, column: 6, lines: 0, pending: "" },
    came: { lines: 0, pending: "m", last: [] },
    missing: ["e", "Hello"],
  },
  "the watch began in the middle of a line it had seen": {
    shown: ["loading... done", "end"],
    from: { row: 3, column: 7, lines: 4, pending: "loading" },
    came: { lines: 4, pending: "loading...", last: ["a", "b", "c", "d"] },
    missing: [" done", "end"],
  },
  "tabs are shown as blanks": {
    shown: ["start", "a       b", "end"],
    came: { lines: 2, pending: "", last: ["start", "a\tb"] },
    missing: ["end"],
  },
  "lines that repeat are counted": {
    shown: ["tick", "tick", "tick", "tick"],
    came: { lines: 2, pending: "", last: ["tick", "tick"] },
    missing: ["tick", "tick"],
  },
  "the history has lost its oldest lines": {
    shown: numbers(500, 1003),
    came: { lines: 1000, pending: "", last: numbers(901, 1000) },
    missing: numbers(1001, 1003),
  },
  "the watch began after a prompt whose line is over": {
    shown: ["Name? me", "Hello", "end"],
    from: { row: 3, column: 6, lines: 0, pending: "" },
    came: { lines: 1, pending: "Hel", last: ["me"] },
    missing: ["lo", "end"],
  },
  "the line of the prompt is not among those that are compared": {
    shown: ["Name? me", "Hello", "end"],
    from: { row: 3, column: 6, lines: 0, pending: "" },
    came: { lines: 2, pending: "", last: ["me", "Hello"] },
    missing: ["end"],
  },
  "rows may have other numbers, and the text shows where they are": {
    shown: ["old", "1", "2", "end"],
    from: { ...TOP, isUncertain: true },
    came: { lines: 2, pending: "", last: ["1", "2"] },
    missing: ["end"],
  },
  "rows may have other numbers, and their lines repeat": {
    shown: ["tick", "tick", "tick", "tick"],
    from: { ...TOP, isUncertain: true },
    came: { lines: 2, pending: "", last: ["tick", "tick"] },
    missing: [],
  },
  "rows may have other numbers, and nothing came": {
    shown: ["old", "end"],
    from: { ...TOP, isUncertain: true },
    came: { lines: 0, pending: "", last: [] },
    missing: undefined,
  },
  "a line far above was written over": {
    shown: ["0", "other", ...numbers(2, 40), "end"],
    came: { lines: 41, pending: "", last: ["0", ...numbers(1, 40)] },
    missing: ["end"],
  },
  "blanks at the end of a line are not shown": {
    shown: ["1", "2", "end"],
    came: { lines: 2, pending: "", last: ["1", "2  "] },
    missing: ["end"],
  },
  "the history has lost its oldest lines, and the others repeat": {
    shown: [...Array(30).fill("tick"), "end"],
    came: { lines: 1000, pending: "", last: Array(100).fill("tick") },
    missing: ["end"],
  },
  "blank lines tell nothing": {
    shown: [...Array(20).fill(""), ...numbers(1, 10)],
    came: { lines: 25, pending: "", last: Array(25).fill("") },
    missing: undefined,
  },
  "what the history has lost was not blank": {
    shown: ["here", "end"],
    came: { lines: 3, pending: "", last: ["first", "", "here"] },
    missing: undefined,
  },
  "the screen shows something else": {
    shown: ["┌────┐", "│menu│", "└────┘"],
    came: { lines: 2, pending: "", last: ["menu", "quit"] },
    missing: undefined,
  },
  "what is pending is not what the screen shows": {
    shown: ["1", "other"],
    came: { lines: 1, pending: "mine", last: ["1"] },
    missing: undefined,
  },
};

for (const [name, { shown, from = TOP, came, missing }] of Object.entries(CASES)) {
  Deno.test(`last words: ${name}`, () => assertEquals(findMissing(shown, from, came), missing));
}
