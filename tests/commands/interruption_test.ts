import { assertEquals } from "@std/assert";
import { Interruption } from "../../src/commands/interruption.ts";
import type { Taker } from "../../src/commands/seen_shell.ts";
import type { PaneInspection } from "../../src/process/probe.ts";

const AT_PROMPT = { shell: "bash", waitingForInput: true, foregroundPid: 7 } as PaneInspection;

const encoder = new TextEncoder();

const SHELL = {
  pid: 7,
  image: undefined,
  inspect: () => AT_PROMPT,
  isGone: () => Promise.resolve(false),
  asks: () => false,
  imageNow: () => undefined,
  sleeps: () => undefined,
  line: () => undefined,
};

/** Outcome of a command whose shell shows its prompt, while output comes before this many replies of tmux. */
async function asked(outputs: number, most: number): Promise<string[]> {
  const said: string[] = [];
  const over = Promise.withResolvers<void>();
  const interruption = new Interruption({
    taker: SHELL,
    seen: SHELL,
    ended() {},
    askTmux() {
      said.push("asked");
      if (said.length <= outputs) interruption.saw(encoder.encode("more of the li"));
      if (said.length === most) over.resolve();
      return Promise.resolve();
    },
    showsPrompt: () => Promise.resolve(true),
    returned() {
      said.push("returned");
      over.resolve();
      return Promise.resolve();
    },
  });
  interruption.saw(encoder.encode("the output stops in the middle of a li"));
  interruption.watch();
  await over.promise;
  interruption.close();
  return said;
}

Deno.test("a shell at its prompt whose command's output is still on the way has not returned", async () => {
  assertEquals(await asked(2, 2), ["asked", "asked"]);
});

Deno.test("a shell at its prompt whose command's output has come has returned", async () => {
  assertEquals(await asked(1, 9), ["asked", "asked", "asked", "returned"]);
});

Deno.test("a shell is at its prompt while it is asked there how its command ended", async () => {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  let isTyping = false;
  const interruption = new Interruption({
    taker: SHELL,
    seen: SHELL,
    ended() {},
    askTmux: () => Promise.resolve(),
    // The question hides the prompt.
    showsPrompt: () => Promise.resolve(!isTyping),
    returned() {
      isTyping = true;
      begun.resolve();
      return over.promise;
    },
  });
  interruption.saw(encoder.encode("sh: nothing: is set\n$ "));
  interruption.watch();
  await begun.promise;
  assertEquals(await interruption.isAtPrompt(), true);
  over.resolve();
  interruption.close();
});

/** Returns what an interruption reports first of a shell that shows its prompt after these bytes. */
async function toldOf(
  { output, taker = {}, seen }: { output: string; taker?: Partial<Taker>; seen?: typeof SHELL | undefined },
): Promise<string> {
  const told = Promise.withResolvers<string>();
  const interruption = new Interruption({
    taker: { ...SHELL, ...taker },
    seen,
    askTmux: () => Promise.resolve(),
    showsPrompt: () => Promise.resolve(true),
    returned: () => Promise.resolve(told.resolve("returned")),
    ended: told.resolve,
  });
  interruption.saw(encoder.encode(output));
  interruption.watch();
  return await told.promise.finally(() => interruption.close());
}

Deno.test("a shell that has ended does not return, and another one is at its prompt", async () => {
  const gone = { pid: 8, isGone: () => Promise.resolve(true) };
  for (const seen of [undefined, { ...SHELL, ...gone }]) {
    assertEquals(
      (await toldOf({ output: "exit\n$ ", taker: gone, seen })).startsWith("Its shell ended"),
      true,
    );
  }
});

Deno.test("a shell that can't be seen returns once its terminal has shown Ctrl-C", async () => {
  const inspect = () => ({ ...AT_PROMPT, shell: undefined }) as unknown as PaneInspection;
  assertEquals(await toldOf({ output: "^C\n$ ", taker: { inspect } }), "returned");
});
