// The skills have the frontmatter that clients read, and every tool, parameter and field they name exists.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { ROWS } from "../../src/config/table.ts";
import { ERROR_CODES } from "../../src/errors.ts";
import { registered } from "../../scripts/gen/tool_pages.ts";
import { tools } from "../../src/tools/all.ts";

const SKILLS = fromFileUrl(new URL("../../skills/", import.meta.url));
const BY_NAME = new Map(tools.map((tool) => [tool.name, tool]));

interface Skill {
  frontmatter: Record<string, string>;
  body: string;
}

async function readSkill(name: string): Promise<Skill> {
  const text = await Deno.readTextFile(join(SKILLS, name, "SKILL.md"));
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  const entries = head.split("\n").map((line) => /^([a-z-]+): (.+)$/.exec(line)!.slice(1));
  return { frontmatter: Object.fromEntries(entries), body };
}

/** Every property name in a JSON Schema. */
function propertiesOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== "object" || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") Object.keys(value).forEach((name) => found.add(name));
    propertiesOf(value, found);
  }
  return found;
}

/** Words in code that are no tools: parameters, fields, error codes and keys of the configuration. */
const WORDS: ReadonlySet<string> = new Set([
  ...registered(tools).flatMap(({ wire }) => [
    ...propertiesOf(wire.inputSchema),
    ...propertiesOf(wire.outputSchema),
  ]),
  ...ERROR_CODES,
  ...ROWS.map(([, { key }]) => key.split(".").at(-1)!),
  // Events, kinds and values.
  ...["exit", "shell", "user_input", "error", "bell", "port", "timeout", "none", "line", "password", "raw"],
]);

/** Code that is neither a tool nor a word of the server's. */
const FOREIGN = /^(?:cd|export|source|sleep|C-c|FATAL|[$@%]1|make .*|--scope (?:all|primitives))$/;

function isKnown(code: string): boolean {
  const [word = "", value] = code.split(/[:=]\s*/, 2);
  if (BY_NAME.has(code) || WORDS.has(code) || FOREIGN.test(code)) return true;
  if (["idle", "pattern", "port"].includes(word) && value !== undefined) return true;
  return value !== undefined && WORDS.has(word);
}

const names = (await Array.fromAsync(Deno.readDir(SKILLS))).map(({ name }) => name).sort();

Deno.test("there are the two skills", () => assertEquals(names, ["driving-terminals", "large-buffers"]));

for (const name of names) {
  const { frontmatter, body } = await readSkill(name);

  Deno.test(`${name}: its frontmatter has its folder's name and says what it is for and when`, () => {
    assertEquals(Object.keys(frontmatter), ["name", "description"]);
    assertEquals(frontmatter["name"], name);
    const description = frontmatter["description"] ?? "";
    assertMatch(description, /\bUse when(ever)?\b/);
    // YAML would take these for its own, and clients cut at 1,024 characters.
    assert(!/: | #|^["'[{&*!|>%@`]/.test(description) && description.length <= 1024, description);
    assert(body.split("\n").length < 500);
  });

  Deno.test(`${name}: every call in it is one the tool takes`, () => {
    const calls = [...body.matchAll(/^```json\n(.*?)\n```/gms)].map(([, json]) => JSON.parse(json!));
    assert(calls.length >= 4);
    for (const { tool, arguments: args, ...rest } of calls) {
      assertEquals(rest, {});
      const result = BY_NAME.get(tool)?.input.safeParse(args);
      assertEquals([tool, result?.success, result?.error?.message], [tool, true, undefined]);
    }
  });

  Deno.test(`${name}: every tool, parameter, field and code it names exists`, () => {
    const prose = body.replaceAll(/^```.*?^```/gms, "");
    const codes = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
    assert(codes.length > 20);
    assertEquals(codes.filter((code) => !isKnown(code)), []);
  });
}
