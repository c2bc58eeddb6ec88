// The guides' calls, run in order against a real tmux, answer what the guides say.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { type TestClient, World } from "../support/world.ts";

const GUIDES = new URL("../../docs/guides/", import.meta.url);

/** A call and the answer it must have. */
interface Step {
  tool: string;
  arguments: Record<string, unknown>;
  answer: unknown;
}

async function readSteps(name: string): Promise<Step[]> {
  const page = await Deno.readTextFile(fromFileUrl(new URL(name, GUIDES)));
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)\n```/gms)].map(([, language, text]) =>
    language === "json" ? JSON.parse(text!) : text
  );
  assertEquals(blocks.length % 2, 0, "every call has an answer");
  return blocks.flatMap((block, at) => at % 2 === 0 ? [{ ...block, answer: blocks[at + 1] }] : []);
}

/** Real values of what a guide shows shortened (`c1-…`), for the calls that pass them on. */
type Known = Map<string, string>;

/** Whether a real answer holds what a guide shows: keys may be missing there, and `…` is any text. */
function assertShown(real: unknown, shown: unknown, known: Known): void {
  if (typeof shown === "string" && shown.includes("…")) {
    const parts = shown.split("…").map((part) => RegExp.escape(part));
    assert(new RegExp(`^${parts.join(".*")}$`, "s").test(String(real)), `${real} is not ${shown}`);
    known.set(shown, String(real));
  } else if (Array.isArray(shown)) {
    assert(Array.isArray(real) && real.length === shown.length, JSON.stringify(real));
    shown.forEach((each, at) => assertShown(real[at], each, known));
  } else if (typeof shown === "object" && shown !== null) {
    assert(typeof real === "object" && real !== null, JSON.stringify(real));
    for (const [key, each] of Object.entries(shown)) {
      assertShown((real as Record<string, unknown>)[key], each, known);
    }
  } else {
    assertEquals(real, shown);
  }
}

async function run(client: TestClient, { tool, arguments: args, answer }: Step, known: Known): Promise<void> {
  const given = Object.entries(args).map(([key, value]) => [key, known.get(String(value)) ?? value]);
  const { content, structuredContent } = await client.call(tool, Object.fromEntries(given));
  const real = structuredContent ?? content[0]?.text;
  try {
    assertShown(real, answer, known);
  } catch (cause) {
    throw new Error(`${tool} ${JSON.stringify(args)} answered ${JSON.stringify(real)}`, { cause });
  }
}

for (const { name } of Deno.readDirSync(GUIDES)) {
  Deno.test(`the calls of ${name} answer what it says`, async () => {
    await using world = await World.create();
    const client = await world.serve();
    const steps = await readSteps(name);
    assert(steps.length > 5);
    const known: Known = new Map();
    for (const step of steps) await run(client, step, known);
  });
}
