// The wait for a shell that starts, and programs that are not taken for one.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import type { PaneInspection } from "../../../src/process/probe.ts";
import type { ProcessInspector } from "../../../src/process/process_inspector.ts";
import { PromptSites } from "../../../src/watch/prompt_sites.ts";
import { findShellAtPrompt } from "../../../src/commands/prompt/shell_at_prompt.ts";

const PANE = { paneId: "%1", panePid: 10, tty: "/dev/pts/1" };
const FRONT: PaneInspection = {
  panePid: 10,
  foregroundPid: 10,
  foregroundCmd: "zsh",
  foregroundGroup: 10,
  isAlive: true,
  waitingForInput: false,
  inputKind: "none",
  evidence: "zsh (10) wait4",
  shell: "zsh",
};
const AT_PROMPT: PaneInspection = { ...FRONT, waitingForInput: true, inputKind: "raw" };
const { shell: _, ...NO_SHELL } = FRONT;
const CHILD: PaneInspection = {
  ...NO_SHELL,
  foregroundPid: 11,
  foregroundCmd: "sleep",
  evidence: "sleep (11)",
};

/** A shell that shows this until `until` (ms) and is at its prompt then. */
function inspector(
  busy: PaneInspection,
  { ageMs, readsFile, until }: { ageMs: number; readsFile: boolean; until: number },
): ProcessInspector {
  const began = performance.now();
  return {
    inspect: () => performance.now() - began < until ? busy : AT_PROMPT,
    startTime: () => "1",
    image: () => undefined,
    sleeps: () => undefined,
    ageMs: () => ageMs,
    readsFile: () => readsFile,
  };
}

const request = {
  prompts: new PromptSites(),
  pane: PANE,
  named: undefined,
  unseen: undefined,
  shown: () => Promise.resolve(""),
  isNew: false,
  until: Infinity,
  promptBy: 0,
};
const SLOW = { ageMs: 30_000, readsFile: true, until: 400 };

Deno.test("a child of a shell that reads its start-up file is waited for", async () => {
  const { dialect, edits } = await findShellAtPrompt({ ...request, inspector: inspector(CHILD, SLOW) });
  assertEquals([dialect.name, edits], ["zsh", true]);
});

Deno.test("a shell that closes its start-up file while it is inspected is waited for", async () => {
  let isRead = false;
  const closing = {
    ...inspector(CHILD, SLOW),
    inspect: () => isRead ? AT_PROMPT : CHILD,
    // The program ended after the inspection that saw it, and the file with it.
    readsFile: () => {
      isRead = true;
      return false;
    },
  };
  assertEquals((await findShellAtPrompt({ ...request, inspector: closing })).dialect.name, "zsh");
});

/** Program that waits as `script` does before its shell runs. */
const TAKING_OVER: PaneInspection = {
  ...NO_SHELL,
  foregroundCmd: "script",
  waitingForInput: true,
  inputKind: "raw",
  evidence: "poll on /dev/pts/1",
};

Deno.test("a program that has just taken the terminal over is given time to start a shell", async () => {
  const young = inspector(TAKING_OVER, { ageMs: 40, readsFile: false, until: 50 });
  assertEquals((await findShellAtPrompt({ ...request, inspector: young })).dialect.name, "zsh");
  const old = inspector(TAKING_OVER, { ageMs: 600, readsFile: false, until: 50 });
  await assertRejects(() => findShellAtPrompt({ ...request, inspector: old }), AppError, "script runs there");
});

Deno.test("a program that asks for a password gets no command, whichever shell is named", async () => {
  const asks = { ...TAKING_OVER, foregroundCmd: "ssh", inputKind: "password" as const };
  const ssh = inspector(asks, { ageMs: 5000, readsFile: false, until: Infinity });
  const error = await assertRejects(
    () => findShellAtPrompt({ ...request, inspector: ssh, named: "bash" }),
    AppError,
    "ssh runs there",
  );
  assertEquals(error.code, "busy");
});

