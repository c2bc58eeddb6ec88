// Trigger lists of callers: their meaning, and those that are refused.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { parseTriggers } from "../../src/watch/triggers.ts";

async function events(given: string | readonly string[], readiness?: string): Promise<string[]> {
  return (await parseTriggers(given, readiness)).map((trigger) => trigger.event);
}

const LISTS: [name: string, given: string | string[], expected: string[]][] = [
  ["plain ones keep their order", "exit, error ,bell,shell,user_input", [
    "exit",
    "error",
    "bell",
    "shell",
    "user_input",
  ]],
  ["an array", ["exit", "idle:0.5"], ["exit", "idle:0.5"]],
  ["an array written as JSON text", '["pattern:a,b", "exit"]', ["pattern:a,b", "exit"]],
  ["a comma in a repetition", "pattern:a{1,3},exit", ["pattern:a{1,3}", "exit"]],
  ["a comma in a group before a trigger's name", "pattern:(x,exit)|y,exit", ["pattern:(x,exit)|y", "exit"]],
  ["a comma in a class", "pattern:[,exit],exit", ["pattern:[,exit]", "exit"]],
  ["an escaped comma before a trigger's name", "pattern:a\\,exit,bell", ["pattern:a\\,exit", "bell"]],
  ["an escaped bracket opens nothing", "pattern:\\(,exit", ["pattern:\\(", "exit"]],
  ["a brace that repeats nothing", 'pattern:{"ready,exit', ['pattern:{"ready', "exit"]],
  ["a brace at the end", "pattern:^{,exit", ["pattern:^{", "exit"]],
  ["a repetition without an upper bound", "pattern:a{2,},exit", ["pattern:a{2,}", "exit"]],
  ["a comma in a repetition before a trigger's name", "pattern:a{1,exit", ["pattern:a{1,exit"]],
  ["a quoted bracket", "pattern:\\Q(\\E,exit", ["pattern:\\Q(\\E", "exit"]],
  ["a named class", "pattern:[[:alpha:],exit],bell", ["pattern:[[:alpha:],exit]", "bell"]],
  ["a bracket that begins a class", "pattern:[],exit],bell", ["pattern:[],exit]", "bell"]],
  ["words after a comma belong to the pattern", "pattern:Hello, world,exit", [
    "pattern:Hello, world",
    "exit",
  ]],
  ["two patterns", "pattern:a,pattern:b", ["pattern:a", "pattern:b"]],
  ["an array's pattern is not split", ["pattern:a,exit"], ["pattern:a,exit"]],
  ["blanks anywhere but inside a pattern", " exit , idle: 2,idle : 3 ,pattern: a b , shell ", [
    "exit",
    "idle:2",
    "idle:3",
    "pattern:a b",
    "shell",
  ]],
  ["blanks that end a pattern in an array", ["pattern:>>> ", " pattern: done\\ "], [
    "pattern:>>> ",
    "pattern:done\\ ",
  ]],
  ["blanks in an array", [" exit ", "idle: 2", "pattern : x"], ["exit", "idle:2", "pattern:x"]],
  ["ports", "port,port:3000, port : 80,exit", ["port", "port:3000", "port:80", "exit"]],
  ["a port after a pattern", "pattern:a,port:80", ["pattern:a", "port:80"]],
  ["a longer word after a pattern belongs to it", "pattern:a,portal", ["pattern:a,portal"]],
  ["empty words are nothing", "exit,,error,", ["exit", "error"]],
  ["a comma after the last pattern", "exit,pattern:ready, ", ["exit", "pattern:ready"]],
  ["an escaped comma at the end", "pattern:a\\,", ["pattern:a\\,"]],
];

for (const [name, given, expected] of LISTS) {
  Deno.test(`trigger list: ${name}`, async () => assertEquals(await events(given), expected));
}

Deno.test("trigger list: the readiness pattern is first and whole", async () => {
  assertEquals(await events("exit,error", " up, and running "), [
    "pattern: up, and running ",
    "exit",
    "error",
  ]);
});

const REFUSED: [name: string, given: string | string[], word: string][] = [
  ["an unknown trigger", "exit,exited", "exited"],
  ["an empty text", "", "empty"],
  ["only commas", " , ", "empty"],
  ["an empty array", [], "empty"],
  ["idle:0", "idle:0", "idle:0"],
  ["idle without seconds", "idle:", "idle:"],
  ["idle with less than nothing", "idle:-1", "idle:-1"],
  ["a pattern without a text", "pattern:", "pattern:"],
  ["a bad regular expression", "pattern:(unclosed", "(unclosed"],
  ["two triggers in one word of an array", ["exit,error"], "exit,error"],
  ["capitals", "EXIT", "EXIT"],
];

for (const [name, given, word] of REFUSED) {
  Deno.test(`trigger list refused: ${name}`, async () => {
    const error = await assertRejects(() => parseTriggers(given), AppError);
    assertEquals(error.code, "invalid-argument");
    assert(error.message.includes(word), error.message);
  });
}

Deno.test("an unknown trigger is answered with the valid ones", async () => {
  const error = await assertRejects(() => parseTriggers("nope"), AppError);
  assertEquals(
    error.hint,
    "Valid triggers: exit, shell, user_input, error, bell, port[:NUMBER], idle:SECONDS, pattern:REGEX",
  );
});

for (const source of ["a(?=b)", "(?!a)b", "(a)\\1", "(?>a)", "a++"]) {
  Deno.test(`a pattern RE2 can't take is refused with the reason: ${source}`, async () => {
    const error = await assertRejects(() => parseTriggers([`pattern:${source}`]), AppError);
    assertEquals(error.code, "invalid-argument");
    assert(error.message.includes(source), error.message);
    assert(error.hint?.includes("RE2"), error.hint);
  });
}
