// A guide's steps, as its page has them: calls with the answers they must have, and what a person does.
import { assert, assertEquals } from "@std/assert";
import { PersonAtTerminal } from "../support/person.ts";
import { until } from "../support/until.ts";
import type { TestClient, World } from "../support/world.ts";

/** A call and the answer it must have. */
interface Call {
  kind: "call";
  tool: string;
  arguments: Record<string, unknown>;
  /** Shell lines that a person runs once the call asks for one. */
  meanwhile?: string;
  answer: unknown;
}

/** Shell lines that a person runs beside the agent. */
interface Person {
  kind: "person";
  lines: string;
}

export type Step = Call | Person;

/** Real values of what a guide shows shortened (`c1-…`), for the calls that pass them on. */
type Known = Map<string, string>;

export interface Block {
  language: string;
  text: string;
}

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)\n?```$/gms)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

/**
 * A JSON block with a tool is a call and the next block its answer; a sh block is a person's, between the two it is
 * what they do meanwhile. TOML is no step.
 */
export function readSteps(page: string): Step[] {
  const blocks = blocksOf(page);
  const steps: Step[] = [];
  for (let at = 0; at < blocks.length; at++) {
    const { language, text } = blocks[at]!;
    if (language === "toml") continue;
    if (language === "sh") {
      steps.push({ kind: "person", lines: text });
      continue;
    }
    const call = JSON.parse(text);
    assertEquals(Object.keys(call), ["tool", "arguments"], text);
    const meanwhile = blocks[at + 1]?.language === "sh" ? blocks[++at]!.text : undefined;
    const answer = blocks[++at];
    assert(answer !== undefined && answer.language !== "sh", `${text} has no answer`);
    steps.push({
      kind: "call",
      ...call,
      ...(meanwhile !== undefined && { meanwhile }),
      answer: answer.language === "json" ? JSON.parse(answer.text) : answer.text,
    });
  }
  return steps;
}

const NUMBERED = /\b([cw])(\d+)-/;

/** Makes a page's `c2-…` the second command since the page began, of a server that may have run others before. */
function countedHere(real: string, shown: string, known: Known): string {
  const [, kind = "", number] = NUMBERED.exec(shown) ?? [];
  const [, , whole] = NUMBERED.exec(real) ?? [];
  if (number === undefined || whole === undefined) return real;
  const earlier = Number(known.get(`earlier ${kind}`) ?? Number(whole) - Number(number));
  known.set(`earlier ${kind}`, String(earlier));
  return real.replace(NUMBERED, `$1${Number(whole) - earlier}-`);
}

/** Fails unless a real answer holds what a guide shows: keys may be missing there, and `…` is any text. */
function assertShown(real: unknown, shown: unknown, known: Known): void {
  if (typeof shown === "string" && shown.includes("…")) {
    const parts = shown.split("…").map((part) => RegExp.escape(part));
    const counted = countedHere(String(real), shown, known);
    assert(new RegExp(`^${parts.join(".*")}$`, "s").test(counted), `${real} is not ${shown}`);
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

async function call(
  { world, client, known }: { world: World; client: TestClient; known: Known },
  { tool, arguments: args, meanwhile, answer }: Call,
): Promise<void> {
  const given = Object.entries(args).map(([key, value]) => [key, known.get(String(value)) ?? value]);
  const calling = client.call(tool, Object.fromEntries(given));
  if (meanwhile !== undefined) {
    calling.catch(() => {});
    await untilPersonAsked(world);
    await act(world, meanwhile);
  }
  const { content, structuredContent } = await calling;
  const real = structuredContent ?? content.find(({ type }) => type === "text")?.text?.trimEnd();
  try {
    assertShown(real, answer, known);
  } catch (cause) {
    throw new Error(`${tool} ${JSON.stringify(args)} answered ${JSON.stringify(real)}`, { cause });
  }
}

async function untilPersonAsked(world: World): Promise<void> {
  const asked = () => world.tmux("list-panes", "-a", "-F", "#{@tmux_mcp_waiting}");
  await until(async () => (await asked()).trim() !== "", 20).catch(() => {
    throw new Error("No person was asked in 20 s");
  });
}

/** Runs lines as the person at the terminal, whose tmux is the world's. */
async function act(world: World, lines: string): Promise<void> {
  const tmux = `tmux() { command tmux -u -f /dev/null -S "$SOCKET" "$@"; }`;
  const { success, stderr } = await new Deno.Command("bash", {
    args: ["-euc", `${tmux}\n${lines}`],
    env: { ...world.env, SOCKET: world.socket },
    clearEnv: true,
    cwd: world.folder,
  }).output();
  assert(success, `${lines}: ${new TextDecoder().decode(stderr)}`);
}

/** Runs every step in order; the first whose answer is not what the page shows is an error. */
export async function runSteps(world: World, client: TestClient, steps: readonly Step[]): Promise<void> {
  const known: Known = new Map();
  await using people = new AsyncDisposableStack();
  for (const step of steps) {
    const [, session] = step.kind === "person" ? /^tmux attach -t (\w+)$/.exec(step.lines) ?? [] : [];
    if (step.kind === "call") await call({ world, client, known }, step);
    else if (session !== undefined) people.use(await PersonAtTerminal.attach(world, { session }));
    else await act(world, step.lines);
  }
}