for (
  const [what, facts] of [
    ["a program that was typed into a young pane", { ...SLOW, readsFile: false }],
    ["a program of an old pane whose shell has a file open", { ...SLOW, ageMs: 61_000 }],
  ] as const
) {
  Deno.test(`${what} is busy at once`, async () => {
    const late = { ...facts, until: 20_000 };
    const error = await assertRejects(
      () => findShellAtPrompt({ ...request, inspector: inspector(CHILD, late) }),
      AppError,
    );
    assertEquals(error.code, "busy");
  });
}

Deno.test("a young shell that is seen once before its line editor has set up the terminal is waited for", async () => {
  const bash: PaneInspection = { ...FRONT, foregroundCmd: "bash", shell: "bash" };
  const began = performance.now();
  const inspections = [{ ...bash, waitingForInput: true, edited: false }, {
    ...bash,
    waitingForInput: true,
    inputKind: "raw" as const,
    edited: true,
  }];
  const { dialect } = await findShellAtPrompt({
    ...request,
    prompts: new PromptSites(),
    inspector: {
      ...inspector(bash, { ...SLOW, ageMs: 400 }),
      inspect: () =>
        performance.now() - began < SLOW.until
          ? bash
          : inspections.length > 1
          ? inspections.shift()!
          : inspections[0]!,
      sleep: () => ({ program: "1:2", wantedBytes: 1 }),
    },
  });
  assertEquals(dialect.name, "bash");
});

Deno.test("a shell that draws its prompt again right after the inspection is no place where prompts wait", async () => {
  const fish: PaneInspection = { ...AT_PROMPT, foregroundCmd: "fish", shell: "fish", edited: true };
  const prompts = new PromptSites();
  const sleeps = ["awake", "awake", { program: "1:2", depth: 7456 }] as const;
  let asked = 0;
  const shell = inspector(fish, { ...SLOW, until: Infinity });
  const found = await findShellAtPrompt({
    ...request,
    prompts,
    inspector: { ...shell, sleep: () => sleeps[asked++] },
  });
  found.took?.();
  assertEquals(asked, 3);
  assertEquals([7456, 13424].map((depth) => prompts.mayBe({ asks: false, shell: "1:2", depth })), [
    true,
    false,
  ]);
});

Deno.test("a copy of the shell is waited for no longer than the call lasts", async () => {
  const ksh: PaneInspection = { ...AT_PROMPT, foregroundCmd: "ksh", shell: "ksh", edited: true };
  const { dialect } = await findShellAtPrompt({
    ...request,
    until: performance.now() + 50,
    prompts: new PromptSites({ measureShell: () => new Promise(() => {}) }),
    inspector: { ...inspector(ksh, SLOW), sleep: () => ({ program: "1:2:3", depth: 7456 }) },
  });
  assertEquals(dialect.name, "ksh");
});

Deno.test("who waits no more types nothing", async () => {
  const signal = AbortSignal.abort(new Error("called off"));
  await assertRejects(
    () => findShellAtPrompt({ ...request, signal, inspector: inspector(FRONT, SLOW) }),
    Error,
    "called off",
  );
});

for (const [shell, expected] of [["posh", "sh"], ["dash", "busy"]] as const) {
  Deno.test(`a ${shell} that reads byte by byte and is named sh is ${expected}`, async () => {
    const waits = {
      ...AT_PROMPT,
      shell,
      edited: false,
      inputKind: "line" as const,
      isPrompt: shell === "posh",
    };
    const reads = {
      ...inspector(waits, { ...SLOW, until: Infinity }),
      sleep: () => ({ wantedBytes: 1, fd: 0, program: "1:2:3" }),
    };
    const found = findShellAtPrompt({ ...request, inspector: reads, named: "sh" });
    assertEquals(await found.then(({ dialect }) => dialect.name, (error) => error.code), expected);
  });
}
